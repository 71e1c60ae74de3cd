package mcp

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"strings"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"example.org/ripple/runtime/console"
)

func (s *Server) exec(ctx context.Context, req *sdk.CallToolRequest, a execArgs) (string, error) {
	c, err := s.openOrStart(ctx, a.Console, a.Adapter)
	if err != nil {
		return "", err
	}
	defer c.Close()
	defer s.progress(ctx, req)()
	if ctx, err = s.turns.await(ctx, req); err != nil {
		return "", err
	}
	answer, err := c.Exec(ctx, console.ExecRequest{Code: a.Code, By: holder(req), Wait: seconds(a.WaitS), ExpectCwd: a.ExpectCwd, Queue: true, Quiet: true}, nil)
	if err != nil {
		return "", s.ended(c, err)
	}
	return s.show(ctx, req, c, answer, a.part)
}

// holder names the client that runs a command, for reports to other clients.
func holder(req *sdk.CallToolRequest) string {
	if p := req.Session.InitializeParams(); p != nil && p.ClientInfo != nil {
		return cmp.Or(word(oneLine(p.ClientInfo.Name)), "mcp")
	}
	return "mcp"
}

// show returns a command and its output as shown to the model.
func (s *Server) show(ctx context.Context, req *sdk.CallToolRequest, c *console.Client, answer console.WaitResult, p part) (string, error) {
	s.news.used(answer.Status)
	if answer.Command == nil {
		return withNews(withQuestion(headline(answer.Status, nil), answer.Status), s.news.since(ctx, c.Name)), nil
	}
	at := placeOf(req, c.Name)
	p.from = min(s.told.until(at, answer.Command), answer.Command.Bytes)
	if p.cursor != nil {
		p.from = min(max(*p.cursor, 0), answer.Command.Bytes)
	}
	text, err := s.outputOf(c, answer.CommandStatus(), *answer.Command, p)
	if err == nil {
		s.told.note(at, answer.Command, answer.CommandStatus().State)
	}
	return withNews(text, s.news.since(ctx, c.Name)), err
}

// withQuestion appends to text what a coding agent waits for.
func withQuestion(text string, status console.Status) string {
	if q := question(status); q != "" {
		return text + "\n" + q
	}
	return text
}

func withNews(text string, news []string) string {
	if len(news) == 0 {
		return text
	}
	return text + "\n" + strings.Join(news, "\n")
}

func (s *Server) wait(ctx context.Context, req *sdk.CallToolRequest, a waitArgs) (string, error) {
	if a.For == "text" && a.Text == "" {
		return "", errors.New("for=text requires text")
	}
	defer s.progress(ctx, req)()
	q := console.WaitRequest{For: a.For, Text: a.Text, Wait: seconds(a.WaitS), From: -1}
	if a.Console == "any" {
		return s.waitAny(ctx, req, q)
	}
	c, err := s.openOrOnly(a.Console)
	if err != nil {
		return "", err
	}
	defer c.Close()
	if status, err := c.Status(ctx); err == nil { // the wait reports the error
		q.Reported = s.told.state(placeOf(req, c.Name), status)
	}
	answer, err := c.Wait(ctx, q, nil)
	if err != nil {
		return "", err
	}
	if answer.Command == nil {
		answer.Command = answer.Status.Command
	}
	return s.show(ctx, req, c, answer, usual.since(a.Cursor))
}

// waitAny waits for the first console whose command ends or waits for input. A console that has
// reached such a state since it was last reported counts immediately.
func (s *Server) waitAny(ctx context.Context, req *sdk.CallToolRequest, q console.WaitRequest) (string, error) {
	all, err := s.listed(ctx)
	if err != nil {
		return "", err
	}
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	type ended struct {
		c      *console.Client
		answer console.WaitResult
		err    error
	}
	got := make(chan ended, len(all))
	waiting := 0
	for _, status := range all {
		news := s.news.has(status)
		if !news && !status.Command.Running() || status.State == console.Dead {
			continue
		}
		c, err := s.consoles.Open(status.Name)
		if err != nil {
			continue // the console ended in the meantime
		}
		defer c.Close()
		if news {
			return s.show(ctx, req, c, console.WaitResult{Status: status, Command: status.Command}, usual)
		}
		waiting++
		q := q
		q.Reported = s.told.state(placeOf(req, c.Name), status)
		go func() {
			answer, err := c.Wait(ctx, q, nil)
			got <- ended{c, answer, err}
		}()
	}
	if waiting == 0 {
		return "no command is running in any console", nil
	}
	e := <-got
	if e.err != nil {
		return "", e.err
	}
	return s.show(ctx, req, e.c, e.answer, usual)
}

