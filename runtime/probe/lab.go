package probe

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"time"

	"example.org/ripple/runtime/contract"
	"example.org/ripple/runtime/internal/scratch"
	"example.org/ripple/runtime/launch"
	"example.org/ripple/runtime/pty"
	"example.org/ripple/runtime/terminal"
	"example.org/ripple/schema"
)

// way is a kind of terminal for the program, with its line end.
type way struct {
	term            string
	echo, canonical bool
	ending          string
}

func (w way) String() string {
	return fmt.Sprintf("TERM=%s, echo %v, canonical %v, lines end with %q", w.term, w.echo, w.canonical, w.ending)
}

func (w way) tty() []field {
	return []field{{"echo", w.echo}, {"canonical", w.canonical}, {"term", w.term}}
}

// lab runs the experiments with a program.
type lab struct {
	o       Options
	draft   *draft
	log     *evidence
	private *scratch.Dir
	dirs    dirs

	way way
	standing

	prompts  prompts
	trailing string // for a program without a prompt: the end of the last line of each answer
	silent   bool   // neither a prompt nor such an end
	more     string // continuation prompt, if it has one
	echoes   bool
	tongue   trial
	good     []string // outputs of successful commands

	unfinished unfinished
	failing    failing
	announced  []announced // strongest first
	settings   []string    // commands that keep output in one piece
}

// standing is the current run and its state.
type standing struct {
	talk     *talk
	atPrompt bool          // the last reply ended at the prompt
	unsure   bool          // and its line has text before the prompt
	startup  time.Duration // duration of the last start
	latest   time.Duration // time limit of a start if the kernel cannot detect its end; 0: it can
	fatal    bool          // Ctrl-C ends it
	mute     bool          // it prints nothing at its start
	lost     int           // spellings after which it did not return to its prompt
}

// dirs are private directories, removed with the lab.
type dirs struct{ work, home, temp string }

func newLab(o Options) (*lab, error) {
	private, err := scratch.New("", "probe")
	if err != nil {
		return nil, err
	}
	l := &lab{o: o, private: private, log: newEvidence(strings.Join(o.Command, " "))}
	root := private.Path
	if resolved, err := filepath.EvalSymlinks(root); err == nil {
		root = resolved
	}
	l.dirs = dirs{filepath.Join(root, "work"), filepath.Join(root, "home"), filepath.Join(root, "tmp")}
	for _, dir := range []string{l.dirs.work, l.dirs.home, l.dirs.temp} {
		if err := os.Mkdir(dir, 0o700); err != nil {
			private.Remove()
			return nil, err
		}
	}
	l.prompts.mute = []string{l.dirs.work, filepath.Base(l.dirs.work)}
	l.draft = newDraft(o)
	return l, nil
}

// close ends the program and removes all files.
func (l *lab) close() error {
	err := l.stop()
	l.private.Remove()
	return err
}

func (l *lab) stop() error {
	if l.talk == nil {
		return nil
	}
	err := l.talk.close()
	l.talk, l.atPrompt = nil, false
	return err
}

// start restarts the program on a terminal of the current way and returns its first reply.
func (l *lab) start(ctx context.Context) (reply, error) {
	if err := l.stop(); err != nil {
		return reply{}, err
	}
	l.draft.plain("process.tty", l.way.tty())
	a, err := l.draft.adapter(l.o.Name + ".yaml")
	if err != nil {
		return reply{}, err
	}
	plan, err := l.plan(a)
	if err != nil {
		return reply{}, err
	}
	t := plan.TTY
	l.talk, err = newTalk(pty.Command{
		Path: plan.Path, Argv: plan.Argv, Env: plan.Env, Dir: plan.Dir, Size: pty.Size{Cols: t.Cols, Rows: t.Rows},
		Echo: t.Echo, Canonical: t.Canonical, KeepCR: !t.Canonical && l.way.ending == "\r",
	}, terminal.Options{Replies: t.Replies}, l.o.patience())
	if err != nil {
		return reply{}, fmt.Errorf("starting %s: %w", plan.Path, err)
	}
	r := l.readPrompt(ctx)
	l.startup = r.took
	l.log.exchange("", r)
	l.atPrompt = l.isPrompt(r) || r.idle() && l.trailing != "" // the end that comes only after an answer
	for _, command := range l.settings {
		l.sendLine(ctx, command)
	}
	return r, ctx.Err()
}

// readPrompt reads until the program's first prompt: some programs wait for input before they have
// printed it.
func (l *lab) readPrompt(ctx context.Context) reply {
	r := l.talk.awaitReply(ctx, l.talk.patience.start)
	known := len(l.prompts.lines) > 0 && !l.silent && l.trailing == ""
	for r.idle() && (known && !l.isPrompt(r) || !known && !l.mute && len(r.raw) == 0) {
		more := l.talk.awaitMore(ctx, r, l.talk.patience.late)
		if len(more.raw) == len(r.raw) {
			l.mute = l.mute || !known
			return more
		}
		r = more
	}
	return r
}

