package ui

import (
	"fmt"
	"reflect"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"

	"example.org/ripple/internal/quote"
	"example.org/ripple/runtime/registry"
)

// adapterRuns describes the names that an adapter claims, the programs that it starts, what it types into them,
// and what a box opens for them: all texts of the adapter except those of the keys in harmlessKeys.
func adapterRuns(e *registry.Entry, ours *registry.Registry) (lines []string) {
	if e.Adapter == nil {
		return nil
	}
	var replaced []string
	for _, name := range append([]string{e.Name}, e.Aliases...) {
		if _, err := ours.Inspect(name); err == nil {
			replaced = append(replaced, name)
		}
	}
	if len(replaced) > 0 {
		lines = append(lines, "replaces: "+strings.Join(replaced, ", "))
	}
	p := e.Adapter.Process
	var programs []string
	for _, name := range append([]string{p.Executable}, p.ExecutableCandidates...) {
		if name != "" {
			programs = append(programs, shownValue(name))
		}
	}
	if len(programs) == 0 {
		programs = []string{e.Name}
	}
	lines = append(lines, "starts: "+strings.Join(programs, ", or "))
	lines = appendTexts(lines, "", reflect.ValueOf(e.Adapter).Elem())
	if g := e.Adapter.Agent; g != nil && g.AutoDetect.Priority > 0 {
		lines = append(lines, "is selected automatically when an agent is needed")
	}
	if n := len(e.Adapter.Tests); n > 0 {
		lines = append(lines, "types the code of "+Count(n, "test")+" when it is tested")
	}
	if n := len(appendTexts(nil, "", reflect.ValueOf(e.Adapter.Samples))); n > 0 {
		lines = append(lines, "types the code of "+Count(n, "sample")+" when it is tested")
	}
	if e.Adapter.Script != "" {
		lines = append(lines, fmt.Sprintf("makes the program run a script of %s", Count(strings.Count(e.Adapter.Script, "\n")+1, "line")))
	}
	return lines
}

// harmlessKeys are the keys of an adapter whose texts neither name a program, an argument, a variable, a path or a host,
// nor are typed, and the keys that adapterRuns describes in its own words. A key stands for those below it.
var harmlessKeys = map[string]bool{
	// about the adapter
	"name": true, "version": true, "description": true, "homepage": true, "license": true, "family": true, "aliases": true, "unverified": true,
	// described by adapterRuns
	"process.executable": true, "process.executable_candidates": true, "integration_script": true, "init.script": true, "init.script_resource": true,
	"samples": true, "tests.setup": true, "tests.setup_sequence": true, "tests.eval": true,
	// patterns
	"process.version.pattern": true, "ready.pattern": true, "ready.needs.missing": true, "ready.needs.server.ready": true,
	"prompt.primary": true, "prompt.continuation": true, "output.error_pattern": true, "input.secret_pattern": true,
	"modes.primary": true, "modes.detect": true, "modes.exit_detect": true, "probe.expect": true, "agent.auth.status.logged_out": true,
	"agent.acp.version.pattern": true, "agent.failures": true, "agent.denial_pattern": true, "agent.screen.bar": true, "agent.screen.states.pattern": true,
	"agent.screen.states.without": true, "agent.screen.states.title": true, "agent.screen.states.question": true, "agent.screen.prompt.entered": true,
	"agent.screen.text": true, "agent.screen.session": true,
	// one of a few words
	"process.encoding": true, "ready.wait_for_event": true, "init.strategy": true, "init.hook_type": true, "init.delivery": true,
	"init.banner_injection.mode": true, "prompt.strategy": true, "input.multiline_detect": true, "input.multiline_delivery": true,
	"input.multiline_wrapper.trigger": true, "input.line_charset": true, "input.empty_line": true, "output.input_echo_strategy": true,
	"output.async_interleave": true, "modes.advance_commands.effect": true, "modes.exit_commands.effect": true, "lifecycle.restart_on": true,
	"lifecycle.shutdown.force_signal": true, "capabilities.exit_code": true, "capabilities.cwd_format": true, "capabilities.shell_integration": true,
	"capabilities.user_busy_detection": true, "capabilities.user_busy_detection_params": true, "capabilities.cd_command_quote": true,
	"process.tty.replies": true, "agent.transport": true, "agent.prompt.deliver": true, "agent.prompt.overflow": true, "agent.output": true,
	"agent.acp.options": true, "agent.screen.options": true, "agent.screen.states.state": true, "agent.exit_codes": true,
	// for users
	"process.install": true, "agent.acp.install": true, "ready.needs.what": true, "ready.needs.server.debian": true, "commands.prefix": true,
	"commands.scope": true, "commands.discovery": true, "commands.builtin": true, "agent.display_name": true, "agent.min_version": true,
	"agent.auth.hint": true, "agent.denial_help": true, "agent.tools": true,
	// recognized in the output
	"prompt.shell_integration": true, "prompt.group_captures": true, "output.line_ending": true, "modes.name": true, "input.balanced_parens": true,
	"agent.acp.events": true,
	// letters, digits and a few other characters, which no program takes for code
	"init.tempfile": true, "input.tempfile.prefix": true, "input.tempfile.extension": true, "process.tty.term": true,
	// what tests expect
	"tests.name": true, "tests.expect": true, "tests.expect_mode": true, "tests.expect_out_of_band": true, "tests.transcript": true,
	"tests.expect_events": true, "tests.expect_failure": true, "tests.turn": true, "tests.expect_argv": true, "tests.expect_stdin": true,
	"tests.expect_usage": true, "tests.ways.differs": true, "tests.needs.what": true, "tests.needs.prints": true,
}

