package probe

import (
	"regexp"
	"strings"

	"example.org/ripple/schema"
)

// conclude adds the keys that follow from the experiments to the draft.
func conclude(l *lab) {
	d, t := l.draft, &l.tongue
	d.set("process.tty", l.way.tty(), sure, 1, "the simplest terminal on which the program answers correctly")
	if t.language.Family != "" {
		d.set("family", t.language.Family, likely, 3, "follows from its language")
	} else {
		d.set("family", string(schema.FamilyREPL), likely, 3, "the program evaluates expressions")
	}
	if l.way.ending != "\n" {
		d.set("process.line_ending", l.way.ending, sure, 2, "a line feed does not end a line")
	}
	concludePrompt(l)
	d.plain("output.strip_ansi", true)
	if l.echoes {
		d.set("output.input_echo_strategy", string(schema.EchoDeterministicByte), sure, 3, "input is echoed")
	} else {
		d.set("output.input_echo_strategy", string(schema.EchoNone), sure, 3, "input is not echoed")
	}
	concludeInput(l)
	concludeSamples(l)
}

// concludePrompt sets the prompt's keys from experiments 2 and 3.
func concludePrompt(l *lab) {
	d := l.draft
	switch {
	case l.trailing != "":
		d.set("prompt.primary", " ?"+regexp.QuoteMeta(strings.Trim(l.trailing, " \n"))+` *\n\z`, sure, 2,
			"the program has no prompt; each answer ends like this")
		d.plain("ready.wait_for_event", "custom")
		d.set("ready.pattern", `[^\n]*\S[^\n]*\n\z`, likely, 2, "the output before the first wait differs from the output after an answer")
	case l.silent && l.tongue.found["print"] != "":
		makePrompt(l)
	case l.silent:
		d.put("prompt.primary", `^\x00$`, "a placeholder that matches nothing: the program has no prompt; docs/writing-an-adapter.md explains how to make such a program print one")
	case len(l.prompts.lines) == 0:
		d.put("prompt.primary", `^\x00$`, "a placeholder that matches nothing: no prompt was seen within the time limit")
	default:
		p := l.prompts.pattern()
		why := "the line in which the program waits"
		if p.counts {
			why += "; it contains a number that increases"
		}
		d.set("prompt.primary", p.pattern, sure, 2, why)
	}
	if l.more != "" && d.find("prompt.continuation") == nil {
		d.set("prompt.continuation", learn([]string{l.more}).pattern, likely, 2, "the program prints this after an empty line")
	}
}

// makePrompt makes a program without a prompt print one: at its start and after each command.
// Its samples print a line, so the marker ends one.
func makePrompt(l *lab) {
	d := l.draft
	printed := withText(l.tongue.found["print"], "{nonce}> ")
	d.set("ready.wait_for_event", "marker", sure, 2, "the program has no prompt of its own: this makes it print one")
	for _, key := range []string{"settle_before_inject_ms", "output_settled_min_ms"} {
		d.plain("ready."+key, 0)
	}
	d.plain("ready.output_settled_stable_ms", 50)
	d.plain("ready.output_settled_max_ms", 10_000)
	d.plain("init.strategy", "marker")
	d.plain("init.delivery", "pty_inject")
	d.plain("init.script", printed)
	d.plain("init.init_invocation_template", printed)
	d.plain("init.marker", []field{{"primary", "{nonce}> \r\n"}})
	d.plain("prompt.strategy", "marker")
	d.drop("prompt.primary")
	d.set("input.multiline_wrapper", []field{{"open", ""}, {"close", "\n" + printed}, {"trigger", "always"}}, sure, 3, "a marker after each command")
}

