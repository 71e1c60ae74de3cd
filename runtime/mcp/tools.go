package mcp

import (
	"context"
	"errors"
	"fmt"
	"time"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"ripple/runtime/console"
)

const (
	// longestWait is below the minute after which clients give a call up.
	longestWait = 50 * time.Second
	defaultWait = 30 * time.Second
	// progressEvery is how often a client that wants to know is told of a wait.
	progressEvery = 5 * time.Second
	// idleEnd ends a console that an AI client has forgotten.
	idleEnd = 24 * time.Hour
	// defaultChars is less than what any of the clients cuts.
	defaultChars = 8000
	mostChars    = 100_000
)

type execArgs struct {
	Console   string  `json:"console,omitempty" jsonschema:"name of the console; made when missing (default: main)"`
	Code      string  `json:"code" jsonschema:"what to run: one line or several, as typed at its prompt"`
	Adapter   string  `json:"adapter,omitempty" jsonschema:"which program a console that is made runs: a shell, python, node, gdb, ... (default: bash)"`
	WaitS     float64 `json:"wait_s,omitempty" jsonschema:"seconds to wait for its end, at most 50 (default: 30); the command goes on after that"`
	ExpectCwd string  `json:"expect_cwd,omitempty" jsonschema:"refuse to run it unless the console is in this directory"`
	part
}

// part is how much of the output is shown.
type part struct {
	Head     int `json:"head,omitempty" jsonschema:"lines shown from the beginning of long output (default: 40)"`
	Tail     int `json:"tail,omitempty" jsonschema:"lines shown from its end (default: 120)"`
	MaxChars int `json:"max_chars,omitempty" jsonschema:"most characters of output shown (default: 8000)"`
}

type waitArgs struct {
	Console string  `json:"console" jsonschema:"name of the console, or any"`
	For     string  `json:"for,omitempty" jsonschema:"done (default), input, text or idle"`
	Text    string  `json:"text,omitempty" jsonschema:"with for=text: wait until this is on the screen"`
	WaitS   float64 `json:"wait_s,omitempty" jsonschema:"seconds, at most 50 (default: 30)"`
}

type peekArgs struct {
	Console string `json:"console"`
	What    string `json:"what,omitempty" jsonschema:"screen (default) or output: the end of the latest command's output"`
	Lines   int    `json:"lines,omitempty" jsonschema:"how many lines (default: all of the screen, 40 of output)"`
}

type sendArgs struct {
	Console       string   `json:"console"`
	Text          string   `json:"text,omitempty" jsonschema:"typed as it is; a line needs the key enter"`
	Keys          []string `json:"keys,omitempty" jsonschema:"typed after the text: enter, tab, esc, up, down, left, right, pgup, pgdn, f1 to f12, C-c, M-x, or single characters"`
	OnlyIfWaiting *bool    `json:"only_if_waiting,omitempty" jsonschema:"type nothing unless the program waits for input or draws on the whole screen (default: true; C-c is always typed)"`
	WaitS         float64  `json:"wait_s,omitempty" jsonschema:"seconds to wait for the command's end afterwards (default: 5)"`
}

type readArgs struct {
	Console  string `json:"console"`
	Command  int    `json:"command,omitempty" jsonschema:"number of the command (default: the latest)"`
	FromLine int64  `json:"from_line,omitempty" jsonschema:"first line, counted from 1; negative: from the end"`
	Lines    int64  `json:"lines,omitempty" jsonschema:"how many (default: 200)"`
	Grep     string `json:"grep,omitempty" jsonschema:"only lines that match this regular expression (RE2)"`
}

type listArgs struct{}

type startArgs struct {
	Adapter string   `json:"adapter,omitempty" jsonschema:"program: bash, zsh, python, node, gdb, psql, ... (default: bash)"`
	Name    string   `json:"name,omitempty" jsonschema:"the console's name (default: the adapter's, with a number)"`
	Cwd     string   `json:"cwd,omitempty" jsonschema:"directory to start in"`
	Env     []string `json:"env,omitempty" jsonschema:"variables over the environment, each KEY=VALUE"`
	Args    []string `json:"args,omitempty" jsonschema:"arguments of the program, such as the file to debug"`
	Reuse   *bool    `json:"reuse,omitempty" jsonschema:"take a console of that name that is running (default: true)"`
}

type closeArgs struct {
	Console string `json:"console"`
	Mode    string `json:"mode,omitempty" jsonschema:"interrupt (its command), close (default) or kill"`
}

// hints are what a tool says of itself.
func hints(title string, readOnly, destructive, open bool) *sdk.ToolAnnotations {
	return &sdk.ToolAnnotations{Title: title, ReadOnlyHint: readOnly, DestructiveHint: &destructive, OpenWorldHint: &open}
}

