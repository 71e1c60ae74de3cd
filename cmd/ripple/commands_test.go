package main

import (
	"bytes"
	"context"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"example.org/ripple/cmd/ripple/internal/ui"
	"example.org/ripple/schema"
)

// tree returns the root command and all visible subcommands.
func tree(t *testing.T) (root *cobra.Command, all []*cobra.Command) {
	t.Helper()
	root = newRoot(ui.NewApp(strings.NewReader(""), &bytes.Buffer{}, &bytes.Buffer{}, func(error) {}))
	root.SetContext(context.Background())
	root.InitDefaultHelpCmd()
	root.InitDefaultCompletionCmd()
	var walk func(*cobra.Command)
	walk = func(cmd *cobra.Command) {
		cmd.InitDefaultHelpFlag()
		all = append(all, cmd)
		for _, sub := range shown(cmd) {
			walk(sub)
		}
	}
	walk(root)
	return root, all
}

// requireAll checks that lines call each command that does not only group others. The short form of a command of
// a loop, such as ripple run, counts for both.
func requireAll(t *testing.T, list string, lines [][]string) {
	t.Helper()
	_, all := tree(t)
	called := map[string]bool{}
	for _, line := range lines {
		cmd, _, err := all[0].Find(line)
		require.NoError(t, err, line)
		called[cmd.CommandPath()] = true
	}
	for _, cmd := range all {
		path := cmd.CommandPath()
		if short := strings.Replace(path, "ripple loop ", "ripple ", 1); !called[path] && !called[short] {
			assert.True(t, cmd.HasSubCommands(), "no line of %s calls %s", list, path)
		}
	}
}

// completed matches the words of a command's usage that name something known to ripple.
var completed = regexp.MustCompile(`\b(ADAPTER|CONSOLE|CLIENT)\b`)

// Names known to ripple are completed: adapters, consoles, agents, and flags' values.
func TestNamesComplete(t *testing.T) {
	_, all := tree(t)
	arguments, flags := 0, 0
	for _, cmd := range all {
		if completed.MatchString(cmd.Use) {
			arguments++
			assert.True(t, cmd.ValidArgsFunction != nil || cmd.ValidArgs != nil, "%s: its argument does not complete", cmd.CommandPath())
		}
		cmd.LocalFlags().VisitAll(func(f *pflag.Flag) {
			if !slices.Contains([]string{"adapter", "adapters", "fallback", "report", "format", "preset", "cwd", "filter", "op", "key"}, f.Name) || strings.HasPrefix(cmd.CommandPath(), "ripple rehearse") {
				return
			}
			flags++
			_, known := cmd.GetFlagCompletionFunc(f.Name)
			assert.True(t, known, "%s --%s does not complete", cmd.CommandPath(), f.Name)
		})
	}
	assert.Greater(t, arguments, 10)
	assert.Greater(t, flags, 10)
}

// The help of a flag has a placeholder for its value in capitals: --timeout DURATION.
func TestPlaceholders(t *testing.T) {
	root, all := tree(t)
	ui.Placeholders(root)
	values := 0
	for _, cmd := range all {
		cmd.LocalFlags().VisitAll(func(f *pflag.Flag) {
			word, _ := pflag.UnquoteUsage(f)
			if word != "" {
				values++
			}
			assert.Equal(t, strings.ToUpper(word), word, "%s --%s: give it a placeholder, in its usage or in ui.placeholders", cmd.CommandPath(), f.Name)
		})
	}
	assert.Greater(t, values, 100)
}

// The help of a flag is one line that fits a terminal; the rest is in the command's long text.
func TestFlagsHaveOneShortLine(t *testing.T) {
	const columns = 100
	root, all := tree(t)
	ui.Placeholders(root)
	count := 0
	for _, cmd := range all {
		for line := range strings.Lines(cmd.LocalFlags().FlagUsages()) {
			line = strings.TrimSuffix(line, "\n")
			count++
			assert.Regexp(t, `^ *-`, line, "%s: a line is not the beginning of a flag's help", cmd.CommandPath())
			assert.LessOrEqual(t, utf8.RuneCountInString(line), columns, "%s: shorten %q", cmd.CommandPath(), line)
		}
	}
	assert.Greater(t, count, 200)
}

