package probe

import (
	"context"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"example.org/ripple/internal/vt"
	"example.org/ripple/schema"
)

// newPrompt is a prompt that no program has by itself.
const newPrompt = "probed-17> "

// probeNonce replaces a session's nonce while hooks are tried.
const probeNonce = "4b1d17"

// announced is a way to make prompts announce themselves.
type announced struct {
	what  string
	apply func(d *draft)
}

// findPromptSetting is experiment 8: whether the program has hooks by which its prompts can
// announce themselves, or accepts a prompt that contains a marker. Either is stronger than a
// pattern; the contract tests show whether it works as a whole.
func findPromptSetting(ctx context.Context, l *lab) error {
	l.log.experiment(8, "prompts that announce themselves")
	if err := findHooks(ctx, l); err != nil {
		return err
	}
	return findPrompt(ctx, l)
}

// findPrompt sets another prompt.
func findPrompt(ctx context.Context, l *lab) error {
	for _, template := range l.tongue.language.Prompt {
		if err := l.ready(ctx); err != nil {
			return err
		}
		code := strings.ReplaceAll(template, "{prompt}", newPrompt)
		r := l.sendLine(ctx, code)
		if !r.idle() || r.last() != newPrompt {
			r = l.sendLine(ctx, "") // some show it only now
		}
		l.atPrompt = false
		if ctx.Err() != nil {
			return ctx.Err()
		}
		if r.idle() && r.last() == newPrompt {
			l.log.say("%s sets the prompt", code)
			l.announced = append(l.announced, announced{"a prompt that is a marker", func(d *draft) { setMarker(l, d, template) }})
			return nil
		}
	}
	return nil
}

// setMarker makes the program's prompt a marker.
func setMarker(l *lab, d *draft, template string) {
	d.set("init.strategy", string(schema.InitMarker), sure, 8, "the prompt can be set")
	typeAtStart(d, "marker", l.latest)
	d.plain("init.script", script(l, strings.ReplaceAll(template, "{prompt}", "{nonce}> ")))
	d.plain("init.marker", []field{{"primary", "{nonce}> "}})
	d.set("prompt.strategy", string(schema.PromptMarker), sure, 8, "a marker that nothing else prints is stronger than a pattern")
	d.drop("prompt.primary")
}

// script returns the code to run at the start, including the settings found earlier.
func script(l *lab, code string) string {
	return strings.Join(append(slices.Clone(l.settings), code), "\n") + "\n"
}

// typeAtStart types the script when the program first waits for input; latest is the time limit if
// the kernel cannot detect that (0: it can).
func typeAtStart(d *draft, event string, latest time.Duration) {
	d.plain("init.delivery", string(schema.DeliverPTYInject))
	d.plain("ready.wait_for_event", event)
	d.plain("ready.output_settled_min_ms", 0)
	d.plain("ready.output_settled_stable_ms", 0)
	if latest > 0 {
		d.set("ready.output_settled_max_ms", int(latest/time.Millisecond), likely, 1, "after its first prompt the program keeps working while it accepts input")
	}
}

// findHooks tries scripts that should make prompts announce themselves.
func findHooks(ctx context.Context, l *lab) error {
	for _, code := range l.tongue.language.Hooks {
		if err := l.ready(ctx); err != nil {
			return err
		}
		raw, err := hookOutput(ctx, l, strings.ReplaceAll(code, "{nonce}", probeNonce))
		l.atPrompt = false
		if err != nil {
			return err
		}
		marks := marksIn(raw)
		l.log.say("after a script with hooks prompts have the markers %q", marks)
		if !strings.Contains(marks, "A") {
			continue
		}
		h := hooks{
			script: script(l, code), marks: marks, latest: l.latest, load: l.tongue.load,
			extension: l.tongue.language.Extension, echoes: l.echoes, cd: l.tongue.language.Cd,
		}
		l.announced = append(l.announced, announced{"prompts with the markers of OSC 633", h.apply})
		return nil
	}
	return nil
}

// hookOutput returns the output of an evaluation and of an error after the script.
func hookOutput(ctx context.Context, l *lab, script string) (raw []byte, err error) {
	line := script
	if l.tongue.load != "" {
		file := filepath.Join(l.dirs.work, "hooks"+l.tongue.language.Extension)
		if err := os.WriteFile(file, []byte(script+"\n"), 0o600); err != nil {
			return nil, err
		}
		line = strings.ReplaceAll(l.tongue.load, "{path}", file)
	} else if strings.Contains(script, "\n") {
		return nil, nil
	}
	l.sendLine(ctx, line)
	for _, code := range []string{l.tongue.spelling, l.tongue.found["error"]} {
		if code != "" {
			raw = append(raw, l.sendLine(ctx, code).raw...)
		}
	}
	return raw, ctx.Err()
}

// marksIn returns the letters of the markers that carry the nonce, each once; a D without an exit
// code, or only with 0, reports no exit code and is not included.
func marksIn(raw []byte) string {
	var seen strings.Builder
	var parser vt.Parser
	parser.Feed(raw, func(t *vt.Token) {
		fields := strings.Split(string(t.Data), ";") // 633, letter, value, nonce
		if t.Kind != vt.OSC || t.Cancelled || len(fields) < 3 || fields[0] != "633" || fields[len(fields)-1] != probeNonce {
			return
		}
		letter, says := fields[1], strings.Join(fields[2:len(fields)-1], "")
		if letter == "D" && strings.Trim(says, "0") == "" || strings.Contains(seen.String(), letter) {
			return
		}
		seen.WriteString(letter)
	})
	return seen.String()
}

// hooks are the markers that a script makes a program print.
type hooks struct {
	script, marks   string
	latest          time.Duration
	load, extension string
	echoes          bool
	cd              *directory
}

func (h hooks) has(letter string) bool { return strings.Contains(h.marks, letter) }

// apply makes the script announce prompts.
func (h hooks) apply(d *draft) {
	d.set("init.strategy", string(schema.InitShellIntegration), sure, 8, "the program has hooks that run around commands")
	typeAtStart(d, "prompt_start", h.latest)
	if h.load != "" {
		d.plain("init.init_invocation_template", h.load)
		d.plain("init.tempfile", []field{{"extension", h.extension}})
	}
	d.plain("init.script", h.script)
	d.set("prompt.strategy", string(schema.PromptShellIntegration), sure, 8, "markers with the session's nonce are stronger than a pattern")
	d.plain("prompt.shell_integration", []field{{"protocol", "osc633"}, {"nonce", "required"}, {"printable", !h.has("B")}})
	d.drop("prompt.primary")
	if strings.Contains(h.script, "633;F;") {
		d.drop("prompt.continuation") // a marker announces it
	}
	if h.echoes && h.has("C") {
		d.set("output.input_echo_strategy", string(schema.EchoOSCBoundaries), sure, 8, "a marker announces where output begins")
	}
	d.set("capabilities.exit_code", h.has("D"), sure, 8, "")
	if d.plain("capabilities.cwd_tracking", h.has("P")); h.has("P") && h.cd != nil {
		d.plain("capabilities.cwd_format", "posix")
		d.plain("capabilities.cd_command", h.cd.Command)
		d.plain("capabilities.cd_command_quote", h.cd.Quote)
	}
}
