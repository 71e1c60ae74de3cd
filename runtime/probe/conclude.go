package probe

import (
	"regexp"
	"strings"

	"ripple/schema"
)

// conclude writes down what the experiments showed.
func conclude(l *lab) {
	d, t := l.draft, &l.tongue
	d.set("process.tty", l.way.tty(), sure, 1, "the plainest terminal on which it answers as it should")
	if t.language.Family != "" {
		d.set("family", t.language.Family, likely, 3, "by its language")
	} else {
		d.set("family", string(schema.FamilyREPL), likely, 3, "it evaluates")
	}
	if l.way.ending != "\n" {
		d.set("process.line_ending", l.way.ending, sure, 2, "a line feed does not end a line")
	}
	concludePrompt(l)
	d.plain("output.strip_ansi", true)
	if l.echoes {
		d.set("output.input_echo_strategy", string(schema.EchoDeterministicByte), sure, 3, "what is typed comes back")
	} else {
		d.set("output.input_echo_strategy", string(schema.EchoNone), sure, 3, "what is typed does not come back")
	}
	concludeInput(l)
	concludeSamples(l)
}

// concludePrompt: from experiments 2 and 3.
func concludePrompt(l *lab) {
	d := l.draft
	switch {
	case l.trailing != "":
		d.set("prompt.primary", " ?"+regexp.QuoteMeta(strings.Trim(l.trailing, " \n"))+` *\n\z`, sure, 2,
			"it has no prompt, and each answer ends so")
		d.plain("ready.wait_for_event", "custom")
		d.set("ready.pattern", `[^\n]*\S[^\n]*\n\z`, likely, 2, "what it says before it first waits is not how it answers")
	case l.silent && l.tongue.found["print"] != "":
		concludeSilence(l)
	case l.silent:
		d.put("prompt.primary", `^\x00$`, "a stand-in that matches nothing: it has no prompt; docs/writing-an-adapter.md says how such a program is made to print one")
	case len(l.prompts.lines) == 0:
		d.put("prompt.primary", `^\x00$`, "a stand-in that matches nothing: the time was over before it was seen")
	default:
		p := l.prompts.learnt()
		why := "the line in which it waits"
		if p.counts {
			why += ", which counts"
		}
		d.set("prompt.primary", p.pattern, sure, 2, why)
	}
	if l.more != "" && d.find("prompt.continuation") == nil {
		d.set("prompt.continuation", learn([]string{l.more}).pattern, likely, 2, "what it shows after an empty line")
	}
}

// concludeSilence has a program without any prompt print one: at its start, and after each
// command. Its samples print a line, so the marker ends one.
func concludeSilence(l *lab) {
	d := l.draft
	printed := withText(l.tongue.found["print"], "{nonce}> ")
	d.set("ready.wait_for_event", "marker", sure, 2, "it has no prompt: it is made to print one")
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
	d.set("input.multiline_wrapper", []field{{"open", ""}, {"close", "\n" + printed}, {"trigger", "always"}}, sure, 3, "after each command the marker")
}

func concludeInput(l *lab) {
	d, t := l.draft, &l.tongue
	switch {
	case l.silent && t.found["print"] != "":
		d.plain("input.multiline_delivery", string(schema.DeliverWrapper))
	case t.load != "":
		d.set("input.multiline_delivery", string(schema.DeliverTempfile), sure, 3, "it runs a file")
		d.plain("input.tempfile", blockFile(l))
	case t.direct:
		d.set("input.multiline_delivery", string(schema.DeliverDirect), sure, 3, "a block can be typed line by line")
	default:
		d.unknown("input.multiline_delivery", "no block of several lines gave its result")
	}
}

func blockFile(l *lab) []field {
	return []field{{"prefix", ".ripple-exec-"}, {"extension", l.tongue.language.Extension}, {"invocation_template", l.tongue.load}}
}

// sampleKeys in the order in which a file has them.
var sampleKeys = []string{
	"print", "print_lines", "error", "busy", "sleep", "read_line", "multiline", "set_var", "get_var", "raw_bytes", "comment",
}

func concludeSamples(l *lab) {
	d, t := l.draft, &l.tongue
	if t.spelling == "" {
		d.unknown("probe.eval", "it did not answer 42 to any spelling of 6*7, see the evidence; a probe is code and the pattern of its output")
		return
	}
	d.set("probe.eval", t.spelling, sure, 3, "")
	d.plain("probe.expect", resultPattern(l, t.result.output))
	d.plain("capabilities.stateful", t.found["get_var"] != "")
	for _, key := range sampleKeys {
		if code := t.found[key]; key == "multiline" && stuck(l, code) {
			d.unknown("samples.multiline", quote(code)+" does what it should, and nothing that was tried takes back its first line alone")
		} else if code != "" {
			d.set("samples."+key, code, sure, 3, "")
		} else if len(t.language.Samples[key]) > 0 {
			d.unknown("samples."+key, "nothing that was tried did it")
		}
	}
	d.plain("tests", declaredTests(l))
}

// stuck says that the first line of a block, alone, is not taken back by anything that is
// known: a program that asks for the rest in its own silence does not even show that it does.
func stuck(l *lab, block string) bool {
	u := &l.unfinished
	return strings.Contains(block, "\n") && l.tongue.language.Brackets == nil && (l.silent || u.tried && u.escape == "")
}

// resultPattern is the line that holds 42, with any other number in the place of its others.
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

// declaredTests are the declared ones: what a person would try first.
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
