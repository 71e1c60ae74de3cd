package terminal

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"strings"
	"sync"
	"sync/atomic"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"example.org/ripple/internal/testkit"
	"example.org/ripple/internal/vt"
	"example.org/ripple/runtime/proctree"
	"example.org/ripple/runtime/pty"
	"example.org/ripple/schema"
)

// started is a program under test and the output that Run has passed on so far.
type started struct {
	*Terminal
	t      testing.TB
	mu     sync.Mutex
	out    []byte
	more   chan struct{}
	result chan error
}

// start runs argv, or one of this package's own programs with its arguments, until the test ends.
func start(t testing.TB, o Options, c pty.Command, argv ...string) *started {
	t.Helper()
	s := launch(t, o, c, (*started).take, argv...)
	t.Cleanup(func() { assert.NoError(t, s.Close(context.Background())) })
	return s
}

// launch is start for tests that handle the output themselves and close the terminal.
func launch(t testing.TB, o Options, c pty.Command, take func(*started, []byte), argv ...string) *started {
	t.Helper()
	c.Env = os.Environ()
	if programs[argv[0]] != nil {
		self, err := os.Executable()
		require.NoError(t, err)
		c.Env = append(c.Env, "TERMINAL_TEST_PROGRAM="+argv[0])
		argv[0] = self
	}
	path, err := exec.LookPath(argv[0])
	require.NoError(t, err)
	c.Path, c.Argv = path, argv
	if c.Size == (pty.Size{}) {
		c.Size = pty.Size{Cols: 80, Rows: 24}
	}
	term, err := Start(c, o)
	require.NoError(t, err)
	s := &started{Terminal: term, t: t, more: make(chan struct{}, 1), result: make(chan error, 1)}
	if take == nil {
		go func() { s.result <- s.Run(nil) }()
	} else {
		go func() { s.result <- s.Run(func(b []byte) { take(s, b) }) }()
	}
	return s
}

func (s *started) take(b []byte) {
	s.mu.Lock()
	s.out = append(s.out, b...)
	s.mu.Unlock()
	select {
	case s.more <- struct{}{}:
	default:
	}
}

func (s *started) output() string {
	s.mu.Lock()
	defer s.mu.Unlock()
	return string(s.out)
}

// shows waits until the program has printed text.
func (s *started) shows(text string) {
	s.t.Helper()
	late := time.After(testkit.Patience(20 * time.Second))
	for !strings.Contains(s.output(), text) {
		select {
		case <-s.more:
		case <-late:
			s.t.Fatalf("%q was not printed: %q", text, s.output())
		}
	}
}

// ends waits for the end of the program and of its output.
func (s *started) ends() string {
	s.t.Helper()
	select {
	case err := <-s.result:
		require.NoError(s.t, err)
	case <-time.After(testkit.Patience(20 * time.Second)):
		s.t.Fatalf("it does not end: %q", s.output())
	}
	return s.output()
}

func text(t *Terminal) (out string) {
	t.WithScreen(func(s *vt.Screen) { out = string(s.AppendText(nil)) })
	return out
}

func TestOutputArrivesWhole(t *testing.T) {
	s := start(t, Options{}, pty.Command{}, "sh", "-c", `printf 'a\tb\n\n'; seq 20000; printf end; exit 3`)
	var want strings.Builder
	for i := range 20000 {
		fmt.Fprintf(&want, "%d\r\n", i+1)
	}
	assert.Equal(t, "a\tb\r\n\r\n"+want.String()+"end", s.ends())
	code, signal := s.ExitStatus()
	assert.Equal(t, 3, code)
	assert.Empty(t, signal)
	<-s.Done()
}

// Run ends at the program's exit, even if another process keeps its terminal open.
func TestRunEndsWithTheProgramNotWithItsTerminal(t *testing.T) {
	s := start(t, Options{}, pty.Command{}, "sh", "-c", `trap '' HUP; sleep 1000 & echo last words`)
	assert.Equal(t, "last words\r\n", s.ends())
}

