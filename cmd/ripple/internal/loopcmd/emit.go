package loopcmd

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"

	"github.com/spf13/cobra"

	"example.org/ripple/cmd/ripple/internal/ui"
	"example.org/ripple/runtime/loop/hats"
	"example.org/ripple/runtime/loop/journal"
)

// newEmit returns the emit command.
func newEmit(shared *ui.App) *cobra.Command {
	a := &app{shared}
	var asJSON string
	cmd := &cobra.Command{
		Use:   "emit TOPIC [PAYLOAD | --json JSON]",
		Short: "Publish a topic from within a turn",
		Long: `Publish a topic from within a loop's turn: the hat that it triggers receives it in one of
the next turns. For tools and scripts, this is the equivalent of a line
<event topic="TOPIC">PAYLOAD</event> in an agent's answer. A token in the environment
identifies the loop and the turn; it is invalid after the turn.

A topic has at most 80 characters of a-z 0-9 _ . : -, or is the completion promise; a
payload has at most 4 KB; a longer one is truncated.`,
		Example: "  ripple emit review.passed 'no findings'\n  ripple emit build.done --json '{\"files\": 3}'",
		Args: func(cmd *cobra.Command, args []string) error {
			if len(args) == 0 || len(args) > 2 {
				return ui.UsageError(ui.SeeHelp(cmd), "%s takes a topic and a payload, not %d arguments; quote a payload of several words", cmd.CommandPath(), len(args))
			}
			if len(args) == 2 && cmd.Flags().Changed("json") {
				return ui.UsageError("give one of them", "a payload and --json cannot be combined")
			}
			return nil
		},
		RunE: func(cmd *cobra.Command, args []string) error {
			payload := ""
			if len(args) == 2 {
				payload = args[1]
			}
			if cmd.Flags().Changed("json") {
				var err error
				if payload, err = compactJSON(asJSON); err != nil {
					return err
				}
			}
			return a.emit(args[0], payload)
		},
	}
	cmd.Flags().StringVar(&asJSON, "json", "", "a `JSON` payload, which is validated and never truncated")
	return cmd
}

// compactJSON returns JSON that fits into a payload.
func compactJSON(text string) (string, error) {
	var b bytes.Buffer
	if err := json.Compact(&b, []byte(text)); err != nil {
		return "", ui.UsageError("quote it for the shell: --json '{\"files\": 3}'", "--json is not JSON: %v", err)
	}
	if b.Len() > hats.MaxPayload {
		return "", ui.UsageError("write the payload into a file, and publish the name of the file", "--json has %d bytes, but a payload can have at most %d", b.Len(), hats.MaxPayload)
	}
	return b.String(), nil
}

func (a *app) emit(topic, payload string) error {
	project, token := a.Getenv(journal.ProjectVariable), a.Getenv(journal.TokenVariable)
	if project == "" || token == "" {
		return ui.UsageError("only an agent, or a program that it starts, can run this, in a turn of a loop with hats; see ripple help hats",
			"ripple emit was not started in a turn of a loop: %s and %s are not set", journal.ProjectVariable, journal.TokenVariable)
	}
	if err := a.RefuseSudo(project); err != nil {
		return err
	}
	p := hats.NewPublished(topic, payload)
	err := journal.Emit(project, token, p)
	refused, isRefused := errors.AsType[*journal.RefusedError](err)
	switch {
	case errors.Is(err, journal.ErrTurnOver):
		return ui.FailWith(ui.ExitFailed, fmt.Errorf("%s is not published: %w", topic, err), "ripple emit works only during the turn that started it")
	case isRefused:
		return ui.FailWith(ui.ExitFailed, fmt.Errorf("%q was not published: %s", topic, refused.Why), "to see who publishes what: ripple hats")
	case err != nil:
		return ui.FailWith(ui.ExitFailed, fmt.Errorf("%s is not published: %w", topic, err), ownersHint(err))
	}
	if p.Cut {
		a.Note("the payload was cut to %d of %d bytes", len(p.Payload), len(payload))
	}
	return nil
}