// appendTexts adds a line for each text below a key of an adapter, and one for each list of texts.
func appendTexts(lines []string, key string, v reflect.Value) []string {
	if harmlessKeys[key] {
		return lines
	}
	switch v.Kind() {
	case reflect.Pointer:
		if !v.IsNil() {
			lines = appendTexts(lines, key, v.Elem())
		}
	case reflect.Struct:
		for i := range v.NumField() {
			name, options, _ := strings.Cut(v.Type().Field(i).Tag.Get("yaml"), ",")
			switch {
			case options == "inline":
				lines = appendTexts(lines, key, v.Field(i))
			case name != "-":
				lines = appendTexts(lines, strings.TrimPrefix(key+"."+name, "."), v.Field(i))
			}
		}
	case reflect.Map:
		for _, name := range SortedKeys(stringKeys(v)) {
			lines = appendTexts(lines, key+"."+shownValue(name), v.MapIndex(reflect.ValueOf(name).Convert(v.Type().Key())))
		}
	case reflect.Slice:
		if v.Type().Elem().Kind() == reflect.String {
			var words []string
			for i := range v.Len() {
				words = append(words, shownWord(v.Index(i).String()))
			}
			if len(words) > 0 {
				lines = append(lines, key+": "+strings.Join(words, " "))
			}
			break
		}
		for i := range v.Len() {
			lines = appendTexts(lines, key, v.Index(i))
		}
	case reflect.String:
		if text := v.String(); text != "" && !isControlKey(text) {
			lines = append(lines, key+": "+shownValue(text))
		}
	}
	return lines
}

func stringKeys(m reflect.Value) map[string]bool {
	keys := map[string]bool{}
	for _, k := range m.MapKeys() {
		keys[k.String()] = true
	}
	return keys
}

// isControlKey reports whether a text is one control character, such as Ctrl+C or a line feed.
func isControlKey(text string) bool {
	r, n := utf8.DecodeRuneInString(text)
	return n == len(text) && unicode.IsControl(r)
}

// shownValue returns a text of a project in one line: as it is, or quoted if it has line breaks or other characters
// that are not printable.
func shownValue(text string) string {
	if strings.ContainsFunc(text, func(r rune) bool { return !unicode.IsPrint(r) }) {
		return strconv.Quote(text)
	}
	return text
}

// shownWord is shownValue for a word of a list, which is also quoted if it has blanks.
func shownWord(text string) string {
	if shown := shownValue(text); shown != text {
		return shown
	}
	return quote.Shell(text)
}