func (l *lab) plan(a *schema.Adapter) (launch.Plan, error) {
	return launch.Build(a, launch.OSHost(), launch.Request{
		Dir: l.dirs.work, Env: contract.Environ(a, l.dirs.home, l.dirs.temp),
		Nonce: "0", ScratchDir: l.private.Path,
	})
}

// isPrompt reports whether a reply ends where the program waits for a command.
func (l *lab) isPrompt(r reply) bool {
	switch {
	case !r.idle():
		return false
	case l.silent:
		return r.last() == ""
	case l.trailing != "":
		return strings.HasSuffix(skeleton(r.text()), skeleton(l.trailing))
	}
	return l.prompts.endsIn(r.text())
}

var errLost = errors.New("the program no longer returns to its prompt")

// ready brings the program to its prompt, restarting it if necessary.
func (l *lab) ready(ctx context.Context) error {
	if l.talk != nil && !l.atPrompt && l.startup > slowStart {
		l.returnToPrompt(ctx)
	}
	l.confirmPrompt(ctx)
	for range 2 {
		if l.talk != nil && l.atPrompt {
			return ctx.Err()
		}
		if _, err := l.start(ctx); err != nil {
			return err
		}
	}
	if !l.atPrompt {
		return errLost
	}
	return ctx.Err()
}

// confirmPrompt distinguishes output without a line feed before a prompt from another prompt with the
// same ending, if an empty line repeats the prompt.
func (l *lab) confirmPrompt(ctx context.Context) {
	if l.talk == nil || !l.atPrompt || !l.unsure || l.draft.find("input.empty_line") != nil {
		return
	}
	r := l.sendLine(ctx, "")
	l.atPrompt = isExactPrompt(l, r)
}

// returnToPrompt tries input that may lead back to the prompt, while the program is running.
func (l *lab) returnToPrompt(ctx context.Context) {
	var keys []string
	if l.unfinished.escape != "" {
		keys = append(keys, l.unfinished.escape)
	}
	if l.failing.exit != "" {
		keys = append(keys, l.failing.exit+l.way.ending, l.failing.exit+l.way.ending)
	}
	for _, end := range l.tongue.language.End {
		keys = append(keys, end+l.way.ending)
	}
	for _, k := range append(keys, ctrlC) {
		if k == ctrlC && l.fatal {
			continue
		}
		r := l.sendKeys(ctx, k, time.Second)
		if r.how == ended || r.how == never {
			l.fatal = l.fatal || k == ctrlC
			return
		}
		if l.atPrompt = isExactPrompt(l, r); l.atPrompt {
			return
		}
	}
}

// sendLine sends one line and returns the answer.
func (l *lab) sendLine(ctx context.Context, line string) reply {
	return l.sendKeys(ctx, line+l.way.ending, l.o.patience().answer)
}

// sendKeys sends bytes unchanged.
func (l *lab) sendKeys(ctx context.Context, keys string, limit time.Duration) reply {
	if l.talk == nil {
		return reply{how: never}
	}
	r := l.talk.send(ctx, keys, limit)
	l.log.exchange(keys, r)
	l.atPrompt = l.isPrompt(r)
	l.unsure = l.atPrompt && !isExactPrompt(l, r)
	return r
}

// answer is the program's reaction to one or more lines of code entered at its prompt.
type answer struct {
	reply
	output string // without the echo and the prompt
	ok     bool   // it returned to its prompt
}

// eval evaluates code at the prompt, line by line.
func (l *lab) eval(ctx context.Context, code string) (answer, error) {
	if err := l.ready(ctx); err != nil {
		return answer{}, err
	}
	var a answer
	var text strings.Builder
	for line := range strings.SplitSeq(code, "\n") {
		a.reply = l.sendLine(ctx, line)
		said := a.text()
		if at := strings.Index(said, line); at >= 0 && line != "" && l.echoes {
			said = said[at+len(line):]
		}
		text.WriteString(said)
		if !a.idle() {
			break
		}
	}
	a.output, a.ok = l.trimPrompt(text.String()), l.atPrompt
	return a, ctx.Err()
}

// trimPrompt removes the prompt from the end of text.
func (l *lab) trimPrompt(text string) string {
	at := strings.LastIndexByte(text, '\n') + 1
	switch {
	case l.trailing != "":
		return strings.TrimRight(text[:max(0, len(text)-len(l.trailing))], " ")
	case l.silent || !l.prompts.endsIn(text):
		return text
	}
	last := []rune(text[at:])
	n := len([]rune(l.prompts.lines[0]))
	return text[:at] + string(last[:max(0, len(last)-n-2)])
}