// Input is queued however long the program does not read, and arrives in order.
func TestWriteNeverWaits(t *testing.T) {
	var mu sync.Mutex
	var wrote []byte
	s := start(t, Options{OnWrite: func(b []byte) {
		mu.Lock()
		defer mu.Unlock()
		wrote = append(wrote, b...)
	}}, pty.Command{}, "count")
	s.shows("ready")
	require.NoError(t, s.Signal(syscall.SIGSTOP)) // it reads nothing
	big := append(bytes.Repeat([]byte("xy"), 1<<19), '\n')
	for i := 0; i < len(big); i += 1 << 16 { // the last is one byte
		n, err := s.Write(big[i:min(i+1<<16, len(big))])
		require.NoError(t, err)
		require.Positive(t, n)
	}
	assert.Greater(t, s.Queued(), 1<<19)
	require.NoError(t, s.Signal(syscall.SIGCONT))
	assert.Contains(t, s.ends(), "1048577 524288\r\n")
	assert.Zero(t, s.Queued())
	mu.Lock()
	defer mu.Unlock()
	assert.True(t, bytes.Equal(big, wrote), "the terminal reports its input in order")
}

// An interrupt discards earlier input in the queue.
func TestInterruptDiscardsQueue(t *testing.T) {
	var mu sync.Mutex
	var last byte
	wrote := func(b []byte) { mu.Lock(); last = b[len(b)-1]; mu.Unlock() }
	s := start(t, Options{OnWrite: wrote}, pty.Command{Canonical: true}, "sh", "-c", `trap 'echo caught' INT; echo ready; while :; do sleep 1000 & wait; done`)
	s.shows("ready")
	_, err := s.Write(bytes.Repeat([]byte("line\n"), 1<<16))
	require.NoError(t, err)
	require.Positive(t, s.Queued())
	s.Interrupt("\x03")
	assert.Zero(t, s.Queued())
	s.shows("caught")
	mu.Lock()
	assert.Equal(t, byte(3), last)
	mu.Unlock()
}

// If Ctrl-C is an ordinary key it is typed.
func TestInterruptTypesTheKeyToAProgramThatReadsKeys(t *testing.T) {
	s := start(t, Options{}, pty.Command{}, "sh", "-c", `stty raw -echo; echo ready; dd bs=1 count=1 2>/dev/null | od -An -tx1`)
	s.shows("ready")
	s.Interrupt("\x03")
	assert.Contains(t, s.ends(), " 03")
}

// A program that reads keys gets replies; a program that reads lines would find them in its next
// line.
func TestAnswers(t *testing.T) {
	ask := `printf 'text\033[5;7H\033[6n'; dd bs=1 count=%d 2>/dev/null | od -An -c`
	for _, tt := range []struct {
		name      string
		o         Options
		canonical bool
		count     int
		want      string
	}{
		{"without a screen", Options{Replies: both}, false, 6, "033   [   1   ;   1   R"},
		{"with a screen", Options{Replies: both, Screen: true}, false, 6, "033   [   5   ;   7   R"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			s := start(t, tt.o, pty.Command{Canonical: tt.canonical}, "sh", "-c", fmt.Sprintf(ask, tt.count))
			assert.Contains(t, s.ends(), tt.want)
		})
	}
	for name, o := range map[string]Options{
		"in the line mode":          {Replies: both},
		"to a sender that has gone": {Replies: both, JudgeQueries: func(int64) func(Query) QueryVerdict { return func(Query) QueryVerdict { return QueryAbandoned } }},
		"not listed":                {Replies: []schema.TTYReply{schema.ReplyDA1}},
	} {
		t.Run("none "+name, func(t *testing.T) {
			s := start(t, o, pty.Command{Canonical: name == "in the line mode"}, "sh", "-c", `printf '\033[6n.'; head -n 1 | od -An -c`)
			s.shows(".")
			_, err := s.Write([]byte("typed\n"))
			require.NoError(t, err)
			assert.Contains(t, s.ends(), "t   y   p   e   d  \\n\r\n")
			assert.NotContains(t, s.output(), "033   [")
		})
	}
}

