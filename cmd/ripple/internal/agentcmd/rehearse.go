package agentcmd

import (
	"context"
	_ "embed"
	"errors"
	"fmt"
	"os"
	"os/signal"
	"strconv"
	"strings"
	"syscall"
	"time"

	"github.com/spf13/cobra"

	"ripple/cmd/ripple/internal/ui"
	"ripple/runtime/scenario"
	"ripple/schema"
)

// demo is played where there is no scenario.
//
//go:embed demo.yaml
var demo []byte

// NewRehearse is the program of the adapter rehearsal.
func NewRehearse(shared *ui.App) *cobra.Command {
	a := &app{shared}
	var scenario, session, resume string
	cmd := &cobra.Command{
		Use:   "rehearse [--scenario FILE] [--] PROMPT | -",
		Short: "Play one turn of a scripted agent",
		Long: `Play one turn of a scripted coding agent; its adapter starts this command. The
scenario is --scenario, else the file that RIPPLE_SCENARIO names, else a demonstration;
RIPPLE_TURN says which of its turns, 1 without it. "ripple schema scenario" prints the
JSON Schema of scenarios.`,
		Hidden: true,
		Args:   cobra.ExactArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			s, err := a.scenario(scenario)
			if err != nil {
				return err
			}
			if resume != "" {
				session = resume
			}
			return a.rehearse(cmd.Context(), s, session, args)
		},
	}
	flags := cmd.Flags()
	flags.StringVar(&scenario, "scenario", "", "the scenario `FILE`")
	flags.StringVar(&session, "session-id", "rehearsal-1", "id of a new session")
	flags.StringVar(&resume, "resume", "", "id of the session to go on with")
	for _, name := range []string{"model", "context", "allowed-tools", "permission-mode"} {
		flags.String(name, "", "accepted, and without effect") // as real agents have them
	}
	return cmd
}

func (a *app) scenario(path string) (*schema.Scenario, error) {
	if path == "" {
		path = a.Getenv(scenario.FileVariable)
	}
	var s *schema.Scenario
	var diags []schema.Diagnostic
	if path == "" {
		s, diags = schema.ParseScenario("demo.yaml", demo)
	} else {
		s, diags = schema.LoadScenario(path)
	}
	if len(diags) == 0 {
		return s, nil
	}
	var b strings.Builder
	for _, d := range diags {
		b.WriteString(d.Format() + "\n")
	}
	return nil, ui.FailWith(ui.ExitUsage, fmt.Errorf("the scenario does not load"), b.String())
}

func (a *app) rehearse(ctx context.Context, s *schema.Scenario, session string, args []string) error {
	prompt, err := a.promptText(args, "")
	if err != nil {
		return err
	}
	turn := 1
	if text := a.Getenv(scenario.TurnVariable); text != "" {
		if turn, err = strconv.Atoi(text); err != nil || turn < 1 {
			return ui.UsageError("", "%s is %q, and must be a number from 1", scenario.TurnVariable, text)
		}
	}
	ctx, _, stop := ui.UntilSignal(ctx, true)
	defer stop()
	dir, err := os.Getwd()
	if err != nil {
		return ui.FailWith(ui.ExitFailed, fmt.Errorf("the working directory: %w", err), "")
	}
	code, err := scenario.Play(ctx, s, scenario.Stage{
		Dir: dir, Prompt: prompt, Session: session, Turn: turn, Out: a.Out, Err: a.Err, Now: time.Now,
		Deaf: func() { stop(); signal.Ignore(os.Interrupt, syscall.SIGTERM) },
	})
	if errors.Is(err, context.Canceled) {
		return ui.ExitWith(ui.ExitInterrupted)
	}
	if err != nil {
		return ui.FailWith(ui.ExitFailed, err, "")
	}
	return ui.ExitWith(code)
}
