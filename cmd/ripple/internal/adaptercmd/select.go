package adaptercmd

import (
	"errors"
	"math/rand/v2"
	"regexp"
	"slices"
	"strings"

	"example.org/ripple/cmd/ripple/internal/ui"
	"example.org/ripple/runtime/contract"
	"example.org/ripple/runtime/launch"
	"example.org/ripple/runtime/registry"
)

// chosen returns the adapters that the command line selects, in the order in which they are tested. If some of the named ones do not
// load, it sets f.broken to an error that names them.
func (a *app) chosen(args []string, f *testFlags) ([]*registry.Entry, error) {
	find := func() ([]*registry.Entry, []*registry.BrokenError, error) { return a.targets(args, f.all) }
	if f.apart {
		find = func() ([]*registry.Entry, []*registry.BrokenError, error) { return a.handedOver(args) }
	}
	entries, broken, err := find()
	if err != nil {
		return nil, err
	}
	if f.broken = ui.BrokenAdapters(broken); f.broken != nil && (f.all || f.update || len(entries) == 0) {
		return nil, f.broken
	}
	return a.narrowed(entries, f)
}

// narrowed returns those of the named adapters that the flags select.
func (a *app) narrowed(entries []*registry.Entry, f *testFlags) (_ []*registry.Entry, err error) {
	if err := f.hold(a, entries); err != nil {
		return nil, err
	}
	if entries, err = f.selected(entries); err != nil {
		return nil, err
	}
	part, err := parseShard(f.shard)
	if err != nil {
		return nil, err
	}
	if entries = part.part(entries); len(entries) == 0 {
		a.Note("shard %s is empty: there are fewer adapters than shards", f.shard)
		return nil, nil
	}
	if f.installed {
		if entries, err = a.installed(entries); err != nil {
			return nil, err
		}
		f.options.RequireProgram = true // the program exists, so skipping it is an error
	}
	if f.shuffle != 0 {
		order := rand.New(rand.NewPCG(uint64(f.shuffle), 0))
		order.Shuffle(len(entries), func(i, j int) { entries[i], entries[j] = entries[j], entries[i] })
	}
	return entries, f.onlyOne(entries)
}

// onlyOne refuses flags for one adapter if there are several.
func (f *testFlags) onlyOne(entries []*registry.Entry) error {
	for _, o := range []struct {
		flag  string
		given bool
	}{{"--record", f.record != ""}, {"--executable", f.options.Executable != ""}, {"--like", f.like != ""}} {
		if o.given && len(entries) != 1 {
			return ui.UsageError("name one, or run ripple for each", "%s applies to one adapter, not to %d", o.flag, len(entries))
		}
	}
	return nil
}

// selected checks the numbers, compiles the filter and removes the adapters without matching tests.
func (f *testFlags) selected(entries []*registry.Entry) ([]*registry.Entry, error) {
	switch {
	case f.options.Repeat < 1:
		return nil, ui.UsageError("", "--repeat must be at least 1, not %d", f.options.Repeat)
	case f.parallel < 1:
		return nil, ui.UsageError("", "--parallel must be at least 1, not %d", f.parallel)
	}
	if f.filter == "" {
		return entries, nil
	}
	var err error
	if f.options.Filter, err = regexp.Compile(f.filter); err != nil {
		return nil, ui.UsageError(`a backslash makes the next character literal: '\('`, "--filter: %w", err)
	}
	var matching []*registry.Entry
	var names []string
	for _, e := range entries {
		own := contract.ListTests(e.Adapter, f.options)
		names = append(names, own...)
		if slices.ContainsFunc(own, f.options.Filter.MatchString) {
			matching = append(matching, e)
		}
	}
	if matching == nil {
		return nil, ui.UsageError(ui.DidYouMean(ui.NearNames(f.filter, names), "the tests are:\n"+ui.Indent(strings.Join(names, "\n"))),
			"no test matches --filter %q", f.filter)
	}
	return matching, nil
}

// installed returns the adapters whose programs are installed; it prints the names of the others.
func (a *app) installed(entries []*registry.Entry) ([]*registry.Entry, error) {
	var found []*registry.Entry
	var missing []string
	for _, e := range entries {
		if _, err := launch.Locate(e.Adapter, launch.OSHost(), ""); err != nil {
			missing = append(missing, e.Name)
		} else {
			found = append(found, e)
		}
	}
	if found == nil {
		return nil, ui.FailWith(ui.ExitMissing, errors.New("none of the programs is installed"), "to see how to install them: ripple adapter list")
	}
	if missing != nil {
		a.Note("not installed, ignored: %s", strings.Join(missing, ", "))
	}
	return found, nil
}
