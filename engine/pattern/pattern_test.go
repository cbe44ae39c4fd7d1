package pattern

import (
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// cases are patterns, names that they match and names that they do not, separated by spaces.
var cases = []struct{ pattern, yes, no string }{
	{"order", "order", "orders my-order Order"},
	{"order.*", "order orders order.v2", "my-order"},
	{"a|b|cd", "a b cd", "ab c d"},
	{"x(a|b)y", "xay xby", "xy xaby"},
	{"x(?:a|)y", "xay xy", "xby"},
	{`orders\.v\d+`, "orders.v2 orders.v10", "orders-v2 orders.v"},
	{"[a-c]+-x", "abc-x a-x", "d-x -x"},
	{"[^a-c]x", "dx -x", "ax x"},
	{"[a-]x", "ax -x", "bx"},
	{`[\d_]x`, "1x _x", "ax"},
	{`[\D]x`, "ax _x", "1x"},
	{`[^\D]x`, "1x", "ax"},
	{`\w+`, "a_1", "a-1 a.1"},
	{`\W`, "- .", "a 1"},
	{"a{2}", "aa", "a aaa"},
	{"a{2,}", "aa aaaaa", "a"},
	{"a{1,3}?", "a aa aaa", "aaaa"},
	{"a{0,1}b", "b ab", "aab"},
	{"(ab*)*c", "c ac abbc aabc", "bc"},
	{"(a*)*b", "b aab", "a"},
	{"(a|a*)+", "a aaa", "b"},
	{"^orders$", "orders", "orders2"},
	{"(^a|b)c", "ac bc", "aac"},
	{`\Aa\z`, "a", "aa"},
	{"(?i)ORDERS-é", "orders-é OrDeRs-é", "orders-É"},
	{"a(?i:B)c", "abc aBc", "Abc abC"},
	{"a((?i)b)c", "abc aBc", "abC"},
	{"(?i)[a-z]+", "AbC", "A1"},
	{`\Qa.b\E.`, "a.bc", "axbc"},
	{`a\x2eb`, "a.b", "axb"},
	{"(?<region>eu|us)-orders", "eu-orders us-orders", "de-orders"},
	{"(?!__).*", "orders _x", "__consumer_offsets"},
	{"(?!.*-(dlq|retry)$).*", "orders dlq-orders", "orders-dlq orders-retry"},
	{"(?=.*eu)(?=.*v2).+", "eu-v2 v2-eu", "eu v2"},
	{"a(?!b(?=c)).*", "abd ad", "abc"},
	{"a.b", "axb a.b", "ab"},
	{"a+?b", "aab", "b"},
	{"}]", "}]", "}"},
}

func TestAPatternMustMatchTheWholeName(t *testing.T) {
	for _, c := range cases {
		p, err := Parse(c.pattern, Java)
		require.NoError(t, err, c.pattern)
		require.Equal(t, c.pattern, p.String())
		for _, name := range strings.Fields(c.yes) {
			require.True(t, p.Matches(name), "%s on %s", c.pattern, name)
		}
		for _, name := range strings.Fields(c.no) {
			require.False(t, p.Matches(name), "%s on %s", c.pattern, name)
		}
	}
}

func TestAWrongPatternIsRefusedWithItsPlace(t *testing.T) {
	for _, c := range []struct {
		pattern string
		dialect Dialect
		want    string
	}{
		{"order(", Java, "character 6: this bracket is never closed"},
		{"a)|(b", Java, "character 2: this bracket was never opened"},
		{"*", Java, "character 1: nothing stands before * to be repeated; write .*"},
		{"a**", Java, "character 3: nothing stands before *"},
		{"a|+", Java, "character 3: nothing stands before +"},
		{"[a", Java, "character 1: this bracket is never closed"},
		{"[]", Java, "character 1: nothing stands in the brackets"},
		{"[b-a]", Java, "character 2: a range must go upwards"},
		{`[a-\d]`, Java, "character 2: a range must go upwards"},
		{"[a&&b]", Java, "character 3: classes within classes"},
		{"[[a]]", Java, "character 2: classes within classes"},
		{"a{", Java, "character 2: a repetition is written {2}"},
		{"a{3,2}", Java, "character 2: a repetition is written {2}"},
		{"a{2000}", Java, "up to 1000"},
		{`a\`, Java, "character 2: nothing follows the backslash"},
		{`\1`, Java, `character 1: \1 is not known here`},
		{`\bx`, Java, `character 1: \b is not known here`},
		{`\x2`, Java, "two hexadecimal digits"},
		{"a*+", Java, "character 3: possessive repetition"},
		{"(?<=a)b", Java, "character 1: lookbehind (?<= is not known here"},
		{"(?>a)", Java, "character 1: (?>a is not known here"},
		{"(?!a)b", RE2, "character 1: RE2 has no lookahead (?!"},
		{"(?P<n>a)", Java, "character 1: (?P< is not known here"},
		{`a\Z`, RE2, `\Z is not known here`},
		{strings.Repeat("(", 60), Java, "more than 50 brackets"},
		{strings.Repeat("a", 2000), Java, "longer than 1000 characters"},
		{"((a{1000}){1000}){1000}", Java, "larger than 5000 steps"},
	} {
		_, err := Parse(c.pattern, c.dialect)
		require.ErrorContains(t, err, c.want, c.pattern)
	}
}

func TestRE2HasItsOwnNamedGroups(t *testing.T) {
	p, err := Parse("(?P<n>a)|(?<m>b)", RE2)
	require.NoError(t, err)
	require.True(t, p.Matches("a"))
	require.True(t, p.Matches("b"))
}

func TestNoPatternTakesLong(t *testing.T) {
	name := strings.Repeat("a", 249)
	for _, text := range []string{
		"(a*)*b", "(a|a)*b", "(a|aa)+b", strings.Repeat("a?", 200) + strings.Repeat("a", 249),
		strings.Repeat("(?=.*", 40) + "b" + strings.Repeat(")", 40), "((a{1,60}){1,30})b",
	} {
		p, err := Parse(text, Java)
		require.NoError(t, err)
		start := time.Now()
		p.Matches(name)
		require.Less(t, time.Since(start), time.Second, text)
	}
}

// FuzzAgreesWithGo compares with Go's own regexp where both know the syntax.
func FuzzAgreesWithGo(f *testing.F) {
	for _, c := range cases {
		f.Add(c.pattern, strings.Fields(c.yes)[0])
		f.Add(c.pattern, strings.Fields(c.no)[0])
	}
	f.Fuzz(func(t *testing.T, text, name string) {
		p, err := Parse(text, RE2)
		if err != nil || strings.ContainsAny(text+name, "\n\r") || strings.Contains(text, `\x`) {
			return
		}
		g, err := regexp.Compile(`\A(?:` + text + `)\z`)
		if err != nil {
			return
		}
		if strings.Contains(text, "(?i") && strings.ContainsFunc(text+name, func(r rune) bool {
			return r > 127 || r == 'k' || r == 'K' || r == 's' || r == 'S' // Go folds beyond ASCII
		}) {
			return
		}
		require.Equal(t, g.MatchString(name), p.Matches(name), "%q on %q", text, name)
	})
}
