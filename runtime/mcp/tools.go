package mcp

import (
	"context"
	"errors"
	"fmt"
	"time"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"example.org/ripple/runtime/console"
)

const (
	// maxWait is less than the minute after which clients cancel a call.
	maxWait = 50 * time.Second
	// progressEvery is the interval of progress messages to a client that requests them.
	progressEvery = 5 * time.Second
	// idleEnd ends a console that is no longer used.
	idleEnd = 24 * time.Hour
	// defaultChars is less than the limit at which any of the clients cuts a result, in bytes.
	defaultChars = 8000
	mostChars    = 100_000
)

// Arguments of the tools. The tags default and enum become part of the schema; absent and null
// arguments have their default before a tool sees them.

type execArgs struct {
	Console   string  `json:"console,omitempty" default:"main" jsonschema:"name of the console; started if it does not exist"`
	Code      string  `json:"code" jsonschema:"code to run: one or more lines, as typed at its prompt"`
	Adapter   string  `json:"adapter,omitempty" jsonschema:"program for a console that is started: a shell, python, node, gdb, ... (default: bash)"`
	WaitS     float64 `json:"wait_s,omitempty" default:"30" jsonschema:"seconds to wait for its end, at most 50; after that the command continues"`
	ExpectCwd string  `json:"expect_cwd,omitempty" jsonschema:"refuse to run it unless the console is in this directory"`
	part
}

// part selects the part of the output that is shown.
type part struct {
	Head     int `json:"head,omitempty" default:"40" jsonschema:"lines shown from the beginning of long output"`
	Tail     int `json:"tail,omitempty" default:"120" jsonschema:"lines shown from its end"`
	MaxChars int `json:"max_chars,omitempty" default:"8000" jsonschema:"maximum number of bytes of output shown"`

	from   int64  // offset of the first byte shown
	cursor *int64 // that offset as given by the client
}

// since returns p with the offset that a client asks for; a negative cursor means after the output
// already shown.
func (p part) since(cursor int64) part {
	if cursor >= 0 {
		p.cursor = &cursor
	}
	return p
}

type waitArgs struct {
	Console string  `json:"console,omitempty" jsonschema:"name of the console, or any (default: main, or the only one)"`
	For     string  `json:"for,omitempty" default:"done" enum:"done,input,text,idle" jsonschema:"the end of its command, that it reads input, a text on its screen, or that nothing is printed for two seconds"`
	Text    string  `json:"text,omitempty" jsonschema:"with for=text: the text"`
	WaitS   float64 `json:"wait_s,omitempty" default:"30" jsonschema:"seconds, at most 50"`
	Cursor  int64   `json:"cursor,omitempty" default:"-1" jsonschema:"show output from this byte on, as given by cursor=; default: output that is new since your last call"`
}

type peekArgs struct {
	Console string `json:"console,omitempty" jsonschema:"name of the console (default: main, or the only one)"`
	What    string `json:"what,omitempty" default:"screen" enum:"screen,output" jsonschema:"the screen, or the end of the latest command's output"`
	Lines   int    `json:"lines,omitempty" jsonschema:"how many lines (default: all of the screen, 40 of output)"`
}

type sendArgs struct {
	Console       string   `json:"console,omitempty" jsonschema:"name of the console (default: main, or the only one)"`
	Text          string   `json:"text,omitempty" jsonschema:"typed unchanged; a line needs the key enter"`
	Keys          []string `json:"keys,omitempty" jsonschema:"typed after the text: enter, tab, esc, up, down, left, right, pgup, pgdn, f1 to f12, C-c, M-x, S-tab, C-left, or single characters"`
	Answer        string   `json:"answer,omitempty" jsonschema:"instead of text and keys: the name of an answer to a coding agent's question, such as allow_once"`
	OnlyIfWaiting bool     `json:"only_if_waiting,omitempty" default:"true" jsonschema:"type nothing unless the program waits for input or draws on the whole screen; C-c is always typed"`
	WaitS         float64  `json:"wait_s,omitempty" default:"5" jsonschema:"seconds to wait for the command's end afterwards, at most 50"`
	Cursor        int64    `json:"cursor,omitempty" default:"-1" jsonschema:"show output from this byte on, as given by cursor=; default: output that is new since your last call"`
}

type readArgs struct {
	Console  string `json:"console,omitempty" jsonschema:"name of the console (default: main, or the only one)"`
	Command  int    `json:"command,omitempty" jsonschema:"number of the command (default: the latest)"`
	FromLine int64  `json:"from_line,omitempty" default:"1" jsonschema:"first line, counted from 1; negative: from the end"`
	Lines    int64  `json:"lines,omitempty" default:"200" jsonschema:"how many, as far as they fit into one answer"`
	Column   int64  `json:"column,omitempty" jsonschema:"first byte of each line to show, counted from 0: pages through a long line"`
	Grep     string `json:"grep,omitempty" jsonschema:"only lines that match this regular expression (RE2)"`
}

