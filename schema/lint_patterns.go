package schema

import (
	"fmt"
	"slices"
	"strings"
	"time"
	"unicode"

	"github.com/dlclark/regexp2"
	"gopkg.in/yaml.v3"

	"example.org/ripple/internal/lazyregexp"
)

// ordinary is text that programs print in mid-work. No line of it is a prompt.
var ordinary = []string{
	"hello", "42", "3.14", "x = 1", "a b c", "Error: no such file", "[1, 2, 3]", "drwxr-xr-x 2 root root 4096",
	"{\"key\": \"value\"}", "100%", "done.", "a > b", "$ 5", "# heading", "foo:", "yes", "--", "(nil)",
}

// lintPrompts looks at the patterns that end a command.
func lintPrompts(d *document, a *Adapter) {
	prompts := map[string]string{"/prompt/primary": a.Prompt.Primary, "/prompt/continuation": a.Prompt.Continuation}
	if a.Prompt.Strategy == PromptShellIntegration || a.Init.Marker != nil && a.Prompt.Strategy == PromptMarker {
		delete(prompts, "/prompt/primary") // it does not end a command then
	}
	for i, m := range a.Modes {
		prompts[indexed("/modes", i)+"/primary"] = m.Primary
	}
	if re, err := CompilePattern(a.Prompt.Continuation); err == nil && a.Prompt.Continuation != "" && matches(re, "") {
		delete(prompts, "/prompt/continuation") // it stands for silence
		if a.Process.TTY.Echo {
			d.warn("/prompt/continuation", KindMismatch,
				"prompt.continuation matches empty text, which means that the program prints nothing while it waits for more input: an echo would be output, so set process.tty.echo: false")
		}
	}
	for pointer, pattern := range prompts {
		if pattern != "" {
			lintPrompt(d, pointer, pattern)
		}
	}
	for pointer, pattern := range map[string]string{"/output/error_pattern": a.Output.ErrorPattern, "/ready/pattern": a.Ready.Pattern, "/input/secret_pattern": a.Input.SecretPattern} {
		if re, err := CompilePattern(pattern); err == nil && pattern != "" && matches(re, "") {
			d.warn(pointer, KindLoose, "%s matches empty text, so it always matches", keyName(pointer))
		}
	}
	lintContinuation(d, a)
}

// lintContinuation: what asks for more of a command, and the way out of it.
func lintContinuation(d *document, a *Adapter) {
	p := a.Prompt
	wrapped := a.Input.MultilineWrapper != nil && a.Input.MultilineWrapper.Trigger == "always" && a.Input.BalancedParens != nil
	known := wrapped || p.Continuation != "" || p.Strategy == PromptShellIntegration || a.Init.Marker != nil && a.Init.Marker.Continuation != ""
	if p.ContinuationEscape != "" && !known {
		d.warn("/prompt/continuation_escape", KindMismatch,
			"prompt.continuation_escape has no effect without prompt.continuation or init.marker.continuation")
	}
	if p.Continuation != "" && p.ContinuationEscape == "" && a.Signals.Interrupt == nil && a.Signals.EOF == nil {
		d.warn("/prompt/continuation", KindMismatch,
			"ripple cannot leave prompt.continuation: set prompt.continuation_escape or signals.interrupt")
	}
}

func lintPrompt(d *document, pointer, pattern string) {
	re, err := CompilePattern(pattern)
	if err != nil {
		return // a file with a bad pattern does not get here
	}
	if matches(re, "") {
		d.warn(pointer, KindLoose, "the prompt pattern matches empty text, which is never taken for a prompt: a prompt has at least one character")
	}
	lintLines(d, pointer, pattern)
	if strings.Contains(pattern, `\r\n`) || strings.Contains(pattern, "\r\n") {
		d.warn(pointer, KindImpossible, `\r\n in the prompt pattern never matches: a line break of the program is \n in it`)
	}
	for _, line := range ordinary {
		if matchesText(re, line) || matchesText(re, line+"\n") {
			d.warn(pointer, KindLoose, "the prompt pattern matches ordinary output such as %q", line)
			return
		}
	}
	if hasControl(pattern) {
		return // a marker byte is better than an anchor
	}
	if !startAnchor().MatchString(pattern) {
		d.warn(pointer, KindLoose, "the prompt pattern is not anchored at the start of the line; begin it with ^")
	} else if !endAnchor().MatchString(pattern) {
		d.warn(pointer, KindLoose, "the prompt pattern is not anchored at the end; close it with $")
	}
}

// lintLines: a prompt that takes more line breaks than it has takes those of the output.
func lintLines(d *document, pointer, pattern string) {
	named := excludingClass().ReplaceAllString(pattern, "")
	switch {
	case repeatedBreak().MatchString(named):
		d.warn(pointer, KindLoose, "the prompt pattern repeats a line break, so that blank lines at the end of the output become part of the prompt; write as many as the prompt has")
	case strings.Contains(named, `\s`):
		d.warn(pointer, KindLoose, `\s in the prompt pattern matches a line break too; where a blank is meant, write one`)
	}
}

