package enginetest

import (
	"go/ast"
	"go/parser"
	"go/token"
	"os"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

var (
	ruleName  = regexp.MustCompile(`\b[A-F]\d{1,2}\b`)
	ruleRange = regexp.MustCompile(`\b([A-F])(\d{1,2})-[A-F]?(\d{1,2})\b`)
	quoted    = regexp.MustCompile(`"[^"]*"`)
)

// rulesIn lists the rules that a text names, alone or inside a range such as A31-A34.
func rulesIn(text string) []string {
	list := ruleName.FindAllString(text, -1)
	for _, m := range ruleRange.FindAllStringSubmatch(text, -1) {
		from, _ := strconv.Atoi(m[2])
		to, _ := strconv.Atoi(m[3])
		for n := from; n <= to; n++ {
			list = append(list, m[1]+strconv.Itoa(n))
		}
	}
	return list
}

// twoArguments are the checks of testify whose message comes third; that of the others comes fourth.
const twoArguments = " True False Nil NotNil Empty NotEmpty NoError Error Zero NotZero Fail FailNow Panics NotPanics "

// said lists the string literals of a node that speak to a reader: messages of checks, names of
// subtests, and the first cell of a table's row. Others are data: a consumer may be called C1.
func said(n ast.Node) []ast.Expr {
	switch n := n.(type) {
	case *ast.CompositeLit:
		if n.Type == nil && len(n.Elts) > 0 {
			return n.Elts[:1]
		}
	case *ast.CallExpr:
		s, ok := n.Fun.(*ast.SelectorExpr)
		if !ok {
			return nil
		}
		of, _ := s.X.(*ast.Ident)
		switch from := 3; {
		case s.Sel.Name == "Run" && len(n.Args) == 2:
			return n.Args[:1]
		case of != nil && of.Name == "require":
			if strings.Contains(twoArguments, " "+s.Sel.Name+" ") {
				from = 2
			}
			return n.Args[min(from, len(n.Args)):]
		}
	}
	return nil
}

// cited lists the rules that a test file cites, in its comments or in what its checks say.
func cited(t *testing.T, file string) map[string]bool {
	t.Helper()
	f, err := parser.ParseFile(token.NewFileSet(), file, nil, parser.ParseComments)
	require.NoError(t, err)
	rules := map[string]bool{}
	note := func(text string) {
		for _, r := range rulesIn(text) {
			rules[r] = true
		}
	}
	for _, c := range f.Comments {
		note(quoted.ReplaceAllString(c.Text(), "")) // an example of data, not a citation
	}
	ast.Inspect(f, func(n ast.Node) bool {
		for _, e := range said(n) {
			if lit, ok := e.(*ast.BasicLit); ok && lit.Kind == token.STRING {
				note(lit.Value)
			}
		}
		return true
	})
	return rules
}

// evidence lists for every rule the test files of the engine that cite it, in order of their names.
func evidence(t *testing.T) map[string][]string {
	t.Helper()
	files, err := filepath.Glob(filepath.Join("..", "*", "*_test.go"))
	require.NoError(t, err)
	out := map[string][]string{}
	for _, file := range files {
		if strings.HasSuffix(file, "citation_test.go") {
			continue // it cites rules only to test the citing
		}
		name := strings.TrimPrefix(filepath.ToSlash(file), "../")
		for rule := range cited(t, file) {
			out[rule] = append(out[rule], name)
		}
	}
	return out
}

func TestACitationIsWhatSpeaksToAReader(t *testing.T) {
	file := filepath.Join(t.TempDir(), "some_test.go")
	require.NoError(t, os.WriteFile(file, []byte(`package some

// member reads "C6 t1".
func TestSomething(t *testing.T) { // A31-A33, XB9
	members := []string{"C1", "C2"}
	for _, row := range []struct{ name, member string }{{"B7 in Preparing", "C3"}} {
		t.Run("D6: skipped", func(t *testing.T) { require.Equal(t, "C4", row.member, "E24") })
		require.True(t, len(members) > 0, "the newest (F11 or F12)")
		require.Contains(t, members, "C5")
	}
}
`), 0o600))
	want := map[string]bool{}
	for _, r := range []string{"A31", "A32", "A33", "B7", "D6", "E24", "F11", "F12"} {
		want[r] = true
	}
	require.Equal(t, want, cited(t, file))
}
