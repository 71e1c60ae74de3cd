package execcmd

import (
	"bytes"
	"cmp"
	"context"
	"io"
	"os"
	"sync"

	"example.org/ripple/cmd/ripple/internal/ui"
	"example.org/ripple/runtime/session"
	"example.org/ripple/schema"
)

// keyboard is the terminal of the user who started us. It is read from the first time that the
// program waits for input, or may do so: keys typed before that are left for the shell.
type keyboard struct {
	file  *os.File
	modes terminalModes // as we found them
	enter string        // what submits a line
	eof   string        // what ends the input; empty: nothing does

	mu     sync.Mutex
	takes  typing      // how it takes keys now
	typed  chan []byte // nil: it is not read yet; closed: the terminal is gone
	closed bool        // it is as it was found, and stays so
}

// newKeyboard returns nil when standard input is not a terminal.
func newKeyboard(in io.Reader, ad *schema.Adapter) *keyboard {
	if !ui.IsTerminal(in) {
		return nil
	}
	k := &keyboard{file: in.(*os.File), enter: cmp.Or(ad.Input.LineEnding, ad.Process.LineEnding)}
	if ad.Signals.EOF != nil {
		k.eof = *ad.Signals.EOF
	}
	k.modes = modesOf(k.file)
	return k
}

// leave shows what is typed again: the program asks no more.
func (k *keyboard) leave() {
	if k != nil {
		k.take(asFound)
	}
}

// take changes how keys are taken. A job in the background that sets modes is stopped, so
// that nothing is set which is so already.
func (k *keyboard) take(as typing) {
	k.mu.Lock()
	defer k.mu.Unlock()
	if k.takes != as && !k.closed {
		k.takes = as
		k.modes.set(k.file, as)
	}
}

// restore gives the terminal back as it was. Typed input that the
// program has not read is dropped: the shell after us would run it, and it may be a secret.
func (k *keyboard) restore() {
	if k == nil {
		return
	}
	k.mu.Lock()
	defer k.mu.Unlock()
	k.closed = true
	if k.typed != nil || k.takes != asFound {
		k.modes.flush(k.file)
	}
}

// read reads what is typed for as long as ripple lives: a call that waits for a terminal
// cannot be called off.
func (k *keyboard) read() <-chan []byte {
	k.mu.Lock()
	defer k.mu.Unlock()
	if k.typed != nil || k.closed {
		return k.typed
	}
	typed := make(chan []byte)
	k.typed = typed
	go func() {
		defer close(typed)
		for buf := make([]byte, 4096); ; {
			n, err := k.file.Read(buf)
			if err != nil && err != io.EOF {
				return
			}
			typed <- bytes.Clone(buf[:n])
		}
	}()
	return typed
}

// input returns the bytes to send to the program for typed text; no text means the end of input.
func (k *keyboard) input(typed []byte) []byte {
	switch {
	case len(typed) == 0:
		return []byte(k.eof)
	case k.inLines() && typed[len(typed)-1] != '\n': // it was ended as the end of input is
		typed = append(typed, '\n')
	}
	return bytes.ReplaceAll(typed, []byte("\n"), []byte(k.enter))
}

// inLines reports whether the terminal gives whole lines.
func (k *keyboard) inLines() bool {
	k.mu.Lock()
	defer k.mu.Unlock()
	return k.takes != silentKeys && k.modes.lines()
}

// answer gives the program what is typed, for as long as it waits like that.
func (x *execution) answer(ctx context.Context, st session.State) error {
	k := x.keyboard
	k.take(showing(st))
	keys := k.read()
	changed, stop := context.WithCancel(ctx)
	defer stop()
	go func() {
		defer stop()
		_, _ = x.session.WaitState(changed, otherThan(st)) // the command reports its error
	}()
	select {
	case typed, ok := <-keys:
		if !ok {
			return io.ErrUnexpectedEOF
		}
		if s := x.session.State(); s.Stopped != nil && s.Waiting == session.WaitingSecret {
			return nil // it may be a secret: if the program never reads it, another one would
		}
		return x.session.Send(ctx, k.input(typed))
	case <-changed.Done():
		return ctx.Err()
	}
}

// showing returns the mode of the user's terminal while a program waits in that way.
func showing(st session.State) typing {
	switch {
	case st.Waiting == session.WaitingSecret:
		return silentLines
	case st.EchoHint == session.EchoHintOff:
		return silentKeys // who reads them shows them, or does not
	}
	return asFound
}

// typing is how a terminal takes keys.
type typing uint8

const (
	asFound     typing = iota
	silentLines        // whole lines, which are not shown
	silentKeys         // each key at once, and it is not shown; Ctrl-C is a signal
)
