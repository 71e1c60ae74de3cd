package consolecmd

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"io"
	"path/filepath"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"example.org/ripple/cmd/ripple/internal/cast"
	"example.org/ripple/cmd/ripple/internal/htmlpage"
	"example.org/ripple/cmd/ripple/internal/ui"
	"example.org/ripple/internal/projectfile"
	"example.org/ripple/runtime/console"
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
		Short: "Record a console as a web page or an animated picture",
		Long: `Record the screen of a console in a self-contained file: with --html a page that plays it,
with --svg an animated picture, or both. With CODE, ripple runs the code and records until it ends
or waits for input; the exit code is that of the command. Without CODE, it records until Ctrl-C,
until --for has elapsed, or until the console ends.

Only output is recorded. A typed secret is in the recording only if the program echoes it.
--from converts an existing recording, an asciicast as written by "ripple exec --record".`,
		Example: `  ripple console record work 'make test' --html test.html
  ripple console record work --for 30s --svg work.svg
  ripple console record --from session.cast --html session.html`,
		Args: func(cmd *cobra.Command, args []string) error {
			switch {
			case f.html == "" && f.svg == "":
				return ui.UsageError("", "give --html FILE or --svg FILE, or both")
			case f.html == f.svg:
				return ui.UsageError("", "--html and --svg name the same file")
			case f.from != "" && len(args) > 0:
				return ui.UsageError("", "--from takes no console: the file is the recording")
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
			rec, answer, err := f.record(a, cmd.Context(), c, code)
			if err != nil {
				return err
			}
			if err := f.write(a, cmp.Or(f.title, strings.TrimSpace(c.Name+" "+ui.FirstLine(code))), rec); err != nil || answer == nil {
				return err
			}
			_, err = conclude(a, *answer, false)
			return err
		},
	}
	flags := cmd.Flags()
	flags.StringVar(&f.html, "html", "", "write a page to this `FILE`")
	flags.StringVar(&f.svg, "svg", "", "write an animated picture to this `FILE`")
	flags.StringVar(&f.from, "from", "", "convert this asciicast `FILE`")
	flags.StringVar(&f.title, "title", "", "the title (default: the console and the code)")
	flags.DurationVar(&f.length, "for", 0, "maximum duration (0: no limit)")
	flags.DurationVar(&f.pause, "pause", 2*time.Second, "maximum duration of a pause (0: unchanged)")
	flags.BoolVar(&f.json, "json", false, "print the written files as JSON, without the output of the code")
	return cmd
}

func (f recordFlags) convert(a *ui.App) error {
	in, err := projectfile.OpenNamed(f.from)
	if err != nil {
		return ui.FailWith(ui.ExitUsage, err, "")
	}
	defer in.Close() // opened for reading only
	rec, err := cast.Read(in, f.pause)
	if err != nil {
		return ui.UsageError("to record one: ripple exec --record FILE", "%s: %w", f.from, err)
	}
	return f.write(a, cmp.Or(f.title, filepath.Base(f.from)), rec)
}

// write writes each requested file and prints its name.
func (f recordFlags) write(a *ui.App, title string, rec *cast.Recording) error {
	if len(rec.Frames) == 0 {
		return ui.FailWith(ui.ExitFailed, errors.New("nothing was shown: there is nothing to record"), "")
	}
	var written []string
	for _, kind := range []struct {
		file string
		make func(io.Writer, string, *cast.Recording) error
	}{{f.html, htmlpage.WriteRecording}, {f.svg, htmlpage.WriteRecordingSVG}} {
		if kind.file == "" {
			continue
		}
		var b bytes.Buffer
		if err := kind.make(&b, title, rec); err != nil {
			return ui.FailWith(ui.ExitFailed, err, "")
		}
		if err := ui.WritePrivate(kind.file, b.Bytes()); err != nil {
			return ui.FailWith(ui.ExitFailed, err, "")
		}
		written = append(written, kind.file)
	}
	if rec.Cut {
		a.Note("%s does not contain the whole recording: the rest would make it too large", written[0])
	}
	if f.json {
		return a.PrintJSON(struct {
			File   string   `json:"file"`
			Files  []string `json:"files"`
			Frames int      `json:"frames"`
			Cut    bool     `json:"cut"`
		}{written[0], written, len(rec.Frames), rec.Cut})
	}
	a.Printf("%s\n", strings.Join(written, "\n"))
	return nil
}

// record attaches to the console until the recording ends. The answer is the result of the code,
// nil if there is none.
func (f recordFlags) record(a *ui.App, ctx context.Context, c *console.Client, code string) (*cast.Recording, *console.WaitResult, error) {
	ctx, _, stop := ui.UntilSignal(ctx, true)
	defer stop()
	if f.length > 0 {
		var cancel context.CancelFunc
		ctx, cancel = context.WithTimeout(ctx, f.length)
		defer cancel()
	}
	status, err := c.Status(ctx)
	if err != nil {
		return nil, nil, explain(err)
	}
	on, err := c.Attach(ctx, console.AttachRequest{Cols: status.Cols, Rows: status.Rows, ReadOnly: true})
	if err != nil {
		return nil, nil, explain(err)
	}
	defer on.Close()
	if code == "" {
		a.Note("recording %s; Ctrl-C ends it", c.Name)
	}
	r := &recording{Recorder: cast.New(status.Cols, status.Rows, f.pause), began: time.Now()}
	shown := a.Raw.Out
	if f.json {
		shown = io.Discard
	}
	rec, err := r.follow(ctx, c, on, code, shown)
	return rec, r.answer, err
}

// recording is a recording in progress.
type recording struct {
	*cast.Recorder
	began  time.Time
	answer *console.WaitResult // result of the code
}

// outcome is the result of the code.
type outcome struct {
	answer console.WaitResult
	err    error
}

// follow records the console. The code is sent once the initial screen has been recorded, and the
// recording ends when the end of the command is shown.
func (r *recording) follow(ctx context.Context, c *console.Client, on *console.Attachment, code string, shown io.Writer) (*cast.Recording, error) {
	ended := make(chan outcome, 1)
	final := "" // the screen after the command; unknown while it runs
	happened := make(chan console.AttachEvent)
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
				go func(code string) {
					answer, err := c.Exec(ctx, console.ExecRequest{Code: code}, shown)
					ended <- outcome{answer, err}
				}(code)
				code = ""
			}
		case did := <-ended:
			if did.err != nil && ctx.Err() == nil {
				return nil, explain(did.err)
			}
			if did.err == nil {
				r.answer = &did.answer
			}
			ended = nil
			var err error
			if final, _, err = c.Screen(ctx); err != nil { // the program may have ended with the command
				return r.Finish(time.Since(r.began)), nil
			}
		}
		if final != "" && strings.TrimSpace(r.Text()) == strings.TrimSpace(final) {
			return r.Finish(time.Since(r.began)), nil
		}
	}
}
