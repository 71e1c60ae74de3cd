package loopcmd

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"strings"
	"time"

	"example.org/ripple/cmd/ripple/internal/ui"
	"example.org/ripple/internal/projectfile"
	"example.org/ripple/runtime/loop"
)

// asked rings the terminal's bell and sends a notification.
func (v *loopView) asked(n loop.Notice) {
	if v.ErrTerminal {
		fmt.Fprint(v.Raw.Err, "\a")
	}
	v.notify(asksWords(*n.Question))
}

// notifyTimeout is the time limit of the desktop's own command.
const notifyTimeout = 5 * time.Second

// notify notifies the user through the desktop, or else by an escape sequence, which the terminal
// displays as a notification. Failures are ignored.
func (v *loopView) notify(text string) {
	if !v.config.Notify {
		return
	}
	text = ui.FirstLine(ui.Harmless(text))
	// An agent could put a program of this name into the .venv/bin of its project.
	if path, err := exec.LookPath("notify-send"); err == nil && !projectfile.InProject(path) && (v.Getenv("DISPLAY") != "" || v.Getenv("WAYLAND_DISPLAY") != "") {
		ctx, cancel := context.WithTimeout(context.Background(), notifyTimeout)
		defer cancel()
		cmd := exec.CommandContext(ctx, path, "--app-name=ripple", "--", "ripple", text)
		cmd.Env = projectfile.Libraries(os.Environ())
		if cmd.Run() == nil {
			return
		}
	}
	if v.ErrTerminal {
		fmt.Fprint(v.Raw.Err, notification(text, v.Getenv))
	}
}

// notification returns the escape sequence of a notification: OSC 777 for terminals known to
// support it (rxvt, foot, those based on VTE), else OSC 9 (iTerm2, kitty, ghostty, WezTerm,
// Windows Terminal). tmux passes it on in a sequence of its own, if that is allowed.
func notification(text string, getenv func(string) string) string {
	text = strings.ReplaceAll(text, ";", ",")
	const escape = "\x1b"
	before, begin, after := "", escape, ""
	if getenv("TMUX") != "" {
		before, begin, after = escape+"Ptmux;", escape+escape, escape+"\\"
	}
	sequence := "]9;ripple: " + text + "\a"
	term := getenv("TERM")
	if strings.HasPrefix(term, "rxvt") || strings.HasPrefix(term, "foot") || getenv("VTE_VERSION") != "" {
		sequence = "]777;notify;ripple;" + text + "\a"
	}
	return before + begin + sequence + after
}
