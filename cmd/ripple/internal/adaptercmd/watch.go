package adaptercmd

import (
	"context"
	"errors"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/fsnotify/fsnotify"
	"github.com/spf13/cobra"

	"example.org/ripple/cmd/ripple/internal/ui"
	"example.org/ripple/internal/projectfile"
	"example.org/ripple/runtime/contract"
	"example.org/ripple/runtime/registry"
	"example.org/ripple/schema"
)

// watchAdapter tests an adapter, and again whenever one of its files changes, until the context or
// an interrupt ends it. A change stops a running test.
func (a *app) watchAdapter(cmd *cobra.Command, args []string, f testFlags) error {
	entry, err := a.watchable(args, f)
	if err != nil {
		return err
	}
	ctx, _, stop := ui.UntilSignal(cmd.Context(), true)
	defer stop()
	w, err := newWatched(a.Reloader(args[0], entry.Path), entry.Path)
	if err != nil {
		return ui.FailWith(ui.ExitFailed, err, "")
	}
	defer w.notify.Close() // nothing is lost
	for ctx.Err() == nil && a.OutError() == nil {
		entries, err := a.loadWatched(ctx, w, &f)
		round, cancel := context.WithCancel(ctx)
		tested := make(chan struct{})
		go func() {
			defer close(tested)
			if err == nil {
				err = a.watchRound(round, entries, f)
			}
			if round.Err() == nil {
				a.End(cmd, err)
				a.Note("waiting for a change of %s; Ctrl-C ends", w.file)
			}
		}()
		if w.changed(ctx) {
			a.Note("%s has changed", w.file)
		}
		cancel()
		<-tested
	}
	return nil // an interrupt is the normal end
}

// watchable returns the adapter to watch, or an error.
func (a *app) watchable(args []string, f testFlags) (*registry.Entry, error) {
	switch {
	case len(args) != 1:
		return nil, ui.UsageError("", "--watch applies to one adapter")
	case f.report != "text", f.record != "", f.shard != "":
		return nil, ui.UsageError("", "--watch is interactive: it cannot be combined with --report, --record or --shard")
	}
	entry, err := a.Adapter(args[0])
	if broken, is := ui.AsBroken(err); is && isFile(broken.Path) {
		return &registry.Entry{Path: broken.Path}, nil // it may be fixed while being watched
	} else if err != nil {
		return nil, err
	}
	if entry.Origin == registry.OriginEmbedded {
		return nil, ui.UsageError("give the path of your own file", "%s is part of ripple: there is no file to watch", entry.Name)
	}
	return entry, nil
}

func isFile(path string) bool {
	info, err := os.Stat(path)
	return err == nil && info.Mode().IsRegular()
}

// loadWatched loads the current adapter. The contents of all its files were recorded before, so
// changed detects a change in between.
func (a *app) loadWatched(ctx context.Context, w *watched, f *testFlags) ([]*registry.Entry, error) {
	for {
		w.look()
		entry, err := a.reloadApproved(ctx, w)
		if err != nil {
			return nil, err
		}
		if !w.follow(entry.Adapter) {
			return a.narrowed([]*registry.Entry{entry}, f)
		}
	}
}

// reloadApproved reads a watched adapter again. If its new contents need approval, a user on a terminal
// is asked until ctx ends.
func (a *app) reloadApproved(ctx context.Context, w *watched) (*registry.Entry, error) {
	entry, err := w.reload()
	untrusted, is := errors.AsType[*registry.UntrustedError](err)
	if !is {
		return entry, err
	}
	agreed := make(chan error, 1)
	go func() { agreed <- a.Trust.AgreeToAdapter(untrusted.Entry) }()
	select {
	case <-ctx.Done(): // the question waits for a line that nobody has to type
		return nil, ctx.Err()
	case err := <-agreed:
		return untrusted.Entry, err
	}
}

// watchRound tests the adapter once. If a change interrupts it, it prints nothing.
func (a *app) watchRound(ctx context.Context, entries []*registry.Entry, f testFlags) error {
	report, err := a.newReporter(f)
	if err != nil {
		return err
	}
	write := report.write
	report.write = func(to io.Writer, all []*contract.Report) error {
		if ctx.Err() != nil {
			return nil
		}
		return write(to, all)
	}
	a.runContracts(ctx, entries, f, report)
	return nil
}

// watched are the files of an adapter: the file itself, its script, the transcripts of its tests.
// Directories are watched and contents compared, because editors replace files and write more than
// once.
type watched struct {
	notify *fsnotify.Watcher
	reload func() (*registry.Entry, error)
	file   string
	others []string // the other files
	seen   string   // the contents under test
}

func newWatched(reload func() (*registry.Entry, error), file string) (*watched, error) {
	notify, err := fsnotify.NewWatcher()
	if err != nil {
		return nil, err
	}
	w := &watched{notify: notify, reload: reload, file: file}
	if err := notify.Add(filepath.Dir(file)); err != nil {
		return nil, errors.Join(err, notify.Close())
	}
	return w, nil
}

// follow updates the list of files that the adapter names, and reports whether it changed.
func (w *watched) follow(a *schema.Adapter) bool {
	dir := filepath.Dir(w.file)
	var files []string
	if name := a.Init.ScriptResource; name != "" {
		for _, beside := range schema.ScriptDirs(w.file) {
			files = append(files, filepath.Join(beside, name))
		}
	}
	for _, t := range a.Tests {
		if t.Transcript != "" {
			files = append(files, filepath.Join(dir, t.Transcript), filepath.Join(dir, t.Transcript+".stderr"))
		}
	}
	if slices.Equal(files, w.others) {
		return false
	}
	for _, f := range files {
		_ = w.notify.Add(filepath.Dir(f)) // a missing directory cannot be watched
	}
	w.others = files
	return true
}

// contents returns the contents of all watched files; ok is false while the adapter itself is
// missing or empty, as in the middle of a save by an editor.
func (w *watched) contents() (text string, ok bool) {
	var b strings.Builder
	for _, name := range append([]string{w.file}, w.others...) {
		data, err := projectfile.Read(name, projectfile.MaxText) // an agent may have put a pipe there
		if err == nil {
			b.WriteString("\x00" + name + "\x00")
			b.Write(data)
		}
		if name == w.file && len(data) == 0 {
			return "", false
		}
	}
	return b.String(), true
}

func (w *watched) look() { w.seen, _ = w.contents() }

// changed waits until the files differ from those seen by look; it returns false if the context
// ended.
func (w *watched) changed(ctx context.Context) bool {
	for {
		select {
		case <-ctx.Done():
			return false
		case <-w.notify.Events:
		case <-w.notify.Errors: // events were lost: compare the contents
		}
		if now, ok := w.contents(); ok && now != w.seen {
			return true
		}
	}
}
