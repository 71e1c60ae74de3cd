//go:build manual

package main

import (
	"bytes"
	"errors"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"time"

	"github.com/spf13/cobra"
	"github.com/spf13/cobra/doc"

	"example.org/ripple/cmd/ripple/internal/ui"
)

// In a build with the tag "manual", ripple writes the documentation files of packages: man pages,
// and completions for four shells. Released binaries do not include it: the library for man pages
// would be a twentieth of the binary.
func init() { addManual = newManual }

func newManual(a *ui.App) *cobra.Command {
	return ui.WithoutHome(&cobra.Command{
		Use:    "manual DIRECTORY",
		Short:  "Write the man pages and completions",
		Hidden: true,
		Args:   cobra.ExactArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			return writeManual(cmd.Root(), args[0])
		},
	})
}

// writeManual writes man/*.1 and completions/*. The date of the pages is SOURCE_DATE_EPOCH
// (https://reproducible-builds.org/specs/source-date-epoch/), or today.
func writeManual(root *cobra.Command, dir string) error {
	man, shells := filepath.Join(dir, "man"), filepath.Join(dir, "completions")
	for _, d := range []string{man, shells} {
		if err := os.MkdirAll(d, 0o755); err != nil {
			return err
		}
	}
	date := time.Now()
	if seconds, err := strconv.ParseInt(os.Getenv("SOURCE_DATE_EPOCH"), 10, 64); err == nil {
		date = time.Unix(seconds, 0).UTC()
	}
	root.InitDefaultCompletionCmd()
	root.DisableAutoGenTag = true
	keepLists(root)
	head := &doc.GenManHeader{Title: "RIPPLE", Section: "1", Date: &date, Source: "ripple", Manual: "ripple"}
	err := errors.Join(doc.GenManTree(root, head, man), writeTopics(root, head, man))
	if err != nil {
		return err
	}
	for name, write := range map[string]func(string) error{
		"ripple.bash": func(f string) error { return root.GenBashCompletionFileV2(f, true) },
		"_ripple":     root.GenZshCompletionFile,
		"ripple.fish": func(f string) error {
			var script bytes.Buffer
			return errors.Join(writeFish(&script, root, true), os.WriteFile(f, script.Bytes(), 0o644))
		},
		"ripple.ps1": root.GenPowerShellCompletionFileWithDesc,
	} {
		if err := write(filepath.Join(shells, name)); err != nil {
			return err
		}
	}
	return nil
}

var emphasis = strings.NewReplacer("_", `\_`, "*", `\*`)

// keepLists indents the lists of help texts so that a manual page keeps their lines: the library
// parses a text as Markdown, which joins lines with less indentation. In other lines it escapes the
// characters that mark emphasis.
func keepLists(cmd *cobra.Command) {
	lines := strings.Split(cmd.Long, "\n")
	for i, line := range lines {
		switch {
		case strings.HasPrefix(line, "  "):
			lines[i] = "    " + line
		case !strings.HasPrefix(line, "\t"):
			lines[i] = emphasis.Replace(line)
		}
	}
	cmd.Long = strings.Join(lines, "\n")
	for _, sub := range cmd.Commands() {
		keepLists(sub)
	}
}

// writeTopics writes the pages of help topics, and adds them to the last section of ripple(1), SEE
// ALSO: the library omits them from both.
func writeTopics(root *cobra.Command, head *doc.GenManHeader, man string) error {
	main := filepath.Join(man, "ripple.1")
	first, err := os.ReadFile(main)
	if err != nil {
		return err
	}
	if !bytes.Contains(first, []byte(".SH SEE ALSO")) {
		return errors.New("ripple(1) has no section SEE ALSO to name the topics in")
	}
	first = bytes.TrimRight(first, "\n")
	for _, topic := range root.Commands() {
		if !topic.IsAdditionalHelpTopicCommand() {
			continue
		}
		var page bytes.Buffer
		name := "ripple-" + topic.Name()
		if err := errors.Join(doc.GenMan(topic, head, &page), os.WriteFile(filepath.Join(man, name+".1"), page.Bytes(), 0o644)); err != nil {
			return err
		}
		first = append(first, ", \\fB"+name+"(1)\\fP"...)
	}
	return os.WriteFile(main, append(first, '\n'), 0o644)
}