// Output is passed on while it is undecided whether the sender of a query in it waits, which is asked again until it is decided.
func TestUndecidedQueriesDelayNoOutput(t *testing.T) {
	var shown atomic.Bool
	judge := func(int64) func(Query) QueryVerdict {
		return func(q Query) QueryVerdict {
			if !shown.Load() {
				return QueryUndecided
			}
			assert.True(t, q.Again)
			return QueryWaits
		}
	}
	s := start(t, Options{Replies: both, JudgeQueries: judge}, pty.Command{}, "sh", "-c", `printf '\033[5n\033[5n.'; dd bs=8 count=1 2>/dev/null | od -An -c`)
	s.shows(".")
	shown.Store(true)
	assert.Contains(t, s.ends(), "033   [   0   n 033   [   0   n")
}

// A program that sends queries forever and reads nothing gets a bounded queue.
func TestAnswersToAProgramThatDoesNotReadAreBounded(t *testing.T) {
	s := start(t, Options{Replies: both}, pty.Command{}, "sh", "-c", `i=0; while [ $i -lt 8000 ]; do printf '\033[c\033[c\033[c\033[c\033[c'; i=$((i+1)); done; echo done; sleep 1000`)
	s.shows("done")
	assert.Less(t, s.Queued(), mostUnread+(longestWait+readSize)/len("\x1b[c")*len("\x1b[?62;22c"), "plus the queries that wait for a look at unread output, and those in one read")
}

// The screen is created by the first WithScreen.
func TestScreenIsCreatedByFirstLook(t *testing.T) {
	s := start(t, Options{}, pty.Command{}, "sh", "-c", `printf '\033]0;a title\007\033[?2004hone\n\033[1mtwo'`)
	s.ends()
	assert.Nil(t, s.picture.screen)
	s.WithScreen(func(screen *vt.Screen) {
		assert.Equal(t, "one\ntwo", string(screen.AppendText(nil)))
		assert.Equal(t, "a title", screen.Title())
		assert.True(t, screen.Modes().BracketedPaste)
		x, y := screen.Cursor()
		assert.Equal(t, []int{3, 1}, []int{x, y})
	})
}

// With Options.Screen the screen is exact, however much was printed before.
func TestScreenIsExact(t *testing.T) {
	out := stream(3, 1<<20)
	s := start(t, Options{Screen: true, History: 100}, pty.Command{Canonical: true}, "print", "3", fmt.Sprint(1<<20))
	require.Equal(t, len(bytes.ReplaceAll(out, []byte("\n"), []byte("\r\n"))), len(s.ends()))
	want := vt.New(vt.Options{Cols: 80, Rows: 24, History: 100})
	want.Write([]byte(s.output()))
	assert.Equal(t, string(want.AppendANSI(nil)), ansi(s.Terminal))
}

// Without it a late first WithScreen finds the end of the output, from the beginning of a line.
func TestLateFirstLookFindsEnd(t *testing.T) {
	s := start(t, Options{Ring: 8 << 10}, pty.Command{}, "lines", "1000")
	s.ends()
	shown := strings.Split(strings.TrimSuffix(text(s.Terminal), "\n"), "\n")
	assert.Regexp(t, `^0{5}999 0{88}999$`, shown[len(shown)-1])
	for _, line := range shown[1:] {
		assert.Len(t, line, 100)
	}
}

func ansi(t *Terminal) (out string) {
	t.WithScreen(func(s *vt.Screen) { out = string(s.AppendANSI(nil)) })
	return out
}

// viewer paints its own terminal with the pieces of a subscription.
type viewer struct {
	screen    *vt.Screen
	snapshots int
	lost      int64
}

func (v *viewer) follow(s *Subscription) error {
	for {
		p, err := s.Next(context.Background())
		if err != nil {
			return err
		}
		if p.Snapshot {
			v.screen = vt.New(vt.Options{Cols: p.Cols, Rows: p.Rows, History: 100})
			v.snapshots++
			v.lost += p.Lost
		}
		v.screen.Write(p.Bytes)
	}
}

