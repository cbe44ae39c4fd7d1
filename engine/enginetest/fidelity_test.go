package enginetest

import (
	"os"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

var ruleRange = regexp.MustCompile(`\b([A-E])(\d{1,2})-[A-E]?(\d{1,2})\b`)

// cites says whether a test's text names rule, alone or inside a range such as A31-A34.
func cites(text, rule string) bool {
	if regexp.MustCompile(`\b` + rule + `\b`).MatchString(text) {
		return true
	}
	n, _ := strconv.Atoi(rule[1:])
	for _, m := range ruleRange.FindAllStringSubmatch(text, -1) {
		from, _ := strconv.Atoi(m[2])
		to, _ := strconv.Atoi(m[3])
		if m[1] == rule[:1] && from <= n && n <= to {
			return true
		}
	}
	return false
}

func TestTheFidelityTableNamesTestsThatCiteTheirRule(t *testing.T) {
	page, err := os.ReadFile(filepath.Join("..", "..", "FIDELITY.md"))
	require.NoError(t, err)
	rows := regexp.MustCompile(`(?m)^\| ([A-E]\d+) \| proven \| (.*) \|$`).FindAllStringSubmatch(string(page), -1)
	require.Greater(t, len(rows), 140)
	for _, row := range rows {
		for _, name := range strings.Split(row[2], ", ") {
			require.True(t, strings.HasSuffix(name, "_test.go"), "%s: %s is no test", row[1], name)
			text, err := os.ReadFile(filepath.Join("..", name))
			require.NoError(t, err, row[1])
			require.True(t, cites(string(text), row[1]), "%s is not cited in %s", row[1], name)
		}
	}
}
