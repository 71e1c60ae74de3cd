package loopcmd

import (
	"context"
	"fmt"
	"os/exec"
	"strings"
	"time"

	"ripple/cmd/ripple/internal/ui"
	"ripple/runtime/loop"
)

// asked rings the bell of the terminal, and notifies.
func (v *loopView) asked(n loop.Notice) {
	if v.ErrTerminal {
		fmt.Fprint(v.Err, "\a")
	}
	v.notify(asksWords(*n.Question))
}

// notifyTimeout is how long the desktop's own command may take.
const notifyTimeout = 5 * time.Second

// notify tells the desktop, or else the terminal by an escape sequence, which it shows as
// a notification of its own. That neither can is no news.
func (v *loopView) notify(text string) {
	if !v.config.Notify {
		return
	}
	text = ui.FirstLine(ui.Harmless(text))
	if path, err := exec.LookPath("notify-send"); err == nil && (v.Getenv("DISPLAY") != "" || v.Getenv("WAYLAND_DISPLAY") != "") {
		ctx, cancel := context.WithTimeout(context.Background(), notifyTimeout)
		defer cancel()
		if exec.CommandContext(ctx, path, "--app-name=ripple", "--", "ripple", text).Run() == nil {
			return
		}
	}
	if v.ErrTerminal {
		fmt.Fprint(v.Err, notification(text, v.Getenv))
	}
}

// notification is the escape sequence of a notification: OSC 777 where terminals are
// known to take that one (rxvt, foot, those of VTE), else OSC 9 (iTerm2, kitty, ghostty,
// WezTerm, Windows Terminal). tmux passes it on in a sequence of its own, where it may.
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