// Whenever a subscriber joins, it finally has the same screen as all others.
func TestSubscribersSeeTheSameScreen(t *testing.T) {
	for seed := range uint64(3) {
		s := start(t, Options{Screen: true, History: 100, Ring: 1 << 20}, pty.Command{Size: pty.Size{Cols: 40, Rows: 12}}, "print", fmt.Sprint(seed), "200000")
		var wg sync.WaitGroup
		viewers := make([]viewer, 8)
		for i := range viewers {
			wg.Go(func() {
				for len(s.output()) < i*20000 { // join at different times
					<-s.more
				}
				assert.ErrorIs(t, viewers[i].follow(s.Subscribe()), io.EOF)
			})
		}
		s.ends()
		for {
			select {
			case s.more <- struct{}{}: // a test that still waits
				continue
			case <-waited(&wg):
			}
			break
		}
		for i, v := range viewers {
			assert.Equal(t, ansi(s.Terminal), string(v.screen.AppendANSI(nil)), "seed %d, viewer %d", seed, i)
			assert.Equal(t, 1, v.snapshots, "the ring contains everything")
		}
	}
}

func waited(wg *sync.WaitGroup) <-chan struct{} {
	done := make(chan struct{})
	go func() { wg.Wait(); close(done) }()
	return done
}

// A subscriber that does not read loses bytes, learns how many, and gets the current screen; the
// program did not wait for it.
func TestSlowSubscriberLosesBytes(t *testing.T) {
	s := start(t, Options{Screen: true, History: 100}, pty.Command{Canonical: true}, "lines", "20000")
	sub := s.Subscribe()
	_, err := sub.Next(context.Background())
	require.NoError(t, err)
	printed := int64(len(s.ends())) // the program has ended and the subscriber has not read
	p, err := sub.Next(context.Background())
	require.NoError(t, err)
	assert.True(t, p.Snapshot)
	assert.Equal(t, printed, p.End)
	assert.Greater(t, p.Lost, int64(1<<20))
	v := vt.New(vt.Options{Cols: p.Cols, Rows: p.Rows, History: 100})
	v.Write(p.Bytes)
	assert.Equal(t, ansi(s.Terminal), string(v.AppendANSI(nil)))
	_, err = sub.Next(context.Background())
	assert.ErrorIs(t, err, io.EOF)
}

// A subscriber that always reads too late still ends with the right screen.
func TestLateSubscriber(t *testing.T) {
	s := start(t, Options{Screen: true, History: 100, Ring: readSize}, pty.Command{Size: pty.Size{Cols: 40, Rows: 12}}, "print", "1", "500000")
	var v viewer
	require.ErrorIs(t, v.follow(s.Subscribe()), io.EOF)
	s.ends()
	assert.Equal(t, ansi(s.Terminal), string(v.screen.AppendANSI(nil)))
}

func TestSubscriptionEnds(t *testing.T) {
	s := start(t, Options{}, pty.Command{}, "cat")
	sub := s.Subscribe()
	_, err := sub.Next(context.Background())
	require.NoError(t, err)
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	_, err = sub.Next(ctx)
	require.ErrorIs(t, err, context.Canceled)
	waits := make(chan error)
	go func() { _, err := sub.Next(context.Background()); waits <- err }()
	sub.Close()
	assert.ErrorIs(t, <-waits, os.ErrClosed)
	sub.Close()
	assert.Empty(t, s.viewers)
	late := s.Subscribe()
	require.NoError(t, s.Close(context.Background()))
	p, err := late.Next(context.Background())
	require.NoError(t, err)
	assert.True(t, p.Snapshot, "the last screen can still be read")
	_, err = late.Next(context.Background())
	assert.ErrorIs(t, err, io.EOF)
}

// The last user who typed determines the terminal's size.
func TestSizeFollowsTypingUser(t *testing.T) {
	s := start(t, Options{}, pty.Command{Size: pty.Size{Cols: 120, Rows: 40}}, "sh", "-c", `trap 'stty size' WINCH; echo ready; while :; do sleep 1000 & wait; done`)
	s.shows("ready")
	is := func(cols, rows int, why string) {
		t.Helper()
		c, r := s.Size()
		assert.Equal(t, []int{cols, rows}, []int{c, r}, why)
		assert.Equal(t, pty.Size{Cols: cols, Rows: rows}, s.tty.Size(), why)
	}
	a, b := s.Subscribe(), s.Subscribe()
	require.NoError(t, a.Resize(100, 30))
	require.NoError(t, b.Resize(90, 20))
	is(120, 40, "no user has typed")
	require.NoError(t, a.Type([]byte("x")))
	is(100, 30, "a typed")
	s.shows("30 100")
	require.NoError(t, b.Type([]byte("y")))
	is(90, 20, "b typed")
	require.NoError(t, a.Resize(101, 31))
	is(90, 20, "b leads")
	require.NoError(t, b.Resize(2, 1))
	is(20, 5, "a small window does not make it useless for others")
	b.Close()
	is(101, 31, "a typed before")
	require.NoError(t, s.Resize(77, 22))
	is(77, 22, "Resize was called")
	require.NoError(t, a.Resize(60, 60))
	is(77, 22, "a has not typed since")
	require.NoError(t, a.Type([]byte("z")))
	is(60, 60, "now a has typed")
	a.Close()
	is(77, 22, "nobody leads")
	for _, bad := range [][2]int{{0, 5}, {5, -1}, {70000, 5}} {
		assert.Error(t, s.Resize(bad[0], bad[1]))
		is(77, 22, "a bad size changes nothing")
	}
}

