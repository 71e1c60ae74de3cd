package main

import (
	_ "embed"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"github.com/spf13/cobra"

	"ripple/runtime/loop"
)

// What a new project begins with.
var (
	//go:embed init/PROMPT.md
	initPrompt string
	//go:embed init/plan.md
	initPlan string
	//go:embed init/AGENT.md
	initAgent string
)

func newInit(a *app) *cobra.Command {
	return &cobra.Command{
		Use:   "init",
		Short: "Write .ralph/ to begin a loop with",
		Long: `Write .ralph/ in the current directory: the task (PROMPT.md), the plan (@fix_plan.md),
notes on how to build and test (@AGENT.md), the settings, all commented out
(.ralphrc), and a .gitignore that keeps all of it out of git. What is there stays as
it is.`,
		Args: noArgs,
		RunE: func(*cobra.Command, []string) error { return a.initLoop() },
	}
}

func (a *app) initLoop() error {
	if err := os.MkdirAll(filepath.Join(loop.Dir, loop.LogsDir), 0o755); err != nil {
		return failWith(exitFailed, err, "ripple init writes into the current directory: go to one that is yours")
	}
	for _, f := range []struct{ name, text string }{
		{loop.PromptFile, initPrompt},
		{loop.PlanFile, initPlan},
		{loop.AgentFile, initAgent},
		{loop.RCFile, initSettings()},
		{loop.IgnoreFile, loop.Ignore},
	} {
		path := filepath.Join(loop.Dir, f.name)
		what := "written"
		if err := create(path, []byte(f.text)); errors.Is(err, fs.ErrExist) {
			what = "is there, left as it is"
		} else if err != nil {
			return failWith(exitFailed, err, "")
		}
		a.printf("%-24s %s\n", path, what)
	}
	a.note("write the task into %s, then: ripple run (or try it first with --adapter rehearsal)", filepath.Join(loop.Dir, loop.PromptFile))
	return nil
}

// warnOfTemplates says that the agent would get the example of `ripple init` for
// its task.
func (a *app) warnOfTemplates(project string, f loopFlags) {
	same := func(name, text string) bool {
		path := filepath.Join(project, loop.Dir, name)
		if info, err := os.Stat(path); err != nil || !info.Mode().IsRegular() || info.Size() != int64(len(text)) {
			return false // a pipe would have to be waited for
		}
		data, err := os.ReadFile(path)
		return err == nil && string(data) == text
	}
	if f.prompt == "" && f.promptFile == "" && same(loop.PromptFile, initPrompt) && same(loop.PlanFile, initPlan) {
		a.note("%s and %s are still the example of ripple init: the agent gets its task from there", filepath.Join(loop.Dir, loop.PromptFile), loop.PlanFile)
	}
}

// initSettings are all settings with their defaults, commented out.
func initSettings() string {
	var b strings.Builder
	b.WriteString("# Settings of ripple run: KEY=value, as in a shell, but nothing is executed.\n" +
		"# Flags, the environment and ripple.yml come first (in the environment, RIPPLE_ stands\n# before MAX_TURNS and what follows it); ripple run --dry-run shows each with its source.\n")
	for _, s := range loop.Settings() {
		fmt.Fprintf(&b, "\n# %s\n#%s=%s\n", s.Help, s.Name, strings.TrimPrefix(shellQuote(s.Default), "''"))
	}
	return b.String()
}

func shellQuote(s string) string {
	if s == "" || strings.ContainsAny(s, " \t\n'\"$`\\#;&|<>()*?[]{}~!") {
		return "'" + strings.ReplaceAll(s, "'", `'\''`) + "'"
	}
	return s
}