// addTools adds them; clients list tools in the order of their names.
func (s *Server) addTools() {
	if !s.o.ReadOnly {
		sdk.AddTool(s.sdk, &sdk.Tool{
			Name: "console_exec", Annotations: hints("Run code in a console", false, true, true),
			Description: "Run code in a live console and show what it printed. The console keeps its directory, variables and state. If the command is still running when the wait ends, or waits for input, the answer says so and it goes on.",
		}, call(s, s.exec))
		sdk.AddTool(s.sdk, &sdk.Tool{
			Name: "console_send", Annotations: hints("Type into a console", false, true, true),
			Description: "Type text or keys into the command that runs in a console: answer a question, drive a full-screen program, press C-c.",
		}, call(s, s.send))
		sdk.AddTool(s.sdk, &sdk.Tool{
			Name: "console_start", Annotations: hints("Start a console", false, false, true),
			Description: "Start a program in a console of its own, or take the running one of that name.",
		}, call(s, s.startTool))
		sdk.AddTool(s.sdk, &sdk.Tool{
			Name: "console_close", Annotations: hints("End a console", false, true, false),
			Description: "Interrupt a console's command, or end the console with everything it started.",
		}, call(s, s.closeTool))
	}
	sdk.AddTool(s.sdk, &sdk.Tool{
		Name: "console_wait", Annotations: hints("Wait for a console", true, false, false),
		Description: "Wait until a console's command ends, waits for input, shows a text, or prints nothing more.",
	}, call(s, s.wait))
	sdk.AddTool(s.sdk, &sdk.Tool{
		Name: "console_peek", Annotations: hints("Look at a console", true, false, false),
		Description: "Show a console's screen as a person would see it, or the end of its output, without waiting.",
	}, call(s, s.peek))
	sdk.AddTool(s.sdk, &sdk.Tool{
		Name: "console_read", Annotations: hints("Read a command's output", true, false, false),
		Description: "Read lines of what a command printed, also long after it ended; search it with grep.",
	}, call(s, s.read))
	sdk.AddTool(s.sdk, &sdk.Tool{
		Name: "console_list", Annotations: hints("List consoles", true, false, false),
		Description: "List the consoles with their state, directory and latest command.",
	}, call(s, s.list))
}

// call makes a tool of a function from arguments to text. What the console or its
// program did is text; an error is what ripple could not do.
func call[A any](s *Server, f func(context.Context, *sdk.CallToolRequest, A) (string, error)) sdk.ToolHandlerFor[A, any] {
	return func(ctx context.Context, req *sdk.CallToolRequest, a A) (*sdk.CallToolResult, any, error) {
		text, err := f(ctx, req, a)
		isError := false
		if err != nil {
			text, isError = explain(err)
		}
		return &sdk.CallToolResult{Content: []sdk.Content{&sdk.TextContent{Text: text}}, IsError: isError}, nil, nil
	}
}

// explain is what is said of an error. A console that is busy or elsewhere is no
// failure of ripple's.
func explain(err error) (text string, isError bool) {
	f, ok := asFault(err)
	if !ok {
		return err.Error(), true
	}
	text = f.Message
	if f.Status != nil {
		text = headline(*f.Status, f.Status.Command) + "\n" + text
	}
	switch f.Code {
	case console.FaultBusy, console.FaultCwd, console.FaultNotWaiting, console.FaultSecret, console.FaultExited:
		return text + "; nothing was typed", false
	}
	return text, true
}

func asFault(err error) (*console.Fault, bool) { return errors.AsType[*console.Fault](err) }

// seconds is a wait within its bounds.
func seconds(s float64, otherwise time.Duration) time.Duration {
	if s <= 0 {
		return otherwise
	}
	return min(time.Duration(s*float64(time.Second)), longestWait)
}

// progress tells a client that asked for it that a wait goes on, until it is
// called off.
func progress(ctx context.Context, req *sdk.CallToolRequest) (stop func()) {
	token := req.Params.GetProgressToken()
	if token == nil {
		return func() {}
	}
	ctx, cancel := context.WithCancel(ctx)
	done := make(chan struct{})
	go func() {
		defer close(done)
		began := time.Now()
		t := time.NewTicker(progressEvery)
		defer t.Stop()
		for {
			select {
			case <-t.C:
				waited := time.Since(began).Truncate(time.Second)
				_ = req.Session.NotifyProgress(ctx, &sdk.ProgressNotificationParams{ // nobody has to listen
					ProgressToken: token, Progress: waited.Seconds(), Message: fmt.Sprintf("waiting for %s", waited),
				})
			case <-ctx.Done():
				return
			}
		}
	}()
	return func() { cancel(); <-done }
}
