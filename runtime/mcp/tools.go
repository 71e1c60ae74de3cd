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
	// progressEvery is how often a client that wants to know is told of a wait.
	progressEvery = 5 * time.Second
	// idleEnd ends a console that an AI client has forgotten.
	idleEnd = 24 * time.Hour
	// defaultChars is less, in bytes, than what any of the clients cuts.
	defaultChars = 8000
	mostChars    = 100_000
)

// The arguments of the tools. The tags default and enum go into the schema; absent
// and null arguments have their default before a tool sees them.

type execArgs struct {
	Console   string  `json:"console,omitempty" default:"main" jsonschema:"name of the console; made when missing"`
	Code      string  `json:"code" jsonschema:"what to run: one line or several, as typed at its prompt"`
	Adapter   string  `json:"adapter,omitempty" jsonschema:"which program a console that is made runs: a shell, python, node, gdb, ... (default: bash)"`
	WaitS     float64 `json:"wait_s,omitempty" default:"30" jsonschema:"seconds to wait for its end, at most 50; the command goes on after that"`
	ExpectCwd string  `json:"expect_cwd,omitempty" jsonschema:"refuse to run it unless the console is in this directory"`
	part
}

// part is how much of the output is shown.
type part struct {
	Head     int `json:"head,omitempty" default:"40" jsonschema:"lines shown from the beginning of long output"`
	Tail     int `json:"tail,omitempty" default:"120" jsonschema:"lines shown from its end"`
	MaxChars int `json:"max_chars,omitempty" default:"8000" jsonschema:"most bytes of output shown"`
}

type waitArgs struct {
	Console string  `json:"console" jsonschema:"name of the console, or any"`
	For     string  `json:"for,omitempty" default:"done" enum:"done,input,text,idle" jsonschema:"its command's end, that it reads input, a text on its screen, or that nothing is printed for two seconds"`
	Text    string  `json:"text,omitempty" jsonschema:"with for=text: the text"`
	WaitS   float64 `json:"wait_s,omitempty" default:"30" jsonschema:"seconds, at most 50"`
}

type peekArgs struct {
	Console string `json:"console" jsonschema:"name of the console"`
	What    string `json:"what,omitempty" default:"screen" enum:"screen,output" jsonschema:"the screen, or the end of the latest command's output"`
	Lines   int    `json:"lines,omitempty" jsonschema:"how many lines (default: all of the screen, 40 of output)"`
}

type sendArgs struct {
	Console       string   `json:"console" jsonschema:"name of the console"`
	Text          string   `json:"text,omitempty" jsonschema:"typed as it is; a line needs the key enter"`
	Keys          []string `json:"keys,omitempty" jsonschema:"typed after the text: enter, tab, esc, up, down, left, right, pgup, pgdn, f1 to f12, C-c, M-x, or single characters"`
	Answer        string   `json:"answer,omitempty" jsonschema:"instead of text and keys: the name of an answer to what a coding agent asks, as allow_once"`
	OnlyIfWaiting bool     `json:"only_if_waiting,omitempty" default:"true" jsonschema:"type nothing unless the program waits for input or draws on the whole screen; C-c is always typed"`
	WaitS         float64  `json:"wait_s,omitempty" default:"5" jsonschema:"seconds to wait for the command's end afterwards, at most 50"`
}

type readArgs struct {
	Console  string `json:"console" jsonschema:"name of the console"`
	Command  int    `json:"command,omitempty" jsonschema:"number of the command (default: the latest)"`
	FromLine int64  `json:"from_line,omitempty" default:"1" jsonschema:"first line, counted from 1; negative: from the end"`
	Lines    int64  `json:"lines,omitempty" default:"200" jsonschema:"how many, as far as they fit into one answer"`
	Grep     string `json:"grep,omitempty" jsonschema:"only lines that match this regular expression (RE2)"`
}

type listArgs struct{}

type startArgs struct {
	Adapter string   `json:"adapter,omitempty" jsonschema:"program: a shell, python, node, gdb, psql, ... (default: bash)"`
	Name    string   `json:"name,omitempty" jsonschema:"the console's name (default: the adapter's, with a number)"`
	Cwd     string   `json:"cwd,omitempty" jsonschema:"directory to start in"`
	Env     []string `json:"env,omitempty" jsonschema:"variables over the environment, each KEY=VALUE"`
	Args    []string `json:"args,omitempty" jsonschema:"arguments of the program, such as the file to debug"`
	Reuse   bool     `json:"reuse,omitempty" default:"true" jsonschema:"take a console of that name that is running"`
}

