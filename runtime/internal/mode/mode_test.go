package mode

import (
	"strings"
	"testing"

	"github.com/dlclark/regexp2"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"example.org/ripple/schema"
)

func TestMain(m *testing.M) {
	m.Run()
	regexp2.StopTimeoutClock()
}

func group(n int) *int { return &n }

var (
	python = []schema.Mode{
		{Name: "main", Primary: `^>>> $`, Default: true},
		{Name: "pdb", Primary: `^\(Pdb\+*\) $`, AutoEnter: true, Detect: `^> .*\(\d+\)`, ExitDetect: `^>>> $`},
	}
	sbcl = []schema.Mode{
		{Name: "toplevel", Primary: `^\* $`, Default: true},
		{Name: "debugger", Primary: `^(\d+)(?:\[\d+)?\] $`, AutoEnter: true, Nested: true, LevelCapture: group(1)},
	}
	sbclStack = []schema.Mode{
		{Name: "toplevel", Primary: `^\* $`, Default: true},
		{Name: "debugger", Primary: `^\d+(?:\[(\d+))?\] $`, AutoEnter: true, Nested: true, LevelCapture: group(1)},
	}
	iex = []schema.Mode{
		{Name: "main", Primary: `^{marker}iex\(\d+\)> $`, Default: true},
		{Name: "pry", Primary: `^pry\(\d+\)> $`, AutoEnter: true, Detect: `^Break reached:`, ExitDetect: `^{marker}iex\(\d+\)> $`},
	}
	announced = []schema.Mode{ // prompts that hooks announce are not in the text
		{Name: "main", Default: true},
		{Name: "debug", Detect: `^Entering debugger`, ExitDetect: `^Leaving debugger`, AutoEnter: true},
	}
	alike = []schema.Mode{ // two modes with one prompt
		{Name: "main", Primary: `^> $`, Default: true},
		{Name: "edit", Primary: `^> $`, Detect: `^editing`, ExitDetect: `^saved`},
	}
	loose = []schema.Mode{
		{Name: "main", Primary: `> $`, Default: true},
		{Name: "browse", Primary: `^Browse\[(\d+)\]> $`, AutoEnter: true, LevelCapture: group(1)},
	}
)

func TestDetect(t *testing.T) {
	cases := []struct {
		name    string
		modes   []schema.Mode
		current string
		text    string
		want    string
		level   *int
	}{
		{"the main prompt", python, "main", "5\n>>> ", "main", nil},
		{"a breakpoint", python, "main", "> <stdin>(1)<module>()\n-> x = 1\n(Pdb) ", "pdb", nil},
		{"still in the debugger", python, "pdb", "1\n(Pdb) ", "pdb", nil},
		{"post mortem of a post mortem", python, "pdb", "(Pdb++) ", "pdb", nil},
		{"left", python, "pdb", ">>> ", "main", nil},
		{"a prompt printed in mid-work", python, "main", "(Pdb) \n>>> ", "main", nil},
		{"an old prompt is not the end", python, "pdb", ">>> x\n(Pdb) ", "pdb", nil},
		{"detect does not outvote the prompt", python, "main", "> file(1)\n>>> ", "main", nil},
		{"detect alone does not open a mode with a prompt", python, "main", "> file(1)\n", "main", nil},
		{"no prompt at all", python, "pdb", "text", "main", nil},
		{"nothing", python, "main", "", "main", nil},

		{"the top level", sbcl, "toplevel", "3\n* ", "toplevel", nil},
		{"first error", sbcl, "toplevel", "debugger invoked on a DIVISION-BY-ZERO\n\n0] ", "debugger", group(0)},
		{"second error", sbcl, "debugger", "debugger invoked\n\n0[2] ", "debugger", group(0)},
		{"a higher number", sbcl, "debugger", "1] ", "debugger", group(1)},
		{"stacked: the first level has no number", sbclStack, "toplevel", "0] ", "debugger", group(0)},
		{"stacked: the second has", sbclStack, "debugger", "0[2] ", "debugger", group(2)},
		{"aborted", sbcl, "debugger", "* ", "toplevel", nil},

		{"pry", iex, "main", "Break reached: Foo.bar/1 (iex:3)\n\npry(1)> ", "pry", nil},
		{"pry goes on", iex, "pry", "pry(2)> ", "pry", nil},
		{"out of pry", iex, "pry", ":ok\n@[1]+iex(4)> ", "main", nil},
		{"a marker is literal text", iex, "pry", "@1iex(4)> ", "main", nil},

		{"announced", announced, "main", "Entering debugger\n", "debug", nil},
		{"it lasts", announced, "debug", "1\n", "debug", nil},
		{"until it is left", announced, "debug", "Leaving debugger\n", "main", nil},
		{"left and entered again", announced, "debug", "Leaving debugger\nEntering debugger\n", "debug", nil},
		{"entered and left at once", announced, "main", "Entering debugger\nLeaving debugger\n", "main", nil},

		{"one prompt for two modes", alike, "main", "> ", "main", nil},
		{"detect decides", alike, "main", "editing\n> ", "edit", nil},
		{"the mode before decides", alike, "edit", "> ", "edit", nil},
		{"until it is left", alike, "edit", "saved\n> ", "main", nil},

		{"the longest prompt wins", loose, "main", "Called from: f()\nBrowse[2]> ", "browse", group(2)},
		{"and the loose one remains", loose, "browse", "> ", "main", nil},

		{"no modes", nil, "", "> ", "", nil},
		{"only modes that are entered by accident", python[1:], "", ">>> ", "", nil},
		{"a mode that was removed", python, "gone", "x\n>>> ", "main", nil},
	}
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			d, err := New(c.modes, map[string]string{"marker": "@[1]+"})
			require.NoError(t, err)
			got, err := d.Detect(c.current, c.text)
			require.NoError(t, err)
			assert.Equal(t, State{c.want, c.level}, got)
		})
	}
}

