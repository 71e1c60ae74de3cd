package probe

import (
	"context"
	"regexp"
	"slices"
	"strings"
)

// failing is how the program reacts to errors.
type failing struct {
	outputs []string // printed by errors
	prompts []string // lines in which it waited afterwards, if that is not its prompt: after one error, two, three
	exit    string   // returns from that prompt
	all     bool     // from every level at once
}

// findErrors is experiment 5: the output of errors, and whether they lead to another prompt.
func findErrors(ctx context.Context, l *lab) error {
	l.log.experiment(5, "errors")
	t := &l.tongue
	for _, code := range append(slices.Clone(t.language.Samples["error"]), t.language.Wrong...) {
		a, err := l.eval(ctx, code)
		if err != nil {
			return err
		}
		elsewhere := a.idle() && !isExactPrompt(l, a.reply)
		l.atPrompt = l.atPrompt && !elsewhere
		if strings.TrimSpace(a.output) == "" || !a.idle() {
			continue
		}
		if elsewhere && (isMore(l, a.last()) || a.last() == "") {
			continue
		}
		l.failing.outputs = append(l.failing.outputs, a.output)
		if t.found["error"] == "" && slices.Contains(t.language.Samples["error"], code) {
			t.found["error"] = code
		}
		if elsewhere && l.failing.prompts == nil {
			if err := findMode(ctx, l, code, a.last()); err != nil {
				return err
			}
		}
	}
	concludeErrors(l)
	return nil
}

func isMore(l *lab, line string) bool {
	return slices.ContainsFunc(l.unfinished.shown, func(s string) bool { return skeleton(s) == skeleton(line) })
}

// passes reports whether an evaluation at the prompt of an error leads back to the usual prompt:
// then it is not a mode.
func passes(ctx context.Context, l *lab) bool {
	r := l.sendLine(ctx, l.tongue.spelling)
	l.atPrompt = isExactPrompt(l, r) && fortyTwo().MatchString(withoutEcho(r.text(), l.tongue.spelling))
	return l.atPrompt
}

// findMode examines an error that leads to another prompt: whether further errors lead deeper.
func findMode(ctx context.Context, l *lab, code, prompt string) error {
	if passes(ctx, l) {
		l.prompts.others = append(l.prompts.others, prompt)
		l.log.say("an error shows in the prompt, %q, until something succeeds", prompt)
		return ctx.Err()
	}
	f := &l.failing
	f.prompts = []string{prompt}
	for range 2 {
		r := l.sendLine(ctx, code)
		if !r.idle() || r.last() == "" {
			break
		}
		f.prompts = append(f.prompts, r.last())
	}
	l.log.say("an error leads to another prompt: %q", f.prompts)
	exits := append(slices.Clone(l.tongue.language.Exits), "q", "quit", ":q", "abort", "exit", "c", "", ctrlD)
	for i, exit := range exits {
		l.atPrompt = false
		if err := l.ready(ctx); err != nil {
			return err
		}
		l.sendLine(ctx, code)
		r := l.sendLine(ctx, exit)
		if ctx.Err() != nil {
			return ctx.Err()
		}
		if l.atPrompt = isExactPrompt(l, r); !l.atPrompt {
			continue
		}
		f.exit = exits[i]
		l.sendLine(ctx, code)
		l.sendLine(ctx, code)
		f.all = isExactPrompt(l, l.sendLine(ctx, exit))
		l.log.say("%q leaves it; all levels at once: %v", exit, f.all)
		break
	}
	l.atPrompt = false
	return nil
}