type listArgs struct{}

type startArgs struct {
	Adapter string   `json:"adapter,omitempty" jsonschema:"program: a shell, python, node, gdb, psql, ... (default: bash)"`
	Name    string   `json:"name,omitempty" jsonschema:"the console's name (default: the adapter's, with a number)"`
	Cwd     string   `json:"cwd,omitempty" jsonschema:"directory to start in"`
	Env     []string `json:"env,omitempty" jsonschema:"additional environment variables, each KEY=VALUE"`
	Args    []string `json:"args,omitempty" jsonschema:"arguments of the program, such as the file to debug"`
	Reuse   bool     `json:"reuse,omitempty" default:"true" jsonschema:"use a running console of that name"`
}

type closeArgs struct {
	Console string `json:"console" jsonschema:"name of the console"`
	Mode    string `json:"mode,omitempty" default:"close" enum:"interrupt,close,kill" jsonschema:"interrupt: interrupt its command; close: ask the program to end, then end the console; kill: end both at once"`
}

// hints returns the annotations of a tool.
func hints(title string, readOnly, destructive, open bool) *sdk.ToolAnnotations {
	return &sdk.ToolAnnotations{Title: title, ReadOnlyHint: readOnly, DestructiveHint: &destructive, OpenWorldHint: &open}
}

// addTools registers the tools; clients list them in alphabetical order.
func (s *Server) addTools() {
	if !s.o.ReadOnly {
		add(s, "console_exec", "Run code in a live console and show what it printed. The console keeps its directory, variables and state. If the command is still running when the wait ends, or waits for input, the answer says so and the command continues. Calls for one console run one after the other, in the order sent.",
			hints("Run code in a console", false, true, true), s.exec)
		add(s, "console_send", "Type text or keys into the command that runs in a console: answer a question, drive a full-screen program, press C-c.",
			hints("Type into a console", false, true, true), s.send)
		add(s, "console_start", "Start a program in a console of its own, or use the running one of that name.",
			hints("Start a console", false, false, true), s.startTool)
		add(s, "console_close", "Interrupt a console's command, or end the console with everything it started.",
			hints("End a console", false, true, false), s.closeTool)
	}
	add(s, "console_wait", "Wait until a console's command ends, waits for input, shows a text, or stops printing. A state already reported in which a user may have to act, such as waiting_for_secret, is waited out.",
		hints("Wait for a console", true, false, false), s.wait)
	add(s, "console_peek", "Show a console's screen, or the end of its output, without waiting.",
		hints("Look at a console", true, false, false), s.peek)
	add(s, "console_read", "Read lines of a command's output, even long after it ended; search it with grep.",
		hints("Read a command's output", true, false, false), s.read)
	add(s, "console_list", "List the consoles with their state, directory and latest command.",
		hints("List consoles", true, false, false), s.list)
}

// add registers a function from arguments to text as a tool. The text reports results of the
// console or its program; an error reports what ripple could not do.
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

// explain returns the message for an error. A console that is busy or in another directory is not a
// failure of ripple.
func explain(err error) (text string, isError bool) {
	f, ok := asFault(err)
	if !ok {
		return clean(err.Error()), true
	}
	text = sentence(f.Message)
	switch f.Code {
	case console.FaultBusy, console.FaultQueued, console.FaultTyping, console.FaultCwdMismatch, console.FaultNotWaiting, console.FaultSecret, console.FaultExited:
		text += "; nothing was typed"
	case console.FaultUnresponsive:
		text += "; to end it: console_close mode=kill"
		isError = true
	default:
		isError = true
	}
	if !isError {
		text = "refused: " + text
	}
	if f.Status != nil {
		status := state(*f.Status, f.Status.Command)
		if (f.Code == console.FaultBusy || f.Code == console.FaultQueued) && f.Status.Command.Running() {
			status = "busy(" + word(f.Status.Command.By) + ") " + status
		}
		text += "\n" + headlineAs(status, *f.Status, f.Status.Command)
	}
	if f.Output != "" {
		text += "; it printed:\n" + fence(cut(clean(f.Output), defaultChars))
	}
	return text, isError
}

func asFault(err error) (*console.Fault, bool) { return errors.AsType[*console.Fault](err) }

// seconds converts a wait to a duration within the limits; zero becomes the minimum, because
// consoles take it as unbounded.
func seconds(s float64) time.Duration {
	return min(max(time.Duration(s*float64(time.Second)), time.Millisecond), maxWait)
}

// progress sends progress messages, if the client asked for them, until stop is called.
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
				_ = req.Session.NotifyProgress(ctx, &sdk.ProgressNotificationParams{ // a client may ignore them
					ProgressToken: token, Progress: waited.Seconds(), Message: fmt.Sprintf("waited %s", waited),
				})
			case <-ctx.Done():
				return
			}
		}
	}()
	return func() { cancel(); <-done }
}
