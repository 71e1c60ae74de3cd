package ui

import (
	"strings"

	"github.com/spf13/cobra"

	"ripple/schema"
)

// CompleteFlag gives a flag what a shell offers for its value.
func CompleteFlag(cmd *cobra.Command, flag string, values cobra.CompletionFunc) {
	if err := cmd.RegisterFlagCompletionFunc(flag, values); err != nil {
		panic(err) // the command has no such flag, or it was said before
	}
}

// Choices says that a flag takes one of some words.
func Choices(cmd *cobra.Command, flag string, words ...string) {
	CompleteFlag(cmd, flag, cobra.FixedCompletions(words, cobra.ShellCompDirectiveNoFileComp))
}

// CompleteDirectories offers directories for the flags that are for one, wherever they are.
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

// FirstOnly offers something for the first argument alone; the others are files.
func FirstOnly(values cobra.CompletionFunc) cobra.CompletionFunc {
	return func(cmd *cobra.Command, args []string, word string) ([]string, cobra.ShellCompDirective) {
		if len(args) > 0 {
			return nil, cobra.ShellCompDirectiveDefault
		}
		return values(cmd, args, word)
	}
}

// CompleteAdapter gives the names of adapters to a shell that completes; a file will
// do, too.
func CompleteAdapter(a *App) cobra.CompletionFunc {
	return func(*cobra.Command, []string, string) ([]string, cobra.ShellCompDirective) {
		return adapterNames(a, func(schema.Family) bool { return true }), cobra.ShellCompDirectiveDefault
	}
}

// CompleteAgent gives the names of coding agents.
func CompleteAgent(a *App) cobra.CompletionFunc {
	return func(*cobra.Command, []string, string) ([]string, cobra.ShellCompDirective) {
		return adapterNames(a, isAgent), cobra.ShellCompDirectiveDefault
	}
}

// CompleteAgents goes on with a list of agents, which commas separate.
func CompleteAgents(a *App) cobra.CompletionFunc { return inList(a, isAgent) }

// CompletePrograms goes on with a list of adapters of programs that are no agents.
func CompletePrograms(a *App) cobra.CompletionFunc {
	return inList(a, func(f schema.Family) bool { return !isAgent(f) })
}

// inList puts what a list has already before each of the names that may come next.
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
			names = append(names, cobra.CompletionWithDesc(e.Name, e.Adapter.Description))
		}
	}
	return names
}
