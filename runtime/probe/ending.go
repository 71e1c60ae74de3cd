package probe

import (
	"context"
	"slices"
	"strings"
	"time"
)

// findSignals is experiment 6: Ctrl-C during a command and at the prompt, Ctrl-D, and the commands
// that end the program.
func findSignals(ctx context.Context, l *lab) error {
	l.log.experiment(6, "a busy loop and Ctrl-C; Ctrl-C, Ctrl-D and commands at the prompt")
	interrupts, err := interruptsWork(ctx, l)
	if err != nil {
		return err
	}
	atPrompt, err := survivesKey(ctx, l, ctrlC)
	if err != nil {
		return err
	}
	d := l.draft
	switch {
	case interrupts:
		d.set("signals.interrupt", ctrlC, sure, 6, "Ctrl-C ends a loop, and the program continues")
		d.plain("capabilities.interrupt", true)
	case atPrompt:
		d.set("signals.interrupt", ctrlC, likely, 6, "the program survives Ctrl-C at its prompt; Ctrl-C was not seen to end a loop")
		d.plain("capabilities.interrupt", false)
	default:
		d.set("signals.interrupt", nil, sure, 6, "Ctrl-C ends the program, or does nothing")
		d.plain("capabilities.interrupt", false)
	}
	if err := findEOF(ctx, l); err != nil {
		return err
	}
	return findShutdown(ctx, l)
}

// busyFor is how long a loop must run to count as busy.
const busyFor = 300 * time.Millisecond

// interruptsWork reports whether Ctrl-C ends a busy loop without ending the program.
func interruptsWork(ctx context.Context, l *lab) (bool, error) {
	t := &l.tongue
	for _, code := range t.language.Samples["busy"] {
		if err := l.ready(ctx); err != nil {
			return false, err
		}
		var r reply
		lines := strings.Split(code, "\n")
		for _, line := range lines {
			r = l.sendKeys(ctx, line+l.way.ending, busyFor)
		}
		if r.how != busy {
			l.atPrompt = l.atPrompt && isExactPrompt(l, r)
			continue
		}
		t.found["busy"] = strings.TrimRight(code, "\n")
		if code != t.found["busy"] {
			t.found["busy"] = code
		}
		r = l.sendKeys(ctx, ctrlC, l.o.patience().answer)
		if ctx.Err() != nil {
			return false, ctx.Err()
		}
		there := r.idle() && (isExactPrompt(l, r) || inMode(l, r) || l.prompts.endsIn(r.text()))
		l.log.say("Ctrl-C during a command: %s, at a prompt: %v", r.how, there)
		l.atPrompt = isExactPrompt(l, r)
		if there && l.atPrompt {
			there = evaluatesNow(ctx, l)
		}
		return there, nil
	}
	return false, nil
}

// inMode reports whether the program waits at the prompt to which errors lead.
func inMode(l *lab, r reply) bool {
	return slices.ContainsFunc(l.failing.prompts, func(s string) bool { return skeleton(s) == skeleton(r.last()) })
}

func evaluatesNow(ctx context.Context, l *lab) bool {
	a, err := l.eval(ctx, l.tongue.spelling)
	return err == nil && a.ok && fortyTwo().MatchString(withoutEcho(a.text(), l.tongue.spelling))
}

// survivesKey reports whether the program evaluates after a key at its prompt.
func survivesKey(ctx context.Context, l *lab, key string) (bool, error) {
	if err := l.ready(ctx); err != nil {
		return false, err
	}
	r := l.sendKeys(ctx, key, l.o.patience().answer)
	if !r.idle() {
		l.atPrompt = false
		return false, ctx.Err()
	}
	l.atPrompt = true // regardless of its answer
	same := l.talk
	works := evaluatesNow(ctx, l) && l.talk == same
	l.log.say("the program continues after %q at the prompt: %v", key, works)
	return works, ctx.Err()
}

func findEOF(ctx context.Context, l *lab) error {
	if err := l.ready(ctx); err != nil {
		return err
	}
	r := l.sendKeys(ctx, ctrlD, l.o.patience().answer)
	l.atPrompt = false
	if r.how == ended {
		l.draft.set("signals.eof", ctrlD, sure, 6, "Ctrl-D at the prompt ends the program")
	} else {
		l.draft.unknown("signals.eof", "Ctrl-D at the prompt does not end the program on this terminal")
	}
	return ctx.Err()
}

// findShutdown looks for the command that ends the program.
func findShutdown(ctx context.Context, l *lab) error {
	tried := append(slices.Clone(l.tongue.language.Leave), "exit", "quit", "exit()", "quit()", ":q", ".q", "bye", "\\q", "q")
	for i, command := range tried {
		if slices.Index(tried, command) != i {
			continue
		}
		if err := l.ready(ctx); err != nil {
			return err
		}
		r := l.sendLine(ctx, command)
		if ctx.Err() != nil {
			return ctx.Err()
		}
		if r.how == ended {
			grace := max(1000, int(2*r.took/time.Millisecond))
			l.draft.set("lifecycle.shutdown", []field{{"command", command}, {"grace_ms", grace}}, sure, 6, "the program "+l.talk.exit())
			return nil
		}
		l.atPrompt = isExactPrompt(l, r)
	}
	l.draft.unknown("lifecycle.shutdown", "none of the usual commands ends the program; a signal does")
	return nil
}
