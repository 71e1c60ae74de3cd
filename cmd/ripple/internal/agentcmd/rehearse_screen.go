package agentcmd

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"strings"
	"time"

	tea "charm.land/bubbletea/v2"
	"github.com/charmbracelet/x/ansi"

	"example.org/ripple/cmd/ripple/internal/ui"
	"example.org/ripple/internal/scenario"
	"example.org/ripple/runtime/event"
	"example.org/ripple/schema"
)

// stage is the scripted agent's own full-screen interface: a conversation, and under it
// the place for prompts, or a question. It is the model of a tea.Program.
type stage struct {
	script  *schema.Scenario
	dir     string
	session string
	turn    int // of the next prompt
	context context.Context

	width, height int
	lines         []string // the conversation
	input         string
	trust         bool               // it asks whether it may trust the directory
	stop          context.CancelFunc // of the turn; nil: none is played
	asked         *question          // what the turn waits for
	leaving       bool               // ctrl+c was pressed
	tell          func(tea.Msg)
}

// question is a tool that the scenario refuses: on a screen a person is asked.
type question struct {
	event  event.Event
	answer chan bool
}

// over is the end of a turn.
type over struct {
	code int
	err  error
}

// onScreen plays the turns of a scenario on the terminal, a prompt each.
func (a *app) onScreen(ctx context.Context, s *stage) error {
	s.context = ctx
	p := tea.NewProgram(s, tea.WithContext(ctx), tea.WithInput(a.In), tea.WithOutput(a.Stdout))
	s.tell = p.Send
	_, err := p.Run()
	if s.stop != nil {
		s.stop()
	}
	if err != nil && !errors.Is(err, tea.ErrProgramKilled) {
		return ui.FailWith(ui.ExitFailed, err, "")
	}
	a.Printf("To continue this session: --resume %s\n", s.session)
	return nil
}

// Init makes it a tea.Model.
func (s *stage) Init() tea.Cmd { return nil }

// Update makes it a tea.Model.
func (s *stage) Update(msg tea.Msg) (tea.Model, tea.Cmd) {
	switch msg := msg.(type) {
	case tea.WindowSizeMsg:
		s.width, s.height = msg.Width, msg.Height
	case tea.PasteMsg:
		if s.takesPrompt() {
			s.input += msg.Content
		}
	case tea.KeyPressMsg:
		return s, s.key(msg)
	case event.Event:
		s.show(msg)
	case *question:
		s.asked = msg
	case over:
		s.stop, s.asked = nil, nil
		if msg.err != nil {
			s.say("✗ " + cmp.Or(map[bool]string{true: "Interrupted"}[errors.Is(msg.err, context.Canceled)], msg.err.Error()))
		} else if msg.code != 0 {
			s.say(fmt.Sprintf("✗ It ended with exit code %d", msg.code))
		}
	}
	return s, nil
}

func (s *stage) takesPrompt() bool { return !s.trust && s.stop == nil }

// key is one key that a user presses.
func (s *stage) key(k tea.KeyPressMsg) tea.Cmd {
	name := k.String()
	leaving := s.leaving
	s.leaving = false
	switch {
	case name == "ctrl+c" && s.takesPrompt():
		if s.leaving = true; leaving {
			return tea.Quit
		}
		s.input = ""
	case s.trust:
		return s.trusted(name)
	case s.asked != nil && name != "ctrl+c":
		s.answered(name)
	case s.stop != nil:
		if name == "esc" || name == "ctrl+c" {
			s.stop()
		}
	case name == "enter":
		s.play()
	case name == "ctrl+u":
		s.input = ""
	case name == "backspace":
		if r := []rune(s.input); len(r) > 0 {
			s.input = string(r[:len(r)-1])
		}
	default:
		s.input += k.Text
	}
	return nil
}

func (s *stage) trusted(key string) tea.Cmd {
	switch key {
	case "1", "enter":
		s.trust = false
	case "2", "esc", "ctrl+c":
		return tea.Quit
	}
	return nil
}

func (s *stage) answered(key string) {
	yes := key == "1" || key == "enter"
	if !yes && key != "2" && key != "esc" {
		return
	}
	s.asked.answer <- yes
	s.asked = nil
}