func TestNewSizeIsReportedToAll(t *testing.T) {
	s := start(t, Options{Screen: true}, pty.Command{Size: pty.Size{Cols: 20, Rows: 5}}, "sh", "-c", `printf '0123456789abcdefghijKLM'; cat`)
	s.shows("KLM")
	sub := s.Subscribe()
	p, err := sub.Next(context.Background())
	require.NoError(t, err)
	assert.Equal(t, []int{20, 5}, []int{p.Cols, p.Rows})
	require.NoError(t, s.Resize(50, 10))
	p, err = sub.Next(context.Background())
	require.NoError(t, err)
	assert.True(t, p.Snapshot)
	assert.Equal(t, []int{50, 10}, []int{p.Cols, p.Rows})
	assert.Zero(t, p.Lost)
	assert.Equal(t, "0123456789abcdefghijKLM", text(s.Terminal), "one line again")
}

// Close ends all processes that the program started.
func TestCloseEndsTheWholeTree(t *testing.T) {
	s := start(t, Options{}, pty.Command{}, "sh", "-c",
		`trap '' HUP TERM INT; setsid sh -c 'trap "" HUP TERM; sleep 1000' & (sleep 1000 &) ; echo ready; while :; do sleep 1000; done`)
	s.shows("ready")
	require.Eventually(t, func() bool { return len(s.Members()) >= 4 }, testkit.Patience(10*time.Second), time.Millisecond)
	members := s.Members()
	require.NoError(t, s.Close(context.Background(), proctree.Step{Signal: syscall.SIGINT, Grace: time.Millisecond}))
	for _, p := range members {
		err := syscall.Kill(p.PID, 0)
		assert.True(t, errors.Is(err, syscall.ESRCH), "%v still exists", p)
	}
	_, err := s.Write([]byte("x"))
	assert.Error(t, err)
	assert.Empty(t, s.Members())
}

func TestCloseWithoutRun(t *testing.T) {
	term, err := Start(pty.Command{Path: "/bin/cat", Size: pty.Size{Cols: 80, Rows: 24}}, Options{})
	require.NoError(t, err)
	require.NoError(t, term.Close(context.Background()))
	require.NoError(t, term.Close(context.Background()))
	require.NoError(t, term.Run(nil))
}

func TestMissingProgram(t *testing.T) {
	_, err := Start(pty.Command{Path: "/nonexistent", Size: pty.Size{Cols: 80, Rows: 24}}, Options{})
	assert.ErrorIs(t, err, os.ErrNotExist)
	assert.ErrorContains(t, err, "starting /nonexistent")
}

// A caller that gets the channel before it reads is woken by all output that it has not seen, and
// does not wait for a program that has ended.
func TestPrintedMissesNothing(t *testing.T) {
	s := start(t, Options{}, pty.Command{Canonical: true}, "sh", "-c", `i=0; while [ $i -lt 300 ]; do echo line $i; i=$((i+1)); done`)
	for {
		more := s.MoreOutput()
		if more == nil {
			break
		}
		if strings.HasSuffix(text(s.Terminal), "line 299\n") {
			continue // until it ends
		}
		select {
		case <-more:
		case <-time.After(testkit.Patience(20 * time.Second)):
			t.Fatal("no notification of more output, or of the end")
		}
	}
	assert.Contains(t, text(s.Terminal), "line 299\n")
}