func concludeInput(l *lab) {
	d, t := l.draft, &l.tongue
	switch {
	case l.silent && t.found["print"] != "":
		d.plain("input.multiline_delivery", string(schema.DeliverWrapper))
	case t.load != "":
		d.set("input.multiline_delivery", string(schema.DeliverTempfile), sure, 3, "the program can run a file")
		d.plain("input.tempfile", blockFile(l))
	case t.direct:
		d.set("input.multiline_delivery", string(schema.DeliverDirect), sure, 3, "a block can be typed line by line")
	default:
		d.unknown("input.multiline_delivery", "no way of sending a block of several lines produced its result")
	}
}

func blockFile(l *lab) []field {
	return []field{{"prefix", ".ripple-exec-"}, {"extension", l.tongue.language.Extension}, {"invocation_template", l.tongue.load}}
}

// sampleKeys are the keys of samples in the order of an adapter file.
var sampleKeys = []string{
	"print", "print_lines", "error", "busy", "sleep", "read_line", "multiline", "set_var", "get_var", "raw_bytes", "comment",
}

func concludeSamples(l *lab) {
	d, t := l.draft, &l.tongue
	if t.spelling == "" {
		d.unknown("probe.eval", "no spelling of 6*7 was answered with 42 (see the evidence); write code for probe.eval and a pattern of its output for probe.expect")
		return
	}
	d.set("probe.eval", t.spelling, sure, 3, "")
	d.plain("probe.expect", resultPattern(l, t.result.output))
	d.plain("capabilities.stateful", t.found["get_var"] != "")
	for _, key := range sampleKeys {
		if code := t.found[key]; key == "multiline" && cannotWithdraw(l, code) {
			d.unknown("samples.multiline", quote(code)+"works, but after its first line alone, nothing that was tried returns to the prompt")
		} else if code != "" {
			d.set("samples."+key, code, sure, 3, "")
		} else if len(t.language.Samples[key]) > 0 {
			d.unknown("samples."+key, "nothing that was tried worked")
		}
	}
	d.plain("tests", declaredTests(l))
}

// cannotWithdraw reports whether nothing known takes back the first line of a block that was sent alone: a
// program with a silent continuation does not even show that it waits for more.
func cannotWithdraw(l *lab, block string) bool {
	u := &l.unfinished
	return strings.Contains(block, "\n") && l.tongue.language.Brackets == nil && (l.silent || u.tried && u.escape == "")
}

// resultPattern returns a pattern for the line that holds 42, with any number in place of its other
// numbers.
func resultPattern(l *lab, output string) string {
	for line := range strings.Lines(output) {
		line = strings.TrimSpace(line)
		if !fortyTwo().MatchString(line) {
			continue
		}
		at := fortyTwo().FindStringIndex(line)
		from := at[0] + strings.Index(line[at[0]:], "42")
		numbers := func(s string) string { return number().ReplaceAllString(regexp.QuoteMeta(s), `\d+`) }
		return "^" + numbers(line[:from]) + "42" + numbers(line[from+2:]) + "$"
	}
	return `\b42\b`
}

// declaredTests returns the adapter's own tests: commands that a user would try first.
func declaredTests(l *lab) []any {
	t := &l.tongue
	pattern := resultPattern(l, t.result.output)
	list := []any{[]field{{"name", "arithmetic"}, {"eval", t.spelling}, {"expect", pattern}}}
	nine := strings.ReplaceAll(t.spelling, "7", "9")
	list = append(list, []field{{"name", "arithmetic again"}, {"eval", nine}, {"expect", strings.ReplaceAll(pattern, "42", "54")}})
	if set, get := t.found["set_var"], t.found["get_var"]; set != "" {
		list = append(list, []field{{"name", "keeps variables"}, {"setup", withNumber(set, 42)}, {"eval", get}, {"expect", "42"}})
	}
	if code := t.found["print"]; code != "" {
		list = append(list, []field{{"name", "prints"}, {"eval", withText(code, "hello")}, {"expect", "(?m)^hello *$"}})
	}
	if code := t.found["error"]; code != "" {
		list = append(list, []field{{"name", "reports errors"}, {"isolated", true}, {"eval", code}, {"expect_error", true}})
	}
	return list
}