func TestOnlyTheEndOfALongTextCounts(t *testing.T) {
	d, err := New(announced, nil)
	require.NoError(t, err)
	got, err := d.Detect("main", "Entering debugger\n"+strings.Repeat("ä", maxText))
	require.NoError(t, err)
	assert.Equal(t, "main", got.Name)
	got, err = d.Detect("main", strings.Repeat("x\n", maxText)+"Entering debugger\n")
	require.NoError(t, err)
	assert.Equal(t, "debug", got.Name)
}

func TestLevelsThatAreNotNumbers(t *testing.T) {
	for _, c := range []struct {
		nested bool
		text   string
		want   *int
	}{{true, "a] ", nil}, {true, "] ", group(0)}, {false, "] ", nil}, {true, "99999999999999999999] ", nil}, {true, "07] ", group(7)}, {true, ">] ", group(1)}, {true, ">>>] ", group(3)}, {true, "»»] ", group(2)}, {true, ">»] ", nil}, {false, ">>] ", nil}} {
		d, err := New([]schema.Mode{{Name: "m", Primary: `^([^]]*)\] $`, Nested: c.nested, LevelCapture: group(1)}}, nil)
		require.NoError(t, err)
		got, err := d.Detect("", c.text)
		require.NoError(t, err)
		assert.Equal(t, State{"m", c.want}, got, c.text)
	}
}

func TestBoundariesAreThePromptsOfAllModes(t *testing.T) {
	d, err := New(append([]schema.Mode{{Name: "none", Detect: "x"}}, iex...), map[string]string{"marker": "m."})
	require.NoError(t, err)
	var got [][3]string
	for _, b := range d.Boundaries() {
		got = append(got, [3]string{b.Mode, b.Key, b.Source})
	}
	assert.Equal(t, [][3]string{{"main", "modes[1].primary", `^m\.iex\(\d+\)> $`}, {"pry", "modes[2].primary", `^pry\(\d+\)> $`}}, got)
}

func TestDefaultAndAutoEnter(t *testing.T) {
	d, err := New(python, nil)
	require.NoError(t, err)
	assert.Equal(t, "main", d.Default())
	assert.True(t, d.AutoEnter("pdb"))
	assert.False(t, d.AutoEnter("main"))
	assert.False(t, d.AutoEnter("gone"))

	d, err = New([]schema.Mode{{Name: "trap", AutoEnter: true}, {Name: "first"}, {Name: "second"}}, nil)
	require.NoError(t, err)
	assert.Equal(t, "first", d.Default(), "none is declared")
}

func TestErrorsNameTheKey(t *testing.T) {
	_, err := New([]schema.Mode{{Name: "a"}, {Name: "b", Detect: "("}}, nil)
	require.ErrorContains(t, err, "modes[1].detect: ")

	evil := `^(a+)+$`
	for key, m := range map[string]schema.Mode{
		"primary": {Name: "m", Primary: evil}, "detect": {Name: "m", Detect: evil}, "exit_detect": {Name: "m", ExitDetect: evil},
	} {
		d, err := New([]schema.Mode{m}, nil)
		require.NoError(t, err)
		for _, p := range []*pattern{d.modes[0].primary, d.modes[0].detect, d.modes[0].exit} {
			if p != nil {
				p.re.MatchTimeout = 1 // the real limit would make the test slow
			}
		}
		_, err = d.Detect("", "!"+strings.Repeat("a", 3000))
		require.ErrorContains(t, err, "modes[0]."+key+": matching took longer than")
	}
}

func FuzzDetect(f *testing.F) {
	for _, text := range []string{"0[2] ", "(Pdb) ", "Break reached:\npry(1)> ", "\xff\n>>> ", "editing\n> "} {
		f.Add("pdb", text)
	}
	var detectors []*Detector
	for _, modes := range [][]schema.Mode{python, sbcl, iex, announced, alike, loose} {
		d, err := New(modes, nil)
		require.NoError(f, err)
		detectors = append(detectors, d)
	}
	f.Fuzz(func(t *testing.T, current, text string) {
		for _, d := range detectors {
			got, err := d.Detect(current, text)
			if err != nil {
				t.Fatal(err)
			}
			known := false
			for _, m := range d.modes {
				known = known || m.Name == got.Name
			}
			if !known || got.Level != nil && *got.Level < 0 {
				t.Fatalf("%+v", got)
			}
			// Earlier lines of output never change what the prompt says.
			if again, err := d.Detect(current, "line\n"+text); err != nil || again.Name != got.Name {
				t.Fatalf("%+v became %+v, %v", got, again, err)
			}
		}
	})
}
