package probe

import (
	"slices"
	"strings"

	"example.org/ripple/runtime/contract"
	"example.org/ripple/schema"
)

// variation is another attempt at the keys that a failed test is about.
type variation struct {
	what  string
	apply func(d *draft)
}

// lastResort maps tests to the samples that an adapter can do without: an omitted sample is not
// declared, and the report marks the test as not applicable.
var lastResort = map[string][]string{
	"state persists":                      {"samples.multiline", "samples.set_var"},
	"a multi-line block":                  {"samples.multiline"},
	"usable after an error":               {"samples.error"},
	"reports errors":                      {"samples.error"},
	"modes are reached and left":          {"modes"},
	"empty and comment-only input":        {"samples.comment"},
	"characters arrive as printed":        {"samples.raw_bytes"},
	"leading blanks and blank lines stay": {"samples.raw_bytes"},
	"1 MB of output":                      {"samples.print_lines"},
	"a block of 24 KB in":                 {"samples.multiline"},
	"half a block":                        {"samples.multiline"},
	"prompt look-alike in mid-work":       {"samples.sleep"},
	"forged OSC 633":                      {"samples.raw_bytes"},
	"timeout, interrupt, usable":          {"samples.busy"},
	"reading a line is reported":          {"samples.read_line"},
}

// doWithout leaves out the samples of a failed test.
func doWithout(l *lab, failed *contract.TestResult) bool {
	for _, path := range lastResort[failed.Name] {
		if e := l.draft.find(path); e == nil || e.value == nil {
			continue
		}
		why := "the test failed"
		if failed.Failure != nil {
			why = failed.Failure.Message
		}
		value := l.draft.text(path)
		l.draft.unknown(path, "tried "+quote(shortened(value))+", and the contract test "+quote(failed.Name)+" failed: "+shortened(why))
		if path == "samples.error" || path == "modes" {
			withoutTest(l, "reports errors")
		}
		if path == "modes" {
			l.draft.drop("capabilities.auto_modes")
		}
		return true
	}
	return false
}

// withoutTest removes a declared test.
func withoutTest(l *lab, name string) {
	e := l.draft.find("tests")
	if e == nil {
		return
	}
	list, _ := e.value.([]any)
	e.value = slices.DeleteFunc(slices.Clone(list), func(t any) bool {
		fields, _ := t.([]field)
		return len(fields) > 0 && fields[0].value == name
	})
}

// variations returns further attempts for a failed test, the most likely first.
func variations(l *lab, test string) []variation {
	switch test {
	case "one line of 64 KB in", "characters arrive as printed", "leading blanks and blank lines stay":
		return append(shorterLines(l), echoVariations(l)...)
	case "1 MB of output":
		return []variation{with("process.tty", append(l.way.tty(), field{"rows", 10_000}))} // a pager comes late then
	case "a multi-line block", "a block of 24 KB in", "state persists":
		return append(blockVariations(l), shorterLines(l)...)
	case "half a block", "empty and comment-only input":
		return append(withdrawalVariations(l), without("input.empty_line"), with("input.empty_line", "none"))
	case "timeout, interrupt, usable":
		return busyVariations(l)
	case "starts and ends", "probe", "prints the given text", "two commands back to back":
		if len(l.prompts.lines) == 0 || l.draft.find("prompt.primary") == nil {
			return echoVariations(l) // no prompt was seen, or a marker replaces it
		}
		return append(echoVariations(l), with("prompt.primary", loosePattern(l)))
	case "usable after an error", "reports errors":
		return errorVariations(l)
	}
	return nil
}

func with(path string, value any) variation {
	return variation{path + ": " + flow(value), func(d *draft) { d.set(path, value, likely, 10, "found by variation") }}
}

func without(path string) variation {
	return variation{"without " + path, func(d *draft) { d.drop(path) }}
}

func shorterLines(l *lab) (list []variation) {
	if l.tongue.load == "" {
		return nil
	}
	for _, n := range lineSizes[1:] {
		list = append(list, with("input.max_line_bytes", n))
	}
	return list
}

func echoVariations(l *lab) (list []variation) {
	for _, s := range []schema.EchoStrategy{schema.EchoNone, schema.EchoDeterministicByte, schema.EchoFuzzyByte} {
		list = append(list, with("output.input_echo_strategy", string(s)))
	}
	return list
}

// loosePattern returns the prompt's pattern with each number replaced by any number.
func loosePattern(l *lab) string {
	const digits = `\d+`
	var parts []string
	for part := range strings.SplitSeq(l.draft.text("prompt.primary"), "("+digits+")") {
		parts = append(parts, number().ReplaceAllLiteralString(part, digits))
	}
	return strings.Join(parts, digits)
}

// blockVariations returns the other ways to deliver a block, and other blocks.
func blockVariations(l *lab) (list []variation) {
	deliveries := []schema.MultilineDelivery{schema.DeliverDirect, schema.DeliverBracketedPaste}
	if l.tongue.load != "" {
		deliveries = append(deliveries, schema.DeliverTempfile)
	}
	for _, delivery := range deliveries {
		for _, block := range l.tongue.language.Samples["multiline"] {
			list = append(list, variation{"blocks by " + string(delivery), func(d *draft) {
				d.set("input.multiline_delivery", string(delivery), likely, 10, "found by variation")
				if delivery == schema.DeliverTempfile {
					d.plain("input.tempfile", blockFile(l))
				}
				d.set("samples.multiline", block, likely, 10, "found by variation")
			}})
		}
	}
	return list
}

// withdrawalVariations returns other ways to recognize and to leave incomplete input.
func withdrawalVariations(l *lab) (list []variation) {
	if b := l.tongue.language.Brackets; b != nil {
		list = append(list, variation{"brackets are counted", func(d *draft) {
			d.set("input.multiline_detect", string(schema.DetectBalancedParens), likely, 10, "found by variation")
			d.plain("input.balanced_parens", ordered(b))
		}})
	}
	if l.unfinished.tried {
		return list // it is known how to leave it, or that nothing does
	}
	for _, key := range []string{ctrlC, ctrlC + l.way.ending} {
		list = append(list, with("prompt.continuation_escape", key))
		if !l.way.echo {
			list = append(list, variation{"a silent continuation left by " + flow(key), func(d *draft) {
				d.set("prompt.continuation", `\A\z`, likely, 10, "found by variation")
				d.set("prompt.continuation_escape", key, likely, 10, "found by variation")
			}})
		}
	}
	return list
}

func busyVariations(l *lab) (list []variation) {
	for _, code := range l.tongue.language.Samples["busy"] {
		list = append(list, with("samples.busy", code))
	}
	return append(list, with("signals.interrupt_confirm", l.way.ending), with("signals.interrupt_confirm", ctrlC))
}

func errorVariations(l *lab) (list []variation) {
	for _, code := range append(slices.Clone(l.tongue.language.Samples["error"]), l.tongue.language.Wrong...) {
		list = append(list, with("samples.error", code))
	}
	return append(list, without("output.error_pattern"))
}
