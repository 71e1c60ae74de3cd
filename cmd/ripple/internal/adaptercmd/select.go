package adaptercmd

import (
	"errors"
	"math/rand/v2"
	"regexp"
	"strings"

	"ripple/cmd/ripple/internal/ui"
	"ripple/runtime/contract"
	"ripple/runtime/launch"
	"ripple/runtime/registry"
)

// chosen are the adapters that the command line asks for, in the order in which
// they are tested.
func (a *app) chosen(args []string, f *testFlags) ([]*registry.Entry, error) {
	entries, err := a.targets(args, f.all)
	if err != nil {
		return nil, err
	}
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
		a.Note("there are fewer adapters than shards: none is left for shard %s", f.shard)
		return nil, nil
	}
	if f.installed {
		if entries, err = a.installed(entries); err != nil {
			return nil, err
		}
		f.options.Require = true // it is there: nothing excuses it
	}
	if f.shuffle != 0 {
		order := rand.New(rand.NewPCG(uint64(f.shuffle), 0))
		order.Shuffle(len(entries), func(i, j int) { entries[i], entries[j] = entries[j], entries[i] })
	}
	return entries, f.onlyOne(entries)
}

// onlyOne refuses what is about one adapter where there are several.
func (f *testFlags) onlyOne(entries []*registry.Entry) error {
	for _, o := range []struct {
		flag  string
		given bool
	}{{"--record", f.record != ""}, {"--executable", f.options.Executable != ""}, {"--like", f.like != ""}} {
		if o.given && len(entries) != 1 {
			return ui.UsageError("name one, or run ripple once for each", "%s is for one adapter, and there are %d", o.flag, len(entries))
		}
	}
	return nil
}

// selected checks the numbers, compiles the filter and leaves out the adapters
// in which it matches nothing.
func (f *testFlags) selected(entries []*registry.Entry) ([]*registry.Entry, error) {
	switch {
	case f.options.Repeat < 1:
		return nil, ui.UsageError("", "--repeat must be at least 1, and is %d", f.options.Repeat)
	case f.parallel < 1:
		return nil, ui.UsageError("", "--parallel must be at least 1, and is %d", f.parallel)
	case f.options.Timeout < 0:
		return nil, ui.UsageError("", "--timeout must not be negative, and is %s", f.options.Timeout)
	}
	if f.filter == "" {
		return entries, nil
	}
	var err error
	if f.options.Filter, err = regexp.Compile(f.filter); err != nil {
		return nil, ui.UsageError(`a backslash before a character takes it as it is: '\('`, "--filter: %w", err)
	}
	var matching []*registry.Entry
	var names []string
	for _, e := range entries {
		own := contract.Names(e.Adapter, f.options)
		names = append(names, own...)
		if anyMatches(f.options.Filter, own) {
			matching = append(matching, e)
		}
	}
	if matching == nil {
		return nil, ui.UsageError(ui.DidYouMean(ui.NearNames(f.filter, names), "the tests are:\n"+ui.Indent(strings.Join(names, "\n"))),
			"no test matches --filter %q", f.filter)
	}
	return matching, nil
}

// installed are the adapters whose programs are there; the others are named.
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
		return nil, ui.FailWith(ui.ExitMissing, errors.New("none of the programs is installed"), "ripple adapter list says what to install")
	}
	if missing != nil {
		a.Note("not installed, and left out: %s", strings.Join(missing, ", "))
	}
	return found, nil
}

func anyMatches(filter *regexp.Regexp, names []string) bool {
	for _, n := range names {
		if filter.MatchString(n) {
			return true
		}
	}
	return false
}