type closeArgs struct {
	Console string `json:"console" jsonschema:"name of the console"`
	Mode    string `json:"mode,omitempty" default:"close" enum:"interrupt,close,kill" jsonschema:"interrupt its command, or end the console: asked first, or at once"`
}

// hints are what a tool says of itself.
func hints(title string, readOnly, destructive, open bool) *sdk.ToolAnnotations {
	return &sdk.ToolAnnotations{Title: title, ReadOnlyHint: readOnly, DestructiveHint: &destructive, OpenWorldHint: &open}
}

// addTools adds them; clients list tools in the order of their names.
func (s *Server) addTools() {
	if !s.o.ReadOnly {
		add(s, "console_exec", "Run code in a live console and show what it printed. The console keeps its directory, variables and state. If the command is still running when the wait ends, or waits for input, the answer says so and it goes on.",
			hints("Run code in a console", false, true, true), s.exec)
		add(s, "console_send", "Type text or keys into the command that runs in a console: answer a question, drive a full-screen program, press C-c.",
			hints("Type into a console", false, true, true), s.send)
		add(s, "console_start", "Start a program in a console of its own, or take the running one of that name.",
			hints("Start a console", false, false, true), s.startTool)
		add(s, "console_close", "Interrupt a console's command, or end the console with everything it started.",
			hints("End a console", false, true, false), s.closeTool)
	}
	add(s, "console_wait", "Wait until a console's command ends, waits for input, shows a text, or prints nothing more.",
		hints("Wait for a console", true, false, false), s.wait)
	add(s, "console_peek", "Show a console's screen as a person would see it, or the end of its output, without waiting.",
		hints("Look at a console", true, false, false), s.peek)
	add(s, "console_read", "Read lines of what a command printed, also long after it ended; search it with grep.",
		hints("Read a command's output", true, false, false), s.read)
	add(s, "console_list", "List the consoles with their state, directory and latest command.",
		hints("List consoles", true, false, false), s.list)
}

// add makes a tool of a function from arguments to text. What the console or its
// program did is text; an error is what ripple could not do.
func add[A any](s *Server, name, description string, h *sdk.ToolAnnotations, f func(context.Context, *sdk.CallToolRequest, A) (string, error)) {
	tool := &sdk.Tool{Name: name, Description: description, Annotations: h, InputSchema: schemaOf[A]()}
	sdk.AddTool(s.sdk, tool, func(ctx context.Context, req *sdk.CallToolRequest, a A) (*sdk.CallToolResult, any, error) {
		text, err := f(ctx, req, a)
		isError := false
		if err != nil {
			text, isError = explain(err)
		}
		return &sdk.CallToolResult{Content: []sdk.Content{&sdk.TextContent{Text: text}}, IsError: isError}, nil, nil
	})
}

// explain is what is said of an error. A console that is busy or elsewhere is no
// failure of ripple's.
func explain(err error) (text string, isError bool) {
	f, ok := asFault(err)
	if !ok {
		return clean(err.Error()), true
	}
	text = word(f.Message)
	switch f.Code {
	case console.FaultBusy, console.FaultTyping, console.FaultCwd, console.FaultNotWaiting, console.FaultSecret, console.FaultExited:
		text += "; nothing was typed"
	default:
		isError = true
	}
	if f.Status != nil {
		status := state(*f.Status, f.Status.Command)
		if f.Code == console.FaultBusy && f.Status.Command.Running() {
			status = "busy(" + word(f.Status.Command.By) + ") " + status
		}
		text = headlineAs(status, *f.Status, f.Status.Command) + "\n" + text
	}
	if f.Output != "" {
		text += "; it printed:\n" + fence(cut(clean(f.Output), defaultChars))
	}
	return text, isError
}

func asFault(err error) (*console.Fault, bool) { return errors.AsType[*console.Fault](err) }

// seconds is a wait within its bounds; consoles take none at all for one without end.
func seconds(s float64) time.Duration {
	return min(max(time.Duration(s*float64(time.Second)), time.Millisecond), longestWait)
}

// progress tells a client that asked for it that a wait goes on, until it is
// called off.
func (s *Server) progress(ctx context.Context, req *sdk.CallToolRequest) (stop func()) {
	token := req.Params.GetProgressToken()
	if token == nil {
		return func() {}
	}
	ctx, cancel := context.WithCancel(ctx)
	done := make(chan struct{})
	go func() {
		defer close(done)
		began := time.Now()
		t := time.NewTicker(s.progressEvery)
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