// concludeErrors sets the modes and the pattern of errors.
func concludeErrors(l *lab) {
	d, f := l.draft, &l.failing
	if f.prompts != nil {
		pattern, level := modePattern(f.prompts)
		effect := "unwind_one_level"
		if f.all {
			effect = "return_to_toplevel"
		}
		mode := []field{{"name", "debugger"}, {"auto_enter", true}, {"primary", pattern}}
		if level {
			mode = append(mode, field{"nested", true}, field{"level_capture", 1})
		}
		if f.exit != "" {
			mode = append(mode, field{"exit_commands", []any{[]field{{"command", f.exit}, {"effect", effect}}}})
		}
		d.set("modes", []any{[]field{{"name", "main"}, {"default", true}}, mode}, sure, 5, "an error leads to another prompt")
		d.set("capabilities.auto_modes", true, sure, 5, "")
	}
	pattern := errorPattern(f.outputs, l.good)
	if pattern == "" {
		d.unknown("output.error_pattern", "no text occurs in the output of all errors and in no other output")
		if f.prompts == nil {
			delete(l.tongue.found, "error")
		}
		return
	}
	d.set("output.error_pattern", pattern, likely, 5, "printed by errors, and not by successful commands")
}

// modePattern returns the pattern of a debugger's prompts, and whether a number in them is the
// level. The outermost prompt may lack the number.
func modePattern(prompts []string) (pattern string, level bool) {
	first, rest := prompts[:1], prompts[1:]
	if len(rest) == 0 || skeleton(rest[0]) == skeleton(first[0]) {
		l := learn(prompts)
		return l.pattern, l.counts
	}
	deeper := learn(rest)
	return "^(?:" + inner(learn(first).pattern) + "|" + inner(deeper.pattern) + ")$", deeper.counts
}

// looks are patterns of errors that many languages share, the simplest first.
var looks = []string{
	`^Traceback \(most recent call last\):`,
	`^Uncaught\b`,
	`^\*\*\* `,
	`^(?:\w+\.)*\w*(?:Error|Exception)\b`,
	`^(?i:\W*error)\b`,
	`^(?:\S+: ?)+(?i:(?:\w+ )?error)\b`,
	`^(?i:fatal|exception|undefined|unknown|invalid|bad)\b`,
	`^\S+: (?:\d+: |line \d+: )?.*(?i:not found|no such|cannot|can't)\b`,
	`(?i)\berror\b`,
	`(?i)\bexception\b`,
}

// errorPattern returns a pattern that matches the outputs of errors, each of them if possible, and
// none of the good ones.
func errorPattern(bad, good []string) string {
	var chosen []string
	left := slices.Clone(bad)
	candidates := slices.Clone(looks)
	if p := commonBeginning(bad); p != "" {
		candidates = append([]string{p}, candidates...)
	}
	for _, b := range bad {
		candidates = append(candidates, ownBeginning(b))
	}
	for _, c := range candidates {
		re, err := regexp.Compile("(?m)" + c)
		if c == "" || err != nil || slices.ContainsFunc(good, re.MatchString) {
			continue
		}
		rest := slices.DeleteFunc(slices.Clone(left), re.MatchString)
		if len(rest) < len(left) {
			chosen, left = append(chosen, c), rest
		}
	}
	return strings.Join(chosen, "|")
}

// commonBeginning returns the longest common prefix of the first lines of all errors.
func commonBeginning(bad []string) string {
	if len(bad) < 2 {
		return ""
	}
	common := firstLine(bad[0])
	for _, b := range bad[1:] {
		line := firstLine(b)
		n := 0
		for n < min(len(common), len(line)) && common[n] == line[n] {
			n++
		}
		common = common[:n]
	}
	if common = strings.ToValidUTF8(strings.TrimRight(common, `'"0123456789`), ""); len(strings.TrimSpace(common)) < 3 {
		return ""
	}
	return "^" + regexp.QuoteMeta(common)
}

// ownBeginning returns the beginning of an error's first line, up to the part that is specific to
// this error.
func ownBeginning(output string) string {
	line := firstLine(output)
	if at := strings.IndexAny(line, "'\"`0123456789:(<["); at >= 0 {
		line = line[:at]
	}
	if len(strings.TrimSpace(line)) < 4 {
		return ""
	}
	return "^" + regexp.QuoteMeta(line)
}

func firstLine(output string) string {
	for line := range strings.Lines(output) {
		if line = strings.TrimRight(line, "\r\n"); strings.TrimSpace(line) != "" {
			return line
		}
	}
	return ""
}
