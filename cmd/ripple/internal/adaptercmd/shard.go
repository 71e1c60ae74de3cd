package adaptercmd

import (
	"cmp"
	"slices"
	"strconv"
	"strings"

	"ripple/cmd/ripple/internal/ui"
	"ripple/runtime/contract"
	"ripple/runtime/registry"
)

// shard is one of several runs that share the adapters: number of, counted from 1.
// The zero value is all of them.
type shard struct{ number, of int }

func parseShard(text string) (shard, error) {
	if text == "" {
		return shard{}, nil
	}
	before, after, _ := strings.Cut(text, "/")
	number, err := strconv.Atoi(before)
	of, err2 := strconv.Atoi(after)
	if err != nil || err2 != nil || number < 1 || number > of {
		return shard{}, ui.UsageError("--shard 2/3 is the second third of the adapters", "--shard takes I/N with I from 1 to N, and got %q", text)
	}
	return shard{number, of}, nil
}

// part is what falls to this shard, in the order of all. It depends on the adapters
// and on nothing of this machine, so that runs on several machines leave nothing
// out: each adapter, those with most tests first, goes to the shard that has fewest.
func (s shard) part(entries []*registry.Entry) []*registry.Entry {
	if s.of == 0 {
		return entries
	}
	tests := map[*registry.Entry]int{}
	for _, e := range entries {
		tests[e] = len(contract.Names(e.Adapter, contract.Options{}))
	}
	bySize := slices.Clone(entries)
	slices.SortStableFunc(bySize, func(a, b *registry.Entry) int {
		return cmp.Or(tests[b]-tests[a], strings.Compare(a.Name, b.Name), strings.Compare(a.Path, b.Path))
	})
	loads, home := make([]int, s.of), map[*registry.Entry]int{}
	for _, e := range bySize {
		least := slices.Index(loads, slices.Min(loads))
		loads[least] += tests[e]
		home[e] = least
	}
	return slices.DeleteFunc(slices.Clone(entries), func(e *registry.Entry) bool { return home[e] != s.number-1 })
}
