package adaptercmd

import (
	"cmp"
	"slices"
	"sort"
	"strconv"
	"strings"

	"example.org/ripple/cmd/ripple/internal/ui"
	"example.org/ripple/runtime/contract"
	"example.org/ripple/runtime/registry"
)

// shard is one of several runs that share the adapters: number of of, counted from 1. The zero
// value selects all adapters.
type shard struct{ number, of int }

func parseShard(text string) (shard, error) {
	if text == "" {
		return shard{}, nil
	}
	before, after, _ := strings.Cut(text, "/")
	number, err := strconv.Atoi(before)
	of, err2 := strconv.Atoi(after)
	if err != nil || err2 != nil || number < 1 || number > of {
		return shard{}, ui.UsageError("--shard 2/3 is the second third of the adapters", "--shard must be I/N with I from 1 to N, not %q", text)
	}
	return shard{number, of}, nil
}

// part returns the adapters of this shard, in their order. It depends only on the adapters and not
// on the machine, so that runs on several machines leave none out: each adapter, those with most
// tests first, goes to the shard that has the fewest tests.
func (s shard) part(entries []*registry.Entry) []*registry.Entry {
	if s.of == 0 {
		return entries
	}
	tests := map[*registry.Entry]int{}
	for _, e := range entries {
		tests[e] = len(contract.ListTests(e.Adapter, contract.Options{}))
	}
	bySize := slices.Clone(entries)
	sort.SliceStable(bySize, func(i, j int) bool {
		a, b := bySize[i], bySize[j]
		return cmp.Or(tests[b]-tests[a], strings.Compare(a.Name, b.Name), strings.Compare(a.Path, b.Path)) < 0
	})
	loads, home := make([]int, s.of), map[*registry.Entry]int{}
	for _, e := range bySize {
		least := slices.Index(loads, slices.Min(loads))
		loads[least] += tests[e]
		home[e] = least
	}
	return slices.DeleteFunc(slices.Clone(entries), func(e *registry.Entry) bool { return home[e] != s.number-1 })
}
