package ui

import (
	"strings"
	"testing"
	"time"

	"github.com/charmbracelet/x/ansi"
	"github.com/stretchr/testify/assert"

	"example.org/ripple/internal/testkit"
	"example.org/ripple/runtime/event"
)

func TestWrapLine(t *testing.T) {
	for _, tt := range []struct {
		line  string
		width int
		want  []string
	}{
		{"", 10, []string{""}},
		{"one two three", 20, []string{"one two three"}},
		{"one two three", 8, []string{"one two", "three"}},
		{"one two three", 7, []string{"one two", "three"}},
		{"one two   three", 8, []string{"one two", "three"}},
		{"a --max-cost b", 12, []string{"a --max-cost", "b"}},
		{"see a-very-long-word", 8, []string{"see", "a-very-l", "ong-word"}},
		{"- an item of a list", 10, []string{"- an item", "  of a", "  list"}},
		{"  - deeper down", 10, []string{"  - deeper", "    down"}},
		{"12. numbered item", 12, []string{"12. numbered", "    item"}},
		{"- [ ] a box to tick", 12, []string{"- [ ] a box", "      to", "      tick"}},
		{"- word-that-is-wider", 10, []string{"- word-tha", "  t-is-wid", "  er"}},
		{"  indented words here", 12, []string{"  indented", "  words here"}},
		{"日本語のテキスト", 7, []string{"日本語", "のテキ", "スト"}},
		{"ab 日本語 cd", 8, []string{"ab 日本", "語 cd"}},
		{"e\u0301e\u0301e\u0301 e\u0301", 3, []string{"e\u0301e\u0301e\u0301", "e\u0301"}},
		{"👩‍💻👩‍💻 x", 4, []string{"👩‍💻👩‍💻", "x"}},
		{"x", 0, []string{"x"}},
	} {
		assert.Equal(t, tt.want, wrapLine(tt.line, tt.width), "%q at %d", tt.line, tt.width)
	}
}

// Any text of an agent stays within the page, without control sequences, and no word of it is lost.
func FuzzPage(f *testing.F) {
	f.Add("- a list\n  with  words\n```go\nfunc x() {\n\treturn\n}\n```\n日本語 e\u0301 👩‍💻", 20)
	f.Add("---RALPH_STATUS---\nSTATUS: COMPLETE\nRECOMMENDATION: go\n---END_RALPH_STATUS---", 40)
	f.Add("\x1b]52;c;eA==\x07\x1b[2J\u009b31m\x00\r\n# "+strings.Repeat("long ", 50), 11)
	f.Fuzz(func(t *testing.T, text string, width int) {
		width = 10 + int(uint(width)%200)
		p := Page{Width: width}
		lines := p.Say(text)
		testkit.ScreenFits(t, strings.Join(lines, "\n"), width)
		if strings.Contains(text, "```") || strings.Contains(text, "RALPH_STATUS") {
			return
		}
		letters := func(s string) string { return strings.Join(strings.Fields(strings.ReplaceAll(s, "│", " ")), "") }
		assert.Equal(t, letters(Harmless(text)), letters(strings.Join(lines, "\n")))
	})
}

// A line of an answer that looks like a line of ripple is set off; any other line is unchanged.
func TestLinesThatLookLikeOursAreSetOff(t *testing.T) {
	p := Page{Width: 30}
	for text, want := range map[string]string{
		"ripple: the loop ends":                        "│ ripple: the loop ends",
		"  ✓ `make test`: ok":                          "│   ✓ `make test`: ok",
		"✓ done\nand more":                             "│ ✓ done\nand more",
		"── turn 3/100 ──":                             "│ ── turn 3/100 ──",
		"  ! the prompt is empty":                      "│   ! the prompt is empty",
		"   next: Write the tokenizer":                 "│    next: Write the tokenizer",
		"\u00a0\u00a0✓ ok":                             "│ \u00a0\u00a0✓ ok",
		"```\n  ✗ failed\nok\n```":                     "```\n│   ✗ failed\nok\n```",
		"The last line, that is wrapped ripple: ended": "│ The last line, that is\n│ wrapped ripple: ended",
		"# A title, which is wrapped, ✓ ok":            "│ # A title, which is\n│   wrapped, ✓ ok",
		"→ that way, ✓ or not\n· one":                  "→ that way, ✓ or not\n· one",
		"- ✓ an item\n  - ripple: one":                 "- ✓ an item\n  - ripple: one",
		"rippled: no\n✓done\n!important\n  !important": "rippled: no\n✓done\n!important\n  !important",
	} {
		assert.Equal(t, want, strings.Join(p.Say(text), "\n"), "%q", text)
	}
	colored := Page{Width: 30, Color: true}.Say("✓ ok")
	assert.Equal(t, []string{Dim + "│ " + reset + "✓ ok"}, colored)
}

