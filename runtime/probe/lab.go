package probe

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"time"

	"ripple/runtime/contract"
	"ripple/runtime/internal/scratch"
	"ripple/runtime/launch"
	"ripple/runtime/pty"
	"ripple/runtime/terminal"
	"ripple/schema"
)

// way is a kind of terminal that the program is given, and how lines are ended there.
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

// lab is where a program is experimented with.
type lab struct {
	o       Options
	draft   *draft
	log     *evidence
	private *scratch.Dir
	dirs    dirs

	way way
	standing

	prompts  prompts
	trailing string // instead of a prompt: how the last line of each answer ends
	silent   bool   // neither a prompt nor such an end
	more     string // prompt for the rest of something unfinished, where it has one
	echoes   bool
	tongue   trial
	good     []string // outputs of what succeeded

	unfinished unfinished
	failing    failing
	announced  []announced // the strongest first
	settings   []string    // commands that keep output in one piece
}

// standing is the run that goes on, and how it stands.
type standing struct {
	talk     *talk
	atPrompt bool          // the last reply ended at the prompt
	unsure   bool          // and something stood before it on its line
	startup  time.Duration // of the last start
	latest   time.Duration // when a start is over of which the kernel does not say so; 0: it says so
	fatal    bool          // Ctrl-C ends it
	mute     bool          // it starts without a word
	lost     int           // spellings after which it was not at its prompt any more
}

// dirs are private, and go with the lab.
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

// close ends what runs and removes what was written.
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

// start starts the program anew, on a terminal of the present way, and hears it out.
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
	r := l.hearPrompt(ctx)
	l.startup = r.took
	l.log.exchange("", r)
	l.atPrompt = l.isPrompt(r) || r.idle() && l.trailing != "" // which comes after an answer only
	for _, command := range l.settings {
		l.say(ctx, command)
	}
	return r, ctx.Err()
}

// hearPrompt hears the program out until its first prompt: some wait for input before they
// have printed it.
func (l *lab) hearPrompt(ctx context.Context) reply {
	r := l.talk.hear(ctx, l.talk.patience.start)
	known := len(l.prompts.lines) > 0 && !l.silent && l.trailing == ""
	for r.idle() && (known && !l.isPrompt(r) || !known && !l.mute && len(r.raw) == 0) {
		more := l.talk.hearOn(ctx, r, l.talk.patience.late)
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

// isPrompt says whether a reply ends where the program waits for a command.
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

var errLost = errors.New("the program does not come to its prompt any more")

// ready has the program at its prompt, by starting it again where it is elsewhere.
func (l *lab) ready(ctx context.Context) error {
	if l.talk != nil && !l.atPrompt && l.startup > slowStart {
		l.comeBack(ctx)
	}
	l.makeSure(ctx)
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

// makeSure tells output without a line feed before a prompt from another prompt that ends
// in the same way, where an empty line shows the prompt anew.
func (l *lab) makeSure(ctx context.Context) {
	if l.talk == nil || !l.atPrompt || !l.unsure || l.draft.find("input.empty_line") != nil {
		return
	}
	r := l.say(ctx, "")
	l.atPrompt = exactly(l, r)
}

// comeBack tries what may lead back to the prompt, as long as the program lives.
func (l *lab) comeBack(ctx context.Context) {
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
		r := l.key(ctx, k, time.Second)
		if r.how == ended || r.how == never {
			l.fatal = l.fatal || k == ctrlC
			return
		}
		if l.atPrompt = exactly(l, r); l.atPrompt {
			return
		}
	}
}

// say sends one line and hears the answer.
func (l *lab) say(ctx context.Context, line string) reply {
	return l.key(ctx, line+l.way.ending, l.o.patience().answer)
}

// key sends bytes as they are.
func (l *lab) key(ctx context.Context, keys string, limit time.Duration) reply {
	if l.talk == nil {
		return reply{how: never}
	}
	r := l.talk.say(ctx, keys, limit)
	l.log.exchange(keys, r)
	l.atPrompt = l.isPrompt(r)
	l.unsure = l.atPrompt && !exactly(l, r)
	return r
}

// answer is what the program did with code of one line or several, begun at its prompt.
type answer struct {
	reply
	output string // without the echo and without the prompt
	ok     bool   // it is back at its prompt
}

// ask has code evaluated from the prompt on, line by line.
func (l *lab) ask(ctx context.Context, code string) (answer, error) {
	if err := l.ready(ctx); err != nil {
		return answer{}, err
	}
	var a answer
	var text strings.Builder
	for line := range strings.SplitSeq(code, "\n") {
		a.reply = l.say(ctx, line)
		said := a.text()
		if at := strings.Index(said, line); at >= 0 && line != "" && l.echoes {
			said = said[at+len(line):]
		}
		text.WriteString(said)
		if !a.idle() {
			break
		}
	}
	a.output, a.ok = l.cut(text.String()), l.atPrompt
	return a, ctx.Err()
}

// cut takes the prompt off the end.
func (l *lab) cut(text string) string {
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