// Frequent commands exist without the noun, and are the same commands.
func TestLoopCommandsHaveAShortForm(t *testing.T) {
	root, all := tree(t)
	count := 0
	for _, cmd := range all {
		if cmd.HasParent() && cmd.Parent().CommandPath() == "ripple loop" {
			short, _, err := root.Find([]string{cmd.Name()})
			require.NoError(t, err)
			assert.Equal(t, cmd.Use, short.Use)
			assert.Equal(t, cmd.LocalFlags().FlagUsages(), short.LocalFlags().FlagUsages())
			count++
		}
	}
	assert.Equal(t, 12, count)
}

// The manual for models contains every command and every flag.
func TestTheWholeManual(t *testing.T) {
	root, all := tree(t)
	var b strings.Builder
	require.NoError(t, manual(&b, root))
	text := b.String()
	for _, cmd := range all {
		if strings.HasPrefix(cmd.CommandPath(), "ripple completion") || strings.HasPrefix(cmd.CommandPath(), "ripple loop ") {
			continue
		}
		assert.Contains(t, text, "# "+cmd.CommandPath()+"\n")
		cmd.LocalFlags().VisitAll(func(f *pflag.Flag) {
			if !f.Hidden {
				assert.Contains(t, text, "--"+f.Name, cmd.CommandPath())
			}
		})
	}
	assert.NotContains(t, text, "\x1b")
}

// documents returns the paths of all documents that show commands.
func documents(t *testing.T) (paths []string) {
	t.Helper()
	top := filepath.Join("..", "..")
	for _, dir := range []string{".", "docs", "skills", ".github"} {
		err := filepath.WalkDir(filepath.Join(top, dir), func(path string, d fs.DirEntry, err error) error {
			switch {
			case err != nil:
				return err
			case d.IsDir() && dir == "." && path != top:
				return fs.SkipDir
			case filepath.Ext(path) == ".md":
				paths = append(paths, path)
			}
			return nil
		})
		if dir == ".github" && os.IsNotExist(err) {
			continue
		}
		require.NoError(t, err)
	}
	return paths
}

var (
	fenced = regexp.MustCompile("(?ms)^```(?:sh|console)\n(.*?)^```")
	inline = regexp.MustCompile("`(ripple [^`\n]+)`")
	called = regexp.MustCompile(`^(?:\$ )?(?:[A-Z_]+=\S+ )*ripple ([^|<>#;&]*)`)
)

// commandLines returns the command lines of a document that begin with ripple.
func commandLines(text string) (lines []string) {
	for _, block := range fenced.FindAllStringSubmatch(text, -1) {
		for line := range strings.Lines(strings.ReplaceAll(block[1], "\\\n", " ")) {
			if m := called.FindStringSubmatch(strings.TrimSpace(line)); m != nil {
				lines = append(lines, m[1])
			}
		}
	}
	for _, m := range inline.FindAllStringSubmatch(text, -1) {
		if c := called.FindStringSubmatch(m[1]); c != nil {
			lines = append(lines, c[1])
		}
	}
	return lines
}

// Every command in a document exists, and so do its flags.
func TestDocumentsShowExistingCommands(t *testing.T) {
	root, _ := tree(t)
	count := 0
	for _, path := range documents(t) {
		data, err := os.ReadFile(path)
		require.NoError(t, err)
		for _, line := range commandLines(string(data)) {
			count++
			if problem := wrong(root, line); problem != "" {
				t.Errorf("%s: ripple %s: %s", path, line, problem)
			}
		}
	}
	assert.Greater(t, count, 100)
}

