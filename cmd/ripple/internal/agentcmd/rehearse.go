package agentcmd

import (
	"context"
	_ "embed"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/signal"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"time"

	"github.com/spf13/cobra"

	"example.org/ripple/cmd/ripple/internal/ui"
	"example.org/ripple/internal/scenario"
	"example.org/ripple/schema"
)

// demo is played where there is no scenario.
//
//go:embed demo.yaml
var demo []byte

// NewRehearse is the program of the adapter rehearsal.
func NewRehearse(shared *ui.App) *cobra.Command {
	a := &app{App: shared}
	var scenario, session, resume string
	var onScreen, untrusted, overACP bool
	cmd := &cobra.Command{
		Use:   "rehearse [--scenario FILE] ([--] PROMPT | - | --screen | --acp)",
		Short: "Play one turn of a scripted agent",
		Long: `Play one turn of a scripted coding agent. The adapter of this agent runs this command.
The script, called a scenario, is the file given with --scenario or by RIPPLE_SCENARIO;
without one, a demonstration is played. RIPPLE_TURN is the number of the turn to play
(default: 1). "ripple schema scenario" prints the JSON Schema of scenarios.

With --screen, the agent shows an interface of its own on the terminal; with --acp, it
speaks the Agent Client Protocol on standard input and output. In both, each prompt
plays the next turn, and the agent asks before it uses a tool that the scenario denies.`,
		Hidden: true,
		Args: func(cmd *cobra.Command, args []string) error {
			if onScreen || overACP {
				return cobra.NoArgs(cmd, args)
			}
			return cobra.ExactArgs(1)(cmd, args)
		},
		RunE: func(cmd *cobra.Command, args []string) error {
			s, err := a.scenario(scenario)
			if err != nil {
				return err
			}
			if resume != "" {
				session = resume
			}
			turn, dir, err := a.rehearsed()
			if err != nil {
				return err
			}
			if onScreen {
				return a.onScreen(cmd.Context(), &stage{script: s, dir: dir, session: session, turn: turn, trust: untrusted})
			}
			if overACP {
				return a.overACP(cmd.Context(), s, turn)
			}
			return a.rehearse(cmd.Context(), s, session, turn, dir, args)
		},
	}
	flags := cmd.Flags()
	flags.StringVar(&scenario, "scenario", "", "the scenario `FILE`")
	flags.StringVar(&session, "session-id", "rehearsal-1", "id of a new session")
	flags.BoolVar(&onScreen, "screen", false, "draw a full-screen interface on the terminal")
	flags.BoolVar(&overACP, "acp", false, "speak the Agent Client Protocol")
	flags.BoolVar(&untrusted, "untrusted", false, "with --screen, ask first whether the directory is trusted")
	flags.StringVar(&resume, "resume", "", "id of the session to continue")
	for _, name := range []string{"model", "context", "allowed-tools", "permission-mode"} {
		flags.String(name, "", "accepted for compatibility, but has no effect") // as real agents have them
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
		if s, diags = schema.ParseScenario("demo.yaml", demo); len(diags) == 0 {
			withoutAbsent(s)
		}
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

// withoutAbsent removes the demonstration's edits of files that do not exist: there is no plan
// without `ripple init`.
func withoutAbsent(s *schema.Scenario) {
	dir, err := os.Getwd()
	if err != nil {
		return // reported later
	}
	for i, turn := range s.Turns {
		s.Turns[i].Steps = slices.DeleteFunc(turn.Steps, func(step schema.ScenarioStep) bool {
			if step.Edit == nil {
				return false
			}
			_, err := os.Lstat(filepath.Join(scenario.EditedIn(dir, step.Edit.Path), step.Edit.Path))
			return errors.Is(err, fs.ErrNotExist)
		})
	}
}

// rehearsed is which turn is played, and where.
func (a *app) rehearsed() (turn int, dir string, err error) {
	turn = 1
	if text := a.Getenv(scenario.TurnVariable); text != "" {
		if turn, err = strconv.Atoi(text); err != nil || turn < 1 {
			return 0, "", ui.UsageError("", "%s must be a positive integer, not %q", scenario.TurnVariable, text)
		}
	}
	if dir, err = os.Getwd(); err != nil {
		return 0, "", ui.FailWith(ui.ExitFailed, fmt.Errorf("the working directory: %w", err), "")
	}
	return turn, dir, nil
}

func (a *app) rehearse(ctx context.Context, s *schema.Scenario, session string, turn int, dir string, args []string) error {
	prompt, err := a.promptText(args, "")
	if err != nil {
		return err
	}
	ctx, deaf, stop := untilSignal(ctx)
	defer stop()
	code, err := scenario.Play(ctx, s, scenario.Stage{
		Dir: dir, Prompt: prompt, Session: session, Turn: turn, Out: a.Out, Err: a.Err, Now: time.Now,
		Deaf: deaf,
	})
	if errors.Is(err, context.Canceled) {
		return ui.ExitWith(ui.ExitInterrupted)
	}
	if err != nil {
		return ui.FailWith(ui.ExitFailed, err, "")
	}
	return ui.ExitWith(code)
}

// untilSignal is ui.UntilSignal for an agent that may become deaf: from then on, SIGINT and SIGTERM are ignored, and the
// context goes on.
func untilSignal(parent context.Context) (ctx context.Context, deaf, stop func()) {
	signaled, _, release := ui.UntilSignal(parent, true)
	ctx, cancel := context.WithCancel(parent)
	detach := context.AfterFunc(signaled, cancel)
	deaf = func() {
		detach()
		release()
		signal.Ignore(os.Interrupt, syscall.SIGTERM)
	}
	return ctx, deaf, func() { release(); cancel() }
}
