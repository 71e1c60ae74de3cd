package adaptercmd

import (
	"bytes"
	"context"
	"errors"

	"example.org/ripple/cmd/ripple/internal/ui"
	"example.org/ripple/internal/projectfile"
	"example.org/ripple/runtime/contract"
	"example.org/ripple/runtime/launch"
	"example.org/ripple/runtime/registry"
	"example.org/ripple/schema"
)

// updateAdapter replaces the failing expectations of an adapter's file with the program's output,
// reports each change, and tests the changed file.
func (a *app) updateAdapter(ctx context.Context, args []string, f testFlags) error {
	report, err := a.newReporter(f)
	if err != nil {
		return err
	}
	entry, err := a.updatable(args, &f)
	if err != nil {
		return err
	}
	ctx, _, stop := ui.UntilSignal(ctx, true)
	defer stop()
	p := a.NewProgress()
	f.options.Progress = func(t contract.Progress) { p.Update(entry.Name, t) }
	updated, err := contract.Update(ctx, entry.Text, parserOf(entry, entry.Path), f.options)
	p.Stop()
	if ctx.Err() != nil {
		return ui.FailWith(ui.ExitInterrupted, errors.New("interrupted; nothing was changed"), "")
	}
	if err != nil {
		return err
	}
	if err := a.writeUpdate(entry.Path, entry.Text, updated); err != nil {
		return err
	}
	reports := []*contract.Report{updated.Report}
	report.early(reports)
	if err := report.finish(reports); err != nil && a.OutError() == nil {
		return ui.FailWith(ui.ExitFailed, err, "")
	}
	return f.verdict(reports)
}

// parserOf returns a function that parses a changed text of an adapter; file is its name in messages.
func parserOf(e *registry.Entry, file string) func([]byte) (*schema.Adapter, error) {
	options := schema.Options{Scripts: e.Scripts}
	return func(text []byte) (*schema.Adapter, error) {
		ad, found := schema.Parse(file, text, options)
		if ad == nil {
			return nil, ui.AdapterError(&registry.BrokenError{Name: e.Name, Path: file, Diagnostics: found})
		}
		return ad, nil
	}
}

// updatable returns the adapter to update, or an error.
func (a *app) updatable(args []string, f *testFlags) (*registry.Entry, error) {
	switch {
	case len(args) != 1:
		return nil, ui.UsageError("", "--update applies to one adapter")
	case f.watch, f.record != "", f.shard != "", f.options.Repeat != 1:
		return nil, ui.UsageError("", "--update cannot be combined with --watch, --record, --repeat or --shard")
	}
	entries, err := a.chosen(args, f)
	if err != nil {
		return nil, err
	}
	entry := entries[0]
	switch {
	case entry.Origin == registry.OriginEmbedded:
		return nil, ui.UsageError("give the path of your own file", "%s is part of ripple: there is no file to change", entry.Name)
	case entry.Adapter.Family == schema.FamilyAgent:
		return nil, ui.UsageError("", "the tests of a coding agent expect events: there is no output to update")
	}
	if _, err := launch.Locate(entry.Adapter, launch.OSHost(), f.options.Executable); err != nil {
		return nil, ui.FailWith(ui.ExitMissing, err, "")
	}
	return entry, nil
}

// writeUpdate reports the changes and writes them, unless the file has been changed in the
// meantime.
func (a *app) writeUpdate(path string, before []byte, u *contract.UpdateResult) error {
	if !bytes.Equal(before, u.Text) {
		now, err := projectfile.Read(path, projectfile.MaxText)
		if err != nil {
			return ui.FailWith(ui.ExitFailed, err, "nothing was changed")
		}
		if !bytes.Equal(before, now) {
			return ui.FailWith(ui.ExitFailed, errors.New(path+" was changed while its tests ran: nothing was written"), "run it again")
		}
		if err := ui.ReplaceFile(path, u.Text); err != nil {
			return ui.FailWith(ui.ExitFailed, err, "nothing was changed")
		}
	}
	for _, c := range u.Changes {
		if c.Kept == "" {
			a.Note("%s:%d: %s: expect was %q, is now %q", path, c.Line, c.Test, c.Old, c.New)
		} else {
			a.Note("%s:%d: %s: expect is unchanged: %s", path, c.Line, c.Test, c.Kept)
		}
	}
	if len(u.Changes) == 0 {
		a.Note("%s: nothing to update", path)
	}
	return nil
}
