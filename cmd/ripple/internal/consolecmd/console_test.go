package consolecmd

import (
	"bytes"
	"regexp"
	"strings"
	"testing"

	"github.com/spf13/cobra"
	"github.com/stretchr/testify/assert"

	"example.org/ripple/cmd/ripple/internal/ui"
	"example.org/ripple/runtime/console"
)

// ended returns the exit code and the message of a command that ends with err.
func ended(err error) (code int, message string) {
	var errs bytes.Buffer
	a := ui.NewApp(strings.NewReader(""), &errs, &errs, func(error) {})
	code = a.End(&cobra.Command{}, err)
	return code, errs.String()
}

// Hints can be pasted: each of their commands names the console.
func TestHintsNameTheConsole(t *testing.T) {
	one := regexp.MustCompile("ripple console (attach|close|exec|history|peek|read|send|wait)[^;,\n]*")
	for _, code := range []string{
		console.FaultBusy, console.FaultQueued, console.FaultTyping, console.FaultCwdMismatch, console.FaultExited, console.FaultNotWaiting,
		console.FaultSecret, console.FaultStopped, console.FaultNameInUse, console.FaultUnresponsive,
	} {
		for _, s := range []console.State{console.Starting, console.Running, console.Stopped, console.Dead} {
			_, message := ended(explain(&console.Fault{Code: code, Message: "m", Status: &console.Status{Name: "work", State: s}}))
			for _, command := range one.FindAllString(message, -1) {
				assert.Contains(t, command, " work", "%s %s", code, s)
			}
		}
	}
}

// A wait that ends before a command could be sent, or before the first prompt, is a timeout.
func TestATimeoutBeforeTheCommand(t *testing.T) {
	queued := func(s console.State) error {
		return explain(&console.Fault{Code: console.FaultQueued, Message: "m", Status: &console.Status{Name: "work", State: s}})
	}
	for hint, err := range map[string]error{
		"ripple console wait work;": queued(console.Running),
		"ripple console wait --for input work; to see its screen: ripple console peek work; to end it: ripple console close work\n": queued(console.Starting),
		"its first prompt\n  to wait for it: ripple console wait --for input work;":                                                 notReady(console.Status{Name: "work", State: console.Starting}, ""),
		"its first prompt; its last line is \"key?\"\n  to wait for it: ":                                                           notReady(console.Status{Name: "work", State: console.Starting}, "Welcome\nkey?  \n\n"),
	} {
		code, message := ended(err)
		assert.Equal(t, ui.ExitTimeout, code)
		assert.Contains(t, message, hint)
	}
	assert.NoError(t, notReady(console.Status{State: console.Idle}, ""))
}
