package consolecmd

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"io"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"ripple/cmd/ripple/internal/castpage"
	"ripple/cmd/ripple/internal/ui"
	"ripple/runtime/cast"
	"ripple/runtime/console"
)

// recordFlags are the flags of `ripple console record`.
type recordFlags struct {
	html, svg, from, title string
	length, pause          time.Duration
	json                   bool
}

func newRecord(a *ui.App) *cobra.Command {
	var f recordFlags
	cmd := &cobra.Command{
		Use:   "record [CONSOLE] [CODE]",
		Short: "Make a page or a moving picture of what a console shows",
		Long: `Record what a console shows, and write it as one file that needs no network: with --html a page
that plays it, with --svg a picture that moves. With CODE the command is run, and the recording ends
with it; else it ends with Ctrl-C, after --for, or with the console.

What is typed is not recorded, only what is shown: a secret is in it only where the program shows it.
--from makes the file of a recording that is there, an asciicast such as "ripple exec --record" writes.`,
		Example: `  ripple console record work 'make test' --html test.html
  ripple console record work --for 30s --svg work.svg
  ripple console record --from session.cast --html session.html`,
		Args: func(cmd *cobra.Command, args []string) error {
			switch {
			case (f.html == "") == (f.svg == ""):
				return ui.UsageError("", "give either --html FILE or --svg FILE")
			case f.from != "" && len(args) > 0:
				return ui.UsageError("", "--from takes no console: what is recorded is in the file")
			}
			return atMost(2)(cmd, args)
		},
		ValidArgsFunction: completeNames(a),
		RunE: func(cmd *cobra.Command, args []string) error {
			if f.from != "" {
				return f.convert(a)
			}
			c, err := find(a, args)
			if err != nil {
				return err
			}
			defer c.Close()
			code := ""
			if len(args) > 1 {
				code = args[1]
			}
			film, err := f.record(a, cmd.Context(), c, code)
			if err != nil {
				return err
			}
			return f.write(a, cmp.Or(f.title, strings.TrimSpace(c.Name+" "+ui.FirstLine(code))), film)
		},
	}
	flags := cmd.Flags()
	flags.StringVar(&f.html, "html", "", "write a page to this `FILE`")
	flags.StringVar(&f.svg, "svg", "", "write a picture to this `FILE`")
	flags.StringVar(&f.from, "from", "", "make it of this asciicast `FILE`")
	flags.StringVar(&f.title, "title", "", "the title (default: the console and the code)")
	flags.DurationVar(&f.length, "for", 0, "end after so long (0: no limit)")
	flags.DurationVar(&f.pause, "pause", 2*time.Second, "the longest time in which nothing happens (0: as long as it was)")
	flags.BoolVar(&f.json, "json", false, "print what was written as JSON, and nothing of what the code prints")
	return cmd
}

func (f recordFlags) convert(a *ui.App) error {
	in, err := os.Open(f.from)
	if err != nil {
		return ui.FailWith(ui.ExitUsage, err, "")
	}
	defer in.Close() // only read from
	film, err := cast.Read(in, f.pause)
	if err != nil {
		return ui.UsageError("ripple exec --record FILE writes one", "%s: %w", f.from, err)
	}
	return f.write(a, cmp.Or(f.title, filepath.Base(f.from)), film)
}

func (f recordFlags) write(a *ui.App, title string, film *cast.Film) error {
	var b bytes.Buffer
	file, make := f.html, castpage.HTML
	if f.svg != "" {
		file, make = f.svg, castpage.SVG
	}
	if len(film.Frames) == 0 {
		return ui.FailWith(ui.ExitFailed, errors.New("nothing was shown: there is nothing to make a file of"), "")
	}
	if err := make(&b, title, film); err != nil {
		return ui.FailWith(ui.ExitFailed, err, "")
	}
	if err := ui.WritePrivate(file, b.Bytes()); err != nil {
		return ui.FailWith(ui.ExitFailed, err, "")
	}
	if film.Cut {
		a.Note("%s is not the whole recording: what came later would make it too large", file)
	}
	if f.json {
		return a.PrintJSON(struct {
			File   string `json:"file"`
			Frames int    `json:"frames"`
			Cut    bool   `json:"cut"`
		}{file, len(film.Frames), film.Cut})
	}
	a.Printf("%s\n", file)
	return nil
}

// record looks at the console until what ends the recording.
func (f recordFlags) record(a *ui.App, ctx context.Context, c *console.Client, code string) (*cast.Film, error) {
	ctx, _, stop := ui.UntilSignal(ctx, true)
	defer stop()
	if f.length > 0 {
		var cancel context.CancelFunc
		ctx, cancel = context.WithTimeout(ctx, f.length)
		defer cancel()
	}
	status, err := c.Status(ctx)
	if err != nil {
		return nil, explain(err)
	}
	on, err := c.Attach(ctx, console.AttachRequest{Cols: status.Cols, Rows: status.Rows, ReadOnly: true})
	if err != nil {
		return nil, explain(err)
	}
	defer on.Close()
	if code == "" {
		a.Note("recording %s; Ctrl-C ends it", c.Name)
	}
	r := recording{Recorder: cast.New(status.Cols, status.Rows, f.pause), began: time.Now()}
	shown := a.Out
	if f.json {
		shown = io.Discard
	}
	return r.follow(ctx, c, on, code, shown)
}

// recording is a film that is being made.
type recording struct {
	*cast.Recorder
	began time.Time
}

// follow takes what the console shows. The code is run when it is known what is shown
// before, and the film ends when the end of the command is shown.
func (r recording) follow(ctx context.Context, c *console.Client, on *console.Attachment, code string, shown io.Writer) (*cast.Film, error) {
	ended := make(chan error, 1)
	final := "" // what is shown after the command; unknown while it runs
	happened := make(chan console.Happening)
	go func() {
		defer close(happened)
		for {
			h, err := on.Next()
			if err != nil || h.End != nil {
				return
			}
			select {
			case happened <- h:
			case <-ctx.Done():
				return
			}
		}
	}()
	for {
		select {
		case h, more := <-happened:
			if !more {
				return r.Finish(time.Since(r.began)), nil
			}
			if h.Output != nil {
				r.Output(time.Since(r.began), h.Output)
			}
			if code != "" {
				go func(code string) { ended <- run(ctx, c, code, shown) }(code)
				code = ""
			}
		case err := <-ended:
			if err != nil && ctx.Err() == nil {
				return nil, explain(err)
			}
			ended = nil
			if final, _, err = c.Screen(ctx); err != nil { // its program may have ended with it
				return r.Finish(time.Since(r.began)), nil
			}
		}
		if final != "" && strings.TrimSpace(r.Text()) == strings.TrimSpace(final) {
			return r.Finish(time.Since(r.began)), nil
		}
	}
}

func run(ctx context.Context, c *console.Client, code string, out io.Writer) error {
	_, err := c.Exec(ctx, console.ExecRequest{Code: code}, out)
	return err
}
