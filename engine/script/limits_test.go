package script

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// bombs are texts that would eat the page's memory or time, with what is said instead.
var bombs = map[string]string{
	`x = list(range(200000000))`: `range() would have 200000000 elements, more than the limit of 1000000`,
	`x = range(1 << 60)`:         `range(): 1152921504606846976 is too large`,
	`x = "x" * 1000000000`:       `repeating 1 elements 1000000000 times gives more than the limit`,
	`x = 1000000000 * "x"`:       `repeating 1 elements`,
	`x = [0] * 1000000000`:       `repeating 1 elements`,
	`x = [0] * (1 << 100)`:       `repeating 1 elements`,
	`x = (1, 2) * 600000`:        `repeating 2 elements`,
	`x = "%1000000000d" % 5`:     `unknown conversion`,
	`x = "x" * 10**9`:            `got '**'`,
	"def f():\n  x = 'x'\n  for i in range(60): x = x + x\nf()":                `the sum would have 1048576 elements`,
	"def f():\n  x = ['x']\n  for i in range(60): x += x\nf()":                 `the sum would have 1048576 elements`,
	"def f():\n  x = ['x']\n  for i in range(60): x *= 2\nf()":                 `repeating 524288 elements`,
	"def f():\n  x = {0: 'x'}\n  for i in range(60): x[0] += x[0]\nf()":        `the sum would have 1048576 elements`,
	"def f():\n  x = 'x'\n  for i in range(60): x = '%s%s' % (x, x)\nf()":      `more than the limit of 1000000 characters`,
	"def f():\n  x = [1]\n  for i in range(60): x.extend(x + [])\nf()":         `the result of extend() would have`,
	"def f():\n  x = 'x'\n  for i in range(60): x = x.join([x, x])\nf()":       `the result of join() would have`,
	"def f():\n  x = 'x'\n  for i in range(60): x = x.replace('x', 'xx')\nf()": `the result of replace() would have`,
	"def f():\n  x = 'x'\n  for i in range(60): x = '{0}{0}'.format(x)\nf()":   `the result of format() would have`,
	"def f():\n  x = []\n  for i in range(60): x = [x, x]\n  print(x)\nf()":    `more than the limit of 1000000 characters`,
	"def f():\n  x = []\n  for i in range(600): x = [x]\n  return str(x)\nf()": `nested more than 100 deep`,
	"def f():\n  x = 3\n  for i in range(60): x = x * x\nf()":                  `the product has more than 30000 digits`,
	"def f():\n  while True: pass\nf()":                                        `1000000 steps to load`,
	"def f():\n  x = list(range(1000000))\n  while True: sorted(x)\nf()":       `1000000 steps to load`,
	"def f():\n  x = list(range(1000000))\n  while True: 1 in x\nf()":          `1000000 steps to load`,
	"x = " + strings.Repeat("(", 3000) + strings.Repeat(")", 3000):             `more than 100 brackets are open at once`,
	"x = " + strings.Repeat("-", 30000) + "1":                                  `one statement has more than 5000 operators`,
	"x = " + strings.Repeat("not ", 30000) + "1":                               `one statement has more than 5000 operators`,
	"x = 1" + strings.Repeat("+1", 30000):                                      `one statement has more than 5000 operators`,
	"x = 1" + strings.Repeat(" if 1 else 1", 10000):                            `one statement has more than 5000 operators`,
	"x = f" + strings.Repeat("()", 30000):                                      `one statement has more than 5000 operators`,
	strings.Repeat("if 1:\n  pass\nel", 2000) + "se: 1":                        `more than 1000 elif branches`,
	nestedBlocks(200):                      `more than 60 blocks are nested`,
	strings.Repeat("# a comment\n", 30000): `the text has 360000 bytes, more than the limit of 262144`,
	"x = 1\x00":                            `there is a zero byte`,
}

func nestedBlocks(n int) string {
	var b strings.Builder
	for i := range n {
		b.WriteString(strings.Repeat(" ", i) + "if True:\n")
	}
	return b.String() + strings.Repeat(" ", n) + "pass\n"
}

func TestNothingThatAFileBuildsIsBoundless(t *testing.T) {
	for text, want := range bombs {
		_, err := Load(Source{File: "s.star", Text: text}, LoadOptions{})
		require.ErrorContains(t, err, want, text[:min(len(text), 80)])
		require.IsType(t, (*Error)(nil), err)
		if strings.HasPrefix(want, "the text has") {
			continue
		}
		require.Regexp(t, `^s\.star:[0-9]+`, err.Error())
	}
}

func TestCheckedOperatorsKeepTheirMeaning(t *testing.T) {
	const text = `
def check(got, want):
    if got != want: fail("got %r, want %r" % (got, want))
def f():
    x = [1]
    y = x
    y += [2]
    check(x, [1, 2])                     # += changes a list in place
    y = y + [3]
    check(x, [1, 2])
    y *= 2
    check(y, [1, 2, 3, 1, 2, 3])
    d = {"a": [1], "n": 1}
    d["a"] += [2]
    d["n"] += 1
    d["n"] *= 5
    check(d, {"a": [1, 2], "n": 10})
    calls = []
    def which():
        calls.append(1)
        return 0
    z = [1, 2]
    z[which()] += 5                      # the left side is evaluated once
    check((z, len(calls)), ([6, 2], 1))
    check("a" + "b" * 3, "abbb")
    check(3 * [0], [0, 0, 0])
    check((1,) + (2,), (1, 2))
    check("%d-%s" % (1, "x"), "1-x")
    check(7 % 3, 1)
    s = "%s"
    s %= 5
    check(s, "5")
    check(", ".join(["a", "b"]), "a, b")
    check("aXa".replace("X", "-"), "a-a")
    check("{}-{n}".format(1, n = 2), "1-2")
    x.extend([9])
    check(x, [1, 2, 9])
    check(2 in x and 5 not in x and "a" in d and "b" in "abc", True)
    check([i for i in range(10) if i % 2 == 0], [0, 2, 4, 6, 8])
    check(list(range(10, 0, -3)), [10, 7, 4, 1])
    check(sorted([3, 1, 2], key = lambda v: -v), [3, 2, 1])
    check(dict([("a", 1)], b = 2), {"a": 1, "b": 2})
    check(1.5 * 2 + 1, 4.0)
    check([x for x in zip([1], [2])], [(1, 2)])
    check(str([1, "a"]), '[1, "a"]')
    check(int("12"), 12)
    check(set([1, 2]) == set([2, 1]), True)
f()
`
	_, err := Load(Source{File: "s.star", Text: text}, LoadOptions{})
	require.NoError(t, err)
}

func TestAnUnderstandableErrorForAWrongSum(t *testing.T) {
	_, err := Load(Source{File: "s.star", Text: "def f(x): return x + [1]\n\nf('a')"}, LoadOptions{})
	require.EqualError(t, err, "s.star:1:20: unknown binary op: string + list")
}
