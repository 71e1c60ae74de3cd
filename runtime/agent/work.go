package agent

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"time"

	"example.org/ripple/runtime/internal/acp"
	"example.org/ripple/runtime/internal/permit"
	"example.org/ripple/runtime/internal/rpc"
	"example.org/ripple/runtime/internal/workplace"
)

// work performs an agent's requests to its client's machine, each in its own goroutine; the
// results arrive on done.
type work struct {
	place *workplace.Place
	rules permit.Rules
	ctx   context.Context // ends with the turn
	over  context.CancelFunc
	done  chan worked
}

// worked is the result of one request.
type worked struct {
	id     string
	result any
	err    *rpc.Error
}

func newWork(dir string, rules permit.Rules) *work {
	ctx, over := context.WithCancel(context.Background())
	return &work{
		place: workplace.New(workplace.Options{Dir: dir, Attr: ownSession(), Status: exitStatus}),
		rules: rules, ctx: ctx, over: over, done: make(chan worked),
	}
}

// equip sets the environment of commands, and how long they may take to exit.
func (k *work) equip(env []string, grace time.Duration) { k.place.Equip(env, grace) }

// begin starts a request.
func (k *work) begin(id string, w acp.Work) {
	go func() {
		result, err := k.do(w)
		select {
		case k.done <- worked{id, result, errorOf(err)}:
		case <-k.ctx.Done(): // the result is no longer wanted
		}
	}()
}

// errRefused is returned for operations that the adapter's rules deny.
var errRefused = errors.New("refused by a rule")

func (k *work) do(w acp.Work) (any, error) {
	if a, denied := k.rules.Decide(w.Question()); denied && (w.Method == acp.ReadFile || w.Method == acp.WriteFile || w.Method == acp.CreateTerminal) {
		return nil, fmt.Errorf("%w of the adapter, %s", errRefused, a.By)
	}
	nothing := map[string]any{}
	switch w.Method {
	case acp.ReadFile:
		text, err := k.place.Read(w.Path, w.Line, w.Limit)
		return map[string]any{"content": text}, err
	case acp.WriteFile:
		return nothing, k.place.Write(w.Path, w.Content)
	case acp.CreateTerminal:
		c := workplace.Command{Name: w.Command, Args: w.Args, Dir: w.Dir, Keep: w.Keep}
		for _, v := range w.Env {
			c.Env = append(c.Env, v.Name+"="+v.Value)
		}
		id, err := k.place.Create(c)
		return map[string]any{"terminalId": id}, err
	case acp.TerminalOutput:
		text, lost, exit, err := k.place.Output(w.Terminal)
		result := map[string]any{"output": text, "truncated": lost}
		if exit != nil {
			result["exitStatus"] = exitOf(*exit)
		}
		return result, err
	case acp.WaitForExit:
		exit, err := k.place.Wait(k.ctx, w.Terminal)
		return exitOf(exit), err
	case acp.KillTerminal:
		return nothing, k.place.Kill(k.ctx, w.Terminal)
	default: // acp.ReleaseTerminal
		return nothing, k.place.Release(k.ctx, w.Terminal)
	}
}

// exitOf converts an exit status to the protocol's form.
func exitOf(e workplace.Exit) map[string]any {
	if e.Signal != "" {
		return map[string]any{"exitCode": nil, "signal": e.Signal}
	}
	return map[string]any{"exitCode": e.Code, "signal": nil}
}

// errorOf converts an error to the protocol's form; nil for nil.
func errorOf(err error) *rpc.Error {
	if err == nil {
		return nil
	}
	code := rpc.CodeInternal
	for _, c := range []struct {
		is   error
		code int
	}{
		{workplace.ErrOutside, rpc.CodeBadParams},
		{workplace.ErrNoText, rpc.CodeBadParams},
		{workplace.ErrTooMuch, rpc.CodeBadParams},
		{errRefused, rpc.CodeBadParams},
		{fs.ErrNotExist, rpc.CodeNotFound},
		{workplace.ErrClosed, rpc.CodeCancelled},
	} {
		if errors.Is(err, c.is) {
			code = c.code
		}
	}
	return &rpc.Error{Code: code, Message: err.Error()}
}

// end ends every command that was started, with its child processes.
func (k *work) end(ctx context.Context) error {
	err := k.place.Close(ctx)
	k.over()
	return err
}