func (s *Server) peek(ctx context.Context, _ *sdk.CallToolRequest, a peekArgs) (string, error) {
	c, err := s.openOrOnly(a.Console)
	if err != nil {
		return "", err
	}
	defer c.Close()
	text, status, err := c.Screen(ctx)
	if err != nil {
		return "", err
	}
	if a.What == "output" && status.Command != nil {
		if a.Lines <= 0 {
			a.Lines = 40
		}
		return s.outputOf(c, status, *status.Command, part{Tail: a.Lines})
	}
	return headline(status, status.Command) + "\n" + fence(screenText(text, a.Lines)), nil
}

func (s *Server) send(ctx context.Context, req *sdk.CallToolRequest, a sendArgs) (string, error) {
	typing, err := s.turns.await(ctx, req) // an earlier call may start the console
	if err != nil {
		return "", err
	}
	c, err := s.openOrOnly(a.Console)
	if err != nil {
		return "", err
	}
	defer c.Close()
	defer s.progress(ctx, req)()
	answer, err := c.SendAndWait(typing, console.SendRequest{Text: a.Text, Keys: a.Keys, OnlyIfWaiting: a.OnlyIfWaiting, By: holder(req), Answer: a.Answer, Wait: seconds(a.WaitS)})
	if err != nil {
		return "", err
	}
	text, err := s.show(ctx, req, c, answer, usual.since(a.Cursor))
	if err == nil && answer.Status.Untyped > 0 {
		text += "\n" + word(answer.Status.Notice)
	}
	return text, err
}

func (s *Server) read(ctx context.Context, _ *sdk.CallToolRequest, a readArgs) (string, error) {
	c, err := s.openOrOnly(a.Console)
	if err != nil {
		return "", err
	}
	defer c.Close()
	if a.Lines <= 0 {
		return "", fmt.Errorf("lines must be at least 1, not %d", a.Lines)
	}
	found, err := c.Read(console.ReadRequest{Command: a.Command, From: a.FromLine, Lines: a.Lines, Grep: a.Grep, Column: a.Column})
	if err != nil {
		return "", err
	}
	return readText(c.Name, found, a.Grep), nil
}

func (s *Server) list(ctx context.Context, _ *sdk.CallToolRequest, _ listArgs) (string, error) {
	all, err := s.listed(ctx)
	if err != nil {
		return "", err
	}
	if len(all) == 0 && s.o.ReadOnly {
		return "no console is running, and this server cannot start one", nil
	}
	if len(all) == 0 {
		return "no console is running; to start one: console_exec", nil
	}
	var lines []string
	room := defaultChars
	for i, status := range all {
		line := headline(status, status.Command)
		if status.Command != nil {
			line += "  " + word(oneLine(status.Command.Code))
		}
		if room -= len(line) + 1; room < 0 {
			lines = append(lines, fmt.Sprintf("… and %d more", len(all)-i))
			break
		}
		s.news.used(status)
		lines = append(lines, line)
	}
	return strings.Join(lines, "\n"), nil
}

func (s *Server) startTool(ctx context.Context, _ *sdk.CallToolRequest, a startArgs) (string, error) {
	c, status, err := s.start(ctx, console.Spec{Name: a.Name, Adapter: a.Adapter, Dir: a.Cwd, Env: a.Env, Args: a.Args}, a.Reuse && a.Name != "")
	if err != nil {
		return "", err
	}
	c.Close()
	text := withQuestion(headline(status, status.Command), status)
	if status.Sandbox != nil {
		text += "\nsandbox: " + word(status.Sandbox.String())
	}
	if status.Notice != "" {
		text += "\n" + word(status.Notice)
	}
	return withNews(text, s.news.since(ctx, status.Name)), nil
}

func (s *Server) closeTool(ctx context.Context, req *sdk.CallToolRequest, a closeArgs) (string, error) {
	c, err := s.open(a.Console)
	if err != nil {
		return "", err
	}
	defer c.Close()
	if a.Mode == "interrupt" {
		answer, err := c.Interrupt(ctx)
		if err != nil {
			return "", err
		}
		return s.show(ctx, req, c, answer, usual)
	}
	if err := c.End(ctx, a.Mode == "kill"); err != nil {
		return "", err
	}
	s.news.forget(c.Name)
	s.told.forget(c.Name)
	return withNews(fmt.Sprintf("[%s] closed", c.Name), s.news.since(ctx, c.Name)), nil
}
