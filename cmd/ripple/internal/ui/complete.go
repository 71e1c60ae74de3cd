package ui

import (
	"maps"
	"slices"
	"strings"
	"unicode"

	"github.com/spf13/cobra"

	"example.org/ripple/internal/lazyregexp"
	"example.org/ripple/schema"
)

// CompleteFlag sets the completion of a flag's value. Values that a shell would execute are left out: bash inserts the common
// beginning of several as it is, and evaluates the line for the next ones. They may be from a stranger's file.
func CompleteFlag(cmd *cobra.Command, flag string, values cobra.CompletionFunc) {
	harmless := func(cmd *cobra.Command, args []string, word string) (list []string, directive cobra.ShellCompDirective) {
		list, directive = values(cmd, args, word)
		return slices.DeleteFunc(slices.Clone(list), isExecuted), directive
	}
	if err := cmd.RegisterFlagCompletionFunc(flag, harmless); err != nil {
		panic(err) // the flag does not exist, or already has a completion
	}
}

// escaped matches a character that has no meaning for a shell because of a backslash.
var escaped = lazyregexp.New(`\\[^\pC]`)

// isExecuted reports whether a shell would execute a part of a completion, which may have a description after a tab, or has characters that are not printed.
func isExecuted(completion string) bool {
	value, _, _ := strings.Cut(completion, "\t")
	return strings.ContainsFunc(escaped().ReplaceAllString(value, ""), func(r rune) bool { return unicode.Is(unicode.C, r) || strings.ContainsRune("`;&|<>!$()\\", r) })
}

// Choices declares that a flag accepts one of several words.
func Choices(cmd *cobra.Command, flag string, words ...string) {
	CompleteFlag(cmd, flag, cobra.FixedCompletions(words, cobra.ShellCompDirectiveNoFileComp))
}

// CompleteDirectories completes directories for the flags of these names, in cmd and all
// subcommands.
func CompleteDirectories(cmd *cobra.Command, flags ...string) {
	for _, name := range flags {
		if f := cmd.Flags().Lookup(name); f != nil {
			CompleteFlag(cmd, name, func(*cobra.Command, []string, string) ([]string, cobra.ShellCompDirective) {
				return nil, cobra.ShellCompDirectiveFilterDirs
			})
		}
	}
	for _, sub := range cmd.Commands() {
		CompleteDirectories(sub, flags...)
	}
}

// FirstOnly completes only the first argument; the others are files.
func FirstOnly(values cobra.CompletionFunc) cobra.CompletionFunc {
	return func(cmd *cobra.Command, args []string, word string) ([]string, cobra.ShellCompDirective) {
		if len(args) > 0 {
			return nil, cobra.ShellCompDirectiveDefault
		}
		return values(cmd, args, word)
	}
}

// CompleteAdapter completes names of adapters, and files.
func CompleteAdapter(a *App) cobra.CompletionFunc {
	return func(*cobra.Command, []string, string) ([]string, cobra.ShellCompDirective) {
		return adapterNames(a, func(schema.Family) bool { return true }), cobra.ShellCompDirectiveDefault
	}
}

// CompleteAgent completes names of coding agents.
func CompleteAgent(a *App) cobra.CompletionFunc {
	return func(*cobra.Command, []string, string) ([]string, cobra.ShellCompDirective) {
		return adapterNames(a, isAgent), cobra.ShellCompDirectiveDefault
	}
}

// CompleteMode completes the permission modes of the agent given by --adapter.
func CompleteMode(a *App) cobra.CompletionFunc {
	return func(cmd *cobra.Command, _ []string, _ string) ([]string, cobra.ShellCompDirective) {
		f := cmd.Flags().Lookup("adapter")
		if f == nil {
			return nil, cobra.ShellCompDirectiveNoFileComp
		}
		r, err := a.Registry()
		if err != nil {
			return nil, cobra.ShellCompDirectiveNoFileComp
		}
		e, err := r.Find(f.Value.String()) // unlike Adapter, this does not ask the user
		if err != nil || e.Adapter.Agent == nil || e.Adapter.Agent.Options.PermissionMode == nil {
			return nil, cobra.ShellCompDirectiveNoFileComp
		}
		return slices.Sorted(maps.Keys(e.Adapter.Agent.Options.PermissionMode.Values)), cobra.ShellCompDirectiveNoFileComp
	}
}

// CompleteAgents completes a comma-separated list of agents.
func CompleteAgents(a *App) cobra.CompletionFunc { return inList(a, isAgent) }

// CompletePrograms completes a comma-separated list of adapters of programs that are not agents.
func CompletePrograms(a *App) cobra.CompletionFunc {
	return inList(a, func(f schema.Family) bool { return !isAgent(f) })
}

// inList completes the last element of a comma-separated list.
func inList(a *App, family func(schema.Family) bool) cobra.CompletionFunc {
	return func(_ *cobra.Command, _ []string, list string) ([]string, cobra.ShellCompDirective) {
		names := adapterNames(a, family)
		for i := range names {
			names[i] = list[:strings.LastIndex(list, ",")+1] + names[i]
		}
		return names, cobra.ShellCompDirectiveNoFileComp | cobra.ShellCompDirectiveNoSpace
	}
}

func isAgent(f schema.Family) bool { return f == schema.FamilyAgent }

func adapterNames(a *App, family func(schema.Family) bool) (names []string) {
	r, err := a.Registry()
	if err != nil {
		return nil
	}
	for _, e := range r.List() {
		if family(e.Adapter.Family) {
			names = append(names, cobra.CompletionWithDesc(Harmless(e.Name), FirstLine(e.Adapter.Description)))
		}
	}
	return names
}
