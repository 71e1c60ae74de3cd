package probe

import (
	"context"
	"strings"
)

// newPrompt is what no program has for a prompt of its own.
const newPrompt = "probed-17> "

// findPromptSetting is experiment 8: whether the program can be given another prompt. A
// prompt with a marker is better than any pattern, but how a script gets to a program at
// its start is in no output; so the finding is told, for a person to go on from.
func findPromptSetting(ctx context.Context, l *lab) error {
	l.log.experiment(8, "another prompt")
	for _, code := range l.tongue.language.Prompt {
		if err := l.ready(ctx); err != nil {
			return err
		}
		code = strings.ReplaceAll(code, "{prompt}", newPrompt)
		r := l.say(ctx, code)
		if !r.idle() || r.last() != newPrompt {
			r = l.say(ctx, "") // some show it only now
		}
		l.atPrompt = false
		if ctx.Err() != nil {
			return ctx.Err()
		}
		if r.idle() && r.last() == newPrompt {
			l.log.say("%s sets the prompt", code)
			l.draft.set("prompt.strategy", "regex", sure, 8, "its prompt can be set, by "+quote(code)+
				": a script at its start that puts a marker there would be stronger (strategy marker or shell_integration)")
			return nil
		}
	}
	return nil
}
