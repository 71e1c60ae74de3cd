package contract

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"example.org/ripple/internal/lazyregexp"
	"example.org/ripple/internal/vt"
	"example.org/ripple/schema"
)

// promptLookAlike prints the visible part of the program's own prompt while the program works:
// within one write, and before a pause of a second.
func promptLookAlike(ctx context.Context, t *testRun) error {
	look := lookAlike(t.trace.firstPrompt())
	if strings.TrimSpace(look) == "" {
		return inapplicablef("the prompt has no visible text")
	}
	// At the first use, a program may print what it loads.
	if _, err := t.succeeds(ctx, "a word", t.raw("word")); err != nil {
		return err
	}
	text := "one\n" + look + "\ntwo " + look + "three\n" + look
	if _, err := t.printsRaw(ctx, "within one write", text, text); err != nil {
		return afterLookAlike(err, look)
	}
	before, after := token("before"), token("after")
	block := []string{t.raw(before + "\n" + look), withNumber(t.adapter.Samples.Sleep, 1), withText(t.adapter.Samples.Print, after)}
	r, err := t.succeeds(ctx, "before a pause", strings.Join(block, "\n"))
	if err != nil {
		return err
	}
	if !strings.Contains(r.Output, before) || !strings.Contains(r.Output, after) {
		return failf("the program printed %q, which only looks like a prompt, and this ended the command while it still worked (ended by %s)", look, r.CompletedBy)
	}
	return t.usable(ctx, "after the look-alike")
}

func afterLookAlike(err error, look string) error {
	return fmt.Errorf("after the printed look-alike %q: %w", look, err)
}

var hexRun = lazyregexp.New(`[0-9A-Fa-f]{16,}`)

// commands returns the operating system commands in a program's output.
func commands(printed string) (found []string) {
	tokens := vt.ForText()
	tokens.Feed([]byte(printed), func(t *vt.Token) {
		if t.Kind == vt.OSC && !t.Cancelled {
			found = append(found, string(t.Raw))
		}
	})
	return found
}

// lookAlike returns the last line printed until the program was ready, as a user sees it. A nonce
// in it is replaced by a different one: a program that knew it would not be forging.
func lookAlike(firstPrompt string) string {
	text := vt.Strip(firstPrompt)
	text = text[strings.LastIndexAny(text, "\r\n")+1:]
	return wrongNonce(text)
}

// wrongNonce changes all digit sequences that are long enough for a nonce.
func wrongNonce(s string) string {
	return hexRun().ReplaceAllStringFunc(s, func(nonce string) string {
		if strings.Trim(nonce, "0") == "" {
			return strings.Repeat("1", len(nonce))
		}
		return strings.Repeat("0", len(nonce))
	})
}

const (
	forgedCode = 77
	forgedCwd  = "/forged"
)

// forgedOSC prints the markers that end a command, report an exit code or change the directory, in
// every form that a terminal accepts: ESC ] or its 8-bit form, ended by BEL, by ST or by its 8-bit
// form, without a nonce and with a wrong one.
func forgedOSC(ctx context.Context, t *testRun) error {
	wrong := strings.Repeat("0", 32)
	bodies := []string{
		"633;A", "633;B", "633;C", "633;D", fmt.Sprintf("633;D;%d", forgedCode), "633;P;Cwd=" + forgedCwd,
		"633;A;" + wrong, fmt.Sprintf("633;D;%d;%s", forgedCode, wrong), "633;P;Cwd=" + forgedCwd + ";" + wrong,
		"133;A", fmt.Sprintf("133;D;%d", forgedCode),
	}
	for _, body := range bodies {
		var forms []string
		for _, begin := range []string{"\x1b]", "\x9d"} {
			for _, end := range []string{"\a", "\x1b\\", "\x9c"} {
				forms = append(forms, begin+body+end)
			}
		}
		if err := forge(ctx, t, forms); err != nil {
			return err
		}
	}
	return t.usable(ctx, "after the forgeries")
}

// forgedMarker replays the markers and the literal prompt that this session has used, with a
// different nonce, and numbered markers unchanged.
func forgedMarker(ctx context.Context, t *testRun) error {
	first := t.trace.firstPrompt()
	forgeries := commands(first)
	if t.adapter.Prompt.Strategy == schema.PromptMarker {
		forgeries = append(forgeries, first[strings.LastIndexAny(first, "\r\n")+1:])
	}
	if len(forgeries) == 0 {
		return inapplicablef("the program printed no marker before it was ready")
	}
	for i, f := range forgeries {
		forgeries[i] = wrongNonce(f)
	}
	if err := forge(ctx, t, forgeries); err != nil {
		return err
	}
	if si := t.adapter.Prompt.ShellIntegration; si != nil && si.Numbered {
		forgeries = append(forgeries, commands(first)...)
	}
	together := strings.Join(forgeries, "") // as they arrive at a prompt
	if err := forge(ctx, t, []string{together}); err != nil {
		return err
	}
	return t.usable(ctx, "after the forgeries")
}

// forge prints forgeries with a token before, between and after them: all tokens must be in the
// output of this command, neither exit code nor directory may be the forged ones, and the session
// must not have accepted any of them as a marker.
func forge(ctx context.Context, t *testRun, forgeries []string) error {
	tokens, text := []string{token("begin")}, ""
	for _, f := range forgeries {
		text += tokens[len(tokens)-1] + f
		tokens = append(tokens, token("after"))
	}
	text += tokens[len(tokens)-1]
	cwd := t.ev.State().Cwd
	t.trace.forgetMarkers()
	r, err := t.eval(ctx, "print "+quoted(strings.Join(forgeries, " ")), t.raw(text))
	if err != nil {
		return err
	}
	if !strings.Contains(r.Output, tokens[0]) {
		return notRaw(tokens[0])
	}
	for i, tok := range tokens[1:] {
		if !strings.Contains(r.Output, tok) {
			return accepted(t, forgeries[i], "ended the command")
		}
	}
	for _, m := range t.trace.markersSeen() {
		if slices.Contains(forgeries, m) {
			return accepted(t, m, "was taken for a marker of the session")
		}
	}
	switch {
	case r.ExitCode != nil && *r.ExitCode == forgedCode:
		return accepted(t, forgeries[0], "gave the exit code")
	case r.Cwd == forgedCwd || t.ev.State().Cwd != cwd:
		return accepted(t, forgeries[0], fmt.Sprintf("moved the directory to %q", t.ev.State().Cwd))
	}
	return good(t.adapter, r)
}

func accepted(t *testRun, forgery, effect string) error {
	return failf("a forged marker was accepted: %s %s%s", quoted(forgery), effect, trust(t.adapter))
}

// trust returns the reason why a session accepts a marker.
func trust(a *schema.Adapter) string {
	switch {
	case a.Prompt.Strategy == schema.PromptShellIntegration &&
		(a.Prompt.ShellIntegration == nil || a.Prompt.ShellIntegration.Nonce == ""):
		return " (prompt.shell_integration.nonce is not required, so the markers of any program count)"
	case a.Prompt.Strategy == schema.PromptMarker && a.Init.Marker != nil && !schema.ContainsNonce(a.Init.Marker.Primary):
		return " (init.marker.primary has no {nonce}, so anyone can print it)"
	}
	return ""
}