var (
	excludingClass = lazyregexp.New(`\[\^[^\]]*\]`)
	repeatedBreak  = lazyregexp.New(`(?:\\n|\n)(?:[+*]|\{\d+,)`)
)

var (
	startAnchor = lazyregexp.New(`^(\(\?[a-z]+\)|\((\?:|\?<\w+>)?)*(\^|\\A|\(\?<=)`)
	endAnchor   = lazyregexp.New(`(\$|\\z|\\Z)\)*$`)
	controlForm = lazyregexp.New(`\\(x[01][0-9a-fA-F]|u00[01][0-9a-fA-F]|c[A-Za-z]|e)`)
)

func hasControl(pattern string) bool {
	return strings.ContainsFunc(pattern, unicode.IsControl) || controlForm().MatchString(pattern)
}

// matches reports whether a pattern is found; lintSlow reports a pattern that exceeds the
// limit.
func matches(re *regexp2.Regexp, text string) bool {
	ok, err := re.MatchString(text)
	return ok && err == nil
}

// matchesText reports whether a pattern matches a part of text that is not empty.
func matchesText(re *regexp2.Regexp, text string) bool {
	m, err := re.FindStringMatch(text)
	for err == nil && m != nil && m.Length == 0 {
		m, err = re.FindNextMatch(m)
	}
	return err == nil && m != nil
}

func lintMarker(d *document, a *Adapter) {
	m := a.Init.Marker
	if m == nil || !a.Process.TTY.Echo || !a.Process.TTY.Canonical {
		return // no line editor draws the prompt of a program run like this
	}
	for pointer, text := range map[string]string{"/init/marker/primary": m.Primary, "/init/marker/continuation": m.Continuation} {
		if strings.ContainsRune(text, '\x01') {
			d.warn(pointer, KindMarkerByte, `\x01 in a prompt is swallowed by GNU readline, libedit and haskeline; use \x1e or an OSC sequence`)
		}
	}
}

// slowLimit is far above what a sound pattern takes on the text below.
const slowLimit = 250 * time.Millisecond

// lintSlow tries each pattern on text made to set off backtracking.
func lintSlow(d *document, _ *Adapter) {
	validation{d}.eachFormat(rootKeys(), d.root, "", func(pointer string, k jsonObject, n *yaml.Node) {
		var re *regexp2.Regexp
		var err error
		switch k["format"] {
		case "pattern":
			re, err = CompilePattern(n.Value)
		case "expect-pattern":
			re, err = CompilePattern(n.Value, regexp2.Singleline)
		default:
			return
		}
		if err != nil {
			return // a file with a bad pattern does not get here
		}
		re.MatchTimeout = slowLimit
		for _, text := range hostile(n.Value) {
			if _, err := re.MatchString(text); err != nil {
				d.warn(pointer, KindSlow, "the pattern takes too long on text such as %q repeated; nested repetitions are the usual cause", string([]rune(text)[:4]))
				return
			}
		}
	})
}

// hostileLength is enough for exponential backtracking to run for years, and
// too little for quadratic work to be noticed.
const hostileLength = 64

// hostile returns long repetitions of characters that a pattern may repeat,
// each with an end that makes a match fail late.
func hostile(pattern string) []string {
	units := []string{"a", "1", " ", "a ", "a1 ", "ab", "a.", "\n", "a\n"}
	for _, r := range pattern {
		if u := string(r); len(units) < 40 && unicode.IsPrint(r) && !slices.Contains(units, u) {
			units = append(units, u)
		}
	}
	texts := make([]string, len(units))
	for i, u := range units {
		texts[i] = strings.Repeat(u, hostileLength) + "\x00"
	}
	return texts
}

// lintPlaceholders reports `{names}` that are nearly those of a placeholder.
// Anything else in braces may be code of the adapter's language.
func lintPlaceholders(d *document, a *Adapter) {
	texts := map[string]string{
		"/init/init_invocation_template": a.Init.InitInvocationTemplate,
		"/process/prompt_template":       a.Process.PromptTemplate,
		"/capabilities/cd_command":       a.Capabilities.CdCommand,
		"/init/script":                   a.Init.Script,
		"/integration_script":            a.IntegrationScript,
	}
	if m := a.Init.Marker; m != nil {
		texts["/init/marker/primary"], texts["/init/marker/continuation"] = m.Primary, m.Continuation
	}
	if t := a.Input.Tempfile; t != nil {
		texts["/input/tempfile/invocation_template"] = t.InvocationTemplate
	}
	for name, value := range a.Process.Env {
		texts["/process/env/"+escape(name)] = value
	}
	for i, text := range a.Process.Args {
		texts[fmt.Sprintf("/process/args/%d", i)] = text
	}
	for pointer, text := range texts {
		for _, m := range placeholder().FindAllString(text, -1) {
			name := strings.Trim(m, "{}")
			if slices.Contains(placeholderNames, name) {
				continue
			}
			if best := Nearest(name, placeholderNames); !strings.HasPrefix(m, "$") && len(name) > 3 && len(best) > 0 {
				d.warn(pointer, KindPlaceholder, "{%s} is not a placeholder (did you mean {%s}?)", name, best[0])
			}
		}
	}
}
