package site

import (
	"encoding/json"
	"fmt"
)

// Budget is what budget.json holds: the bytes, brotli-compressed, that a browser with an empty
// cache fetches before the first lesson runs. Lazy files (the editor) and what the service worker
// stores afterwards are not in it.
type Budget struct {
	TotalBr int            `json:"total_br"`
	Files   map[string]int `json:"files"`
}

// newBudget sums up the brotli forms of the named files.
func newBudget(files Files, names []string) (Budget, error) {
	budget := Budget{Files: map[string]int{}}
	for _, name := range names {
		encoded, ok := files[name+".br"]
		if !ok {
			return budget, fmt.Errorf("%s has no brotli form to count", name)
		}
		budget.Files[name] = len(encoded)
		budget.TotalBr += len(encoded)
	}
	return budget, nil
}

func (b Budget) encode() ([]byte, error) {
	text, err := json.MarshalIndent(b, "", "  ")
	return append(text, '\n'), err
}