// play begins a turn.
func (s *stage) play() {
	prompt := strings.TrimSpace(s.input)
	if s.input = ""; prompt == "" {
		return
	}
	s.say("> " + strings.ReplaceAll(prompt, "\n", "\n  "))
	ctx, stop := context.WithCancel(s.context)
	s.stop = stop
	turn := s.turn
	s.turn++
	go func() {
		defer stop()
		code, err := scenario.Play(ctx, s.script, scenario.Stage{
			Dir: s.dir, Prompt: prompt, Session: s.session, Turn: turn, Out: &scene{s: s, ctx: ctx}, Err: io.Discard, Now: time.Now, Deaf: func() {},
		})
		s.tell(over{code, err})
	}()
}

// scene takes the events of a turn, and asks where the scenario refuses.
type scene struct {
	s    *stage
	ctx  context.Context
	rest []byte
}

func (c *scene) Write(b []byte) (int, error) {
	c.rest = append(c.rest, b...)
	for {
		line, rest, found := bytes.Cut(c.rest, []byte("\n"))
		if !found {
			return len(b), nil
		}
		c.rest = rest
		var e event.Event
		if json.Unmarshal(line, &e) != nil {
			e = event.Event{Type: event.Text, Text: string(line)}
		}
		if e.Type == event.PermissionDenied {
			q := &question{e, make(chan bool, 1)}
			c.s.tell(q)
			select {
			case yes := <-q.answer:
				e.Message = map[bool]string{true: "allowed", false: "refused"}[yes]
			case <-c.ctx.Done():
				return 0, c.ctx.Err()
			}
		}
		c.s.tell(e)
	}
}

// show adds an event to the conversation.
func (s *stage) show(e event.Event) {
	switch e.Type {
	case event.Text:
		s.say("● " + strings.ReplaceAll(strings.TrimSpace(e.Text), "\n", "\n  "))
	case event.ToolUse:
		s.say("● " + e.Name + " " + string(e.Input))
	case event.ToolResult:
		s.say("  ⎿ " + strings.ReplaceAll(strings.TrimSpace(e.Content), "\n", "\n    "))
	case event.PermissionDenied:
		s.say("● " + e.Name + ": " + e.Message)
	case event.Error, event.RateLimited:
		s.say("✗ " + e.Message)
	case event.Finished:
		if e.IsError {
			s.say("✗ " + cmp.Or(e.Result, "The turn failed"))
		}
	}
}

// say adds a paragraph to the conversation.
func (s *stage) say(text string) {
	s.lines = append(s.lines, "")
	for line := range strings.SplitSeq(ansi.Strip(text), "\n") {
		s.lines = append(s.lines, line)
	}
}

// View makes it a tea.Model.
func (s *stage) View() tea.View {
	width, height := max(cmp.Or(s.width, 80), 20), max(cmp.Or(s.height, 24), 8)
	foot := s.foot(width)
	var rows []string
	for _, line := range s.lines {
		rows = append(rows, strings.Split(ansi.Wrap(line, width, ""), "\n")...)
	}
	head := []string{"Rehearsal: a scripted agent in " + s.dir}
	room := max(height-len(head)-len(foot)-1, 0)
	rows = rows[max(len(rows)-room, 0):]
	v := tea.NewView(strings.Join(append(append(append(head, rows...), ""), foot...), "\n"))
	v.AltScreen = true
	v.WindowTitle = "✳ Rehearsal"
	if s.stop != nil {
		v.ProgressBar = tea.NewProgressBar(tea.ProgressBarIndeterminate, 0)
		v.WindowTitle = "◐ Rehearsal"
	}
	return v
}

// foot returns the rows below the conversation.
func (s *stage) foot(width int) []string {
	rule := strings.Repeat("─", width)
	choice := []string{"> 1. Yes", "  2. No", "1 or 2 · esc is no"}
	switch {
	case s.trust:
		return append([]string{rule, "Do you trust the files in this directory?", s.dir, ""}, choice...)
	case s.asked != nil:
		return append([]string{rule, "Allow " + s.asked.event.Name + "?", ansi.Strip(s.asked.event.Detail), ""}, choice...)
	}
	hint := "enter sends · ctrl+c twice leaves"
	if s.leaving {
		hint = "ctrl+c again leaves"
	}
	foot := []string{}
	if s.stop != nil {
		hint = "esc to interrupt"
		foot = append(foot, "* Working…")
	}
	input := s.input
	if n := strings.Count(input, "\n") + 1; n > 3 || len(input) > 3*width {
		input = fmt.Sprintf("[Pasted %d lines]", n)
	}
	foot = append(foot, rule)
	foot = append(foot, strings.Split(ansi.Wrap("> "+strings.ReplaceAll(input, "\n", "\n  "), width, ""), "\n")...)
	return append(foot, rule, "  "+hint)
}