// wrong describes the first unknown part of a command line. Text after a quote may belong to
// another program.
func wrong(root *cobra.Command, line string) string {
	line, _, _ = strings.Cut(line, " -- ")
	template, err := schema.SplitCommand(regexp.MustCompile(`'[^']*'?|"[^"]*"?|[{}…]`).ReplaceAllString(line, "X"))
	if err != nil {
		return err.Error()
	}
	var words []string
	for _, w := range template {
		for _, p := range w.Parts {
			words = append(words, p.Text)
		}
	}
	cmd, rest, err := root.Find(words)
	if err != nil {
		return err.Error()
	}
	if cmd.HasSubCommands() && len(rest) > 0 && !strings.HasPrefix(rest[0], "-") && regexp.MustCompile(`^[a-z-]+$`).MatchString(rest[0]) && cmd.Name() != "mcp" {
		return cmd.CommandPath() + " has no command " + rest[0]
	}
	for _, word := range rest {
		name, isFlag := strings.CutPrefix(word, "--")
		name, _, _ = strings.Cut(name, "=")
		if isFlag && name != "" && cmd.Flags().Lookup(name) == nil && cmd.InheritedFlags().Lookup(name) == nil {
			return "no flag --" + name
		}
	}
	return ""
}

// The check detects errors.
func TestWrongCommandLinesAreFound(t *testing.T) {
	root, _ := tree(t)
	for line, want := range map[string]string{
		"exec bash --lines":            "",
		"exec bash --linez":            "no flag --linez",
		"console stat bash":            "ripple console has no command stat",
		"console exec work 'a --b'":    "",
		"agent run --adapter=x -- --y": "",
		"help --llms console":          "",
	} {
		assert.Equal(t, want, wrong(root, line), line)
	}
	assert.Equal(t, []string{"exec bash ", "version"}, commandLines("```sh\nA=b ripple exec bash | cat\n```\n`ripple version`\n"))
}

// The error for a value that a flag does not accept names what it takes.
func TestErrorsOfFlagsNameWhatTheyTake(t *testing.T) {
	_, all := tree(t)
	refused := 0
	for _, cmd := range all {
		cmd.LocalFlags().VisitAll(func(f *pflag.Flag) {
			if err := cmd.ParseFlags([]string{"--" + f.Name + "=many"}); err != nil {
				refused++
				assert.Regexp(t, "^--"+f.Name+` takes (a whole number|a number|a duration with its unit, .*|true or false), not "many"`, cmd.FlagErrorFunc()(cmd, err), cmd.CommandPath())
			}
		})
	}
	assert.Greater(t, refused, 50)
}

// Every flag that takes a duration takes days, as the settings of a loop do.
func TestDurationsMayHaveDays(t *testing.T) {
	_, all := tree(t)
	count := 0
	for _, cmd := range all {
		cmd.LocalFlags().VisitAll(func(f *pflag.Flag) {
			if f.Value.Type() != "duration" {
				return
			}
			count++
			assert.NoError(t, cmd.ParseFlags([]string{"--" + f.Name, "1d12h"}), cmd.CommandPath())
			assert.Equal(t, "36h0m0s", f.Value.String(), "%s --%s", cmd.CommandPath(), f.Name)
			assert.Error(t, cmd.ParseFlags([]string{"--" + f.Name, "1dd"}))
		})
	}
	assert.Greater(t, count, 10)
}

// Every flag that takes a duration refuses a negative one.
func TestNegativeDurationsAreRefused(t *testing.T) {
	root, all := tree(t)
	for _, cmd := range all {
		assert.True(t, cmd == root || cmd.PersistentPreRunE == nil && cmd.PersistentPreRun == nil, "%s replaces what root checks", cmd.CommandPath())
		cmd.LocalFlags().VisitAll(func(f *pflag.Flag) {
			if f.Value.Type() != "duration" {
				return
			}
			require.NoError(t, cmd.ParseFlags([]string{"--" + f.Name, "-1s"}))
			assert.ErrorContains(t, root.PersistentPreRunE(cmd, nil), "--"+f.Name+" must be at least 0", cmd.CommandPath())
		})
	}
}