func TestPassages(t *testing.T) {
	block := "---RALPH_STATUS---\nSTATUS: COMPLETE\nEXIT_SIGNAL: true\n---END_RALPH_STATUS---"
	done := map[string]string{"STATUS": "COMPLETE", "EXIT_SIGNAL": "true"}
	for _, tt := range []struct {
		name, answer string
		want         []passage
	}{
		{"nothing", "", nil},
		{"words", "I am at it.\n", []passage{{text: "I am at it."}}},
		{"a block", block, []passage{{status: done}}},
		{"both", "Done.\n\n" + block + "\n", []passage{{text: "Done."}, {status: done}}},
		{"in a fence", "Done.\n```\n" + block + "\n```\n", []passage{{text: "Done."}, {status: done}}},
		{"in the middle", "a\n" + block + "\nb", []passage{{text: "a"}, {status: done}, {text: "b"}}},
		{"CRLF", strings.ReplaceAll("Done.\n"+block, "\n", "\r\n"), []passage{{text: "Done."}, {status: done}}},
		{"without its end", "---RALPH_STATUS---\nSTATUS: COMPLETE", []passage{{text: "---RALPH_STATUS---\nSTATUS: COMPLETE"}}},
		{"empty", "---RALPH_STATUS---\n---END_RALPH_STATUS---", []passage{{status: map[string]string{}}}},
	} {
		assert.Equal(t, tt.want, passages(tt.answer), tt.name)
	}
}

func TestFolded(t *testing.T) {
	for _, tt := range []struct {
		values      map[string]string
		text, color string
	}{
		{map[string]string{}, "● no status", Cyan},
		{map[string]string{"STATUS": "IN_PROGRESS", "TASKS_COMPLETED_THIS_LOOP": "1", "FILES_MODIFIED": "3", "TESTS_STATUS": "PASSING", "EXIT_SIGNAL": "false", "RECOMMENDATION": "write more"}, "● in progress · 1 task · 3 files · tests passing · write more", Cyan},
		{map[string]string{"STATUS": "IN_PROGRESS", "TESTS_STATUS": "FAILING"}, "● in progress · tests failing", Magenta},
		{map[string]string{"STATUS": "COMPLETE", "EXIT_SIGNAL": "true", "TESTS_STATUS": "NOT_RUN"}, "✓ complete · wants to end", Green},
		{map[string]string{"STATUS": "BLOCKED", "RECOMMENDATION": "which key?"}, "■ blocked · which key?", Red},
		{map[string]string{"STATUS": "BLOCKED", "TESTS_STATUS": "FAILING"}, "■ blocked · tests failing", Red},
	} {
		text, color := folded(tt.values)
		assert.Equal(t, []string{tt.text, tt.color}, []string{text, color})
	}
}

// Results are matched to their tools, even if several run concurrently and some agents give no IDs.
func TestEndOf(t *testing.T) {
	a, b := &ToolUse{id: "a"}, &ToolUse{id: "b"}
	assert.Same(t, b, OpenTool([]*ToolUse{a, b}, "b"))
	assert.Same(t, a, OpenTool([]*ToolUse{a, b}, ""))
	assert.Nil(t, OpenTool([]*ToolUse{a, b}, "c"))
	b.End(event.Event{Type: event.ToolResult, IsError: true}, time.Now())
	assert.Nil(t, OpenTool([]*ToolUse{a, b}, "b"), "it has ended")
	assert.Equal(t, "no error message", b.said)
	assert.LessOrEqual(t, ansi.StringWidth(strings.Join(Page{Width: 20}.Tool(&ToolUse{Name: "Bash", What: strings.Repeat("日本", 40), took: 90 * time.Second}), "")), 20)
}
