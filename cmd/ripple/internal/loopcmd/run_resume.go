package loopcmd

import (
	"cmp"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"path/filepath"
	"slices"
	"strings"
	"time"
	"unicode"
	"unicode/utf8"

	"example.org/ripple/cmd/ripple/internal/ui"
	"example.org/ripple/internal/layout"
	"example.org/ripple/internal/quote"
	"example.org/ripple/runtime/loop/config"
	"example.org/ripple/runtime/loop/journal"
	"example.org/ripple/runtime/loop/record"
	"example.org/ripple/runtime/registry"
)

const newRunHint = "to start a new run: leave out --resume"

// loadSettings reads the settings of a run. A run that --resume continues keeps those that it
// started with; began is nil if they are not known, or if the run is new.
func loadSettings(a *app, project string, f *loopFlags, flags map[string]string) (c *config.Config, notes []string, began *record.Settings, err error) {
	if f.resume {
		b, err := recordedRun(a, project, f.dryRun)
		if err != nil {
			return nil, nil, nil, err
		}
		began = b.Settings
		if !f.dryRun && (began == nil || !began.ByAgent) {
			if err := byPeople(a, "ripple run --resume"); err != nil { // the user may have stopped it
				return nil, nil, nil, err
			}
		}
	}
	if began == nil {
		if c, notes, err = a.loader(project, flags, f.dryRun).Load(); err == nil {
			return c, notes, nil, agentsByName(c)
		}
		return nil, nil, nil, configError(err)
	}
	if !f.dryRun || namesAdapterFile(began) { // an unapproved record is not used, and none of the files that it names is read
		if err := a.Trust.AgreeToRun(project, began); err != nil {
			return nil, nil, nil, err
		}
	}
	if err := f.goOnWith(began, flags); err != nil {
		return nil, nil, nil, err
	}
	values := map[string]config.Source{}
	for name, v := range began.Values {
		values[name] = config.Source(v)
	}
	if c, notes, err = a.loader(project, flags, f.dryRun).Resume(values); err != nil {
		return nil, nil, nil, configError(err)
	}
	if err := agentsByName(c); err != nil {
		return nil, nil, nil, err
	}
	return c, notes, began, f.keepTask(project, began, c)
}

// loader reads the settings of a run. Variables of the environment in a .ralphrc get their values after its approval: a run
// asks for it, and a command that only shows the settings leaves the variables as they are.
func (a *app) loader(project string, flags map[string]string, onlyShow bool) config.Loader {
	return config.Loader{Project: project, Flags: flags, Env: a.Getenv, MayExpand: func(f config.File) (bool, error) {
		items := ui.SettingsItems([]config.File{f})
		if !onlyShow {
			return true, a.Trust.Agree(items)
		}
		approved := a.Trust.Approved(items...)
		if !approved {
			a.Note("%s: variables of the environment have no values here, because the file has not been approved (to approve it: ripple trust)", ui.Harmless(f.Path))
		}
		return approved, nil
	}}
}

func configError(err error) error {
	if _, asked := errors.AsType[*ui.ExitError](err); asked || err == nil {
		return err
	}
	return ui.FailWith(ui.ExitUsage, err, "to list the settings: ripple run --help; to write them all, commented out: ripple init")
}

// recordedRun reads the start of the run to continue. If there is no run, --dry-run shows a new
// one: the result is the zero value.
func recordedRun(a *app, project string, dry bool) (b journal.Began, err error) {
	b, err = journal.ReadBegan(project)
	switch {
	case errors.Is(err, journal.ErrNoRun) && dry:
		return b, nil
	case errors.Is(err, journal.ErrNoRun):
		do := "to start one: ripple run, without --resume"
		above := loopDir()
		if _, err := journal.ReadBegan(above); err == nil {
			do = fmt.Sprintf("to resume the loop of %s: %s\n%s", quote.Name(above), commandIn(above, "ripple run --resume"), do)
		}
		return b, ui.FailWith(ui.ExitMissing, fmt.Errorf("no run is recorded in %s: there is nothing to resume", layout.Dir), do)
	case err != nil:
		return b, reportError(err)
	case b.Settings == nil:
		a.Note("the record of the run started %s has no settings, because an older ripple started it; the settings of this command apply", b.Time.Local().Format(time.DateTime))
	}
	return b, nil
}

// Limits of what is recorded beside the values, in bytes.
const (
	maxRecordedWord   = 4 << 10
	maxRecordedPrompt = 1 << 20
)

// goOnWith restores the other arguments of a run, except those that the command line overrides.
// The record is not trusted.
func (f *loopFlags) goOnWith(began *record.Settings, flags map[string]string) error {
	for i, word := range []string{began.PromptFile, began.Agent, began.Command, began.Model, began.Transport, began.Hats} {
		isPath := i == 0 // the name of a directory may have any character
		if len(word) > maxRecordedWord || !utf8.ValidString(word) || strings.ContainsFunc(word, unicode.IsControl) && !isPath {
			return ui.UsageError(newRunHint, "the run's record (%s/%s) has a value that ripple does not write: %.80q", layout.Dir, layout.EventsFile, word)
		}
	}
	if len(began.Prompt) > maxRecordedPrompt {
		return ui.UsageError(newRunHint, "the run's record (%s/%s) has a prompt of %d bytes", layout.Dir, layout.EventsFile, len(began.Prompt))
	}
	other, given := flags["adapter"]
	if !given {
		f.agent = began.Agent
	}
	if !given || other == began.Agent || other == began.Values[agentSetting].Value { // another agent has other models and transports
		f.model, f.transport = cmp.Or(f.model, began.Model), cmp.Or(f.transport, began.Transport)
	}
	return nil
}

// keepTask takes the task that a run began with, unless the command line has another. A
// file outside of the project must be named by somebody else than the record.
func (f *loopFlags) keepTask(project string, began *record.Settings, c *config.Config) error {
	if f.prompt != "" || f.promptFile != "" {
		return nil
	}
	path := began.PromptFile
	if path != "" && !filepath.IsAbs(path) {
		path = filepath.Join(project, path)
	}
	inside, err := filepath.Rel(project, path)
	named, _ := filepath.Abs(c.PromptFile) // by ripple.yml
	if path != "" && path != named && (err != nil || !filepath.IsLocal(inside)) {
		return ui.UsageError("to use it again: --resume --prompt-file "+quote.Shell(ui.Harmless(began.PromptFile)),
			"the run's task is in %s, outside of the project; for safety, ripple does not give such a file to an agent just because the record names it", ui.Harmless(began.PromptFile))
	}
	f.prompt, f.promptFile, f.kept, f.ofProject = began.Prompt, path, true, path != ""
	return nil
}

// recordedPath returns the path of a file for the record. If the path is not UTF-8, which JSON
// requires, it is relative to the project, if possible.
func recordedPath(project, path string) string {
	if utf8.ValidString(path) {
		return path
	}
	if inside, err := filepath.Rel(project, path); err == nil && filepath.IsLocal(inside) {
		return inside
	}
	return path
}

// settingsOf returns the settings with which a run starts, for its record.
func (a *app) settingsOf(project string, c *config.Config, agent *loopAgent, f loopFlags) *record.Settings {
	s := &record.Settings{
		ByAgent: a.Trust.Origin() != nil,
		Agent:   agent.entry.Name, Model: f.model, Transport: f.transport, Prompt: f.prompt, PromptFile: recordedPath(project, f.promptFile),
		Values: map[string]record.Setting{},
	}
	if s.Agent == customName {
		s.Command = commandWords(append([]string{c.Command}, c.Args...))
	}
	if len(c.Hats.Hats) > 0 {
		data, _ := json.Marshal(c.Hats) // it has nothing that JSON has not
		digest := sha256.Sum256(data)
		s.Hats = hex.EncodeToString(digest[:8])
	}
	for _, set := range config.Settings() {
		if c.IsSet(set.Name) && !set.Once {
			s.Values[set.Name] = record.Setting(c.Source(set.Name))
		}
	}
	return s
}

func commandWords(words []string) string {
	quoted := make([]string, len(words))
	for i, w := range words {
		quoted[i] = quote.Shell(w)
	}
	return record.OneLine(strings.Join(quoted, " "), maxRecordedWord/4)
}

// tellResumed prints the settings with which a run continues, and what has changed since it
// began.
func tellResumed(a *app, began, now *record.Settings) {
	a.Note("settings of the run: %s", ui.Harmless(strings.Join(settingWords(now), " ")))
	before := settingWords(began)
	after := settingWords(now)
	only := func(list, other []string) string {
		list = slices.DeleteFunc(slices.Clone(list), func(w string) bool { return slices.Contains(other, w) })
		return ui.Harmless(strings.Join(list, " "))
	}
	if is, was := only(after, before), only(before, after); is != "" || was != "" {
		a.Note("changed by this command: %s (before: %s)", cmp.Or(is, "now the defaults"), cmp.Or(was, "not given"))
	}
	if now.Agent == began.Agent && now.Command != began.Command {
		a.Note("the agent of ripple.yml is %s now, and was %s when the run began", ui.Harmless(now.Command), ui.Harmless(began.Command))
	}
	if now.Hats != began.Hats {
		a.Note("the hats in ripple.yml have changed since the run began")
	}
}

const agentSetting = "PLATFORM_DRIVER"

// settingWords returns the settings of a run as arguments of a command line, the agent first.
func settingWords(s *record.Settings) []string {
	name := s.Agent
	if given := s.Values[agentSetting].Value; registry.IsPath(given) { // no adapter has the name, or another one
		name = given
	}
	words := []string{"--adapter " + quote.Shell(name)}
	add := func(flag, value string) {
		if value != "" {
			words = append(words, "--"+flag+" "+quote.Shell(record.OneLine(value, 120)))
		}
	}
	add("model", s.Model)
	add("transport", s.Transport)
	add("prompt", s.Prompt)
	add("prompt-file", s.PromptFile)
	for _, set := range config.Settings() {
		v, has := s.Values[set.Name]
		switch {
		case !has || set.Flag == "adapter" || v.Value == set.Default || set.Idle != "":
		case set.Flag == "":
			words = append(words, set.Name+"="+quote.Shell(record.OneLine(v.Value, 120)))
		case set.Off != "" && v.Value == "false":
			words = append(words, "--"+set.Off)
		case set.Default == "false" && v.Value == "true":
			words = append(words, "--"+set.Flag)
		case set.Repeats:
			for line := range strings.SplitSeq(v.Value, "\n") {
				add(set.Flag, line)
			}
		default:
			add(set.Flag, v.Value)
		}
	}
	return words
}
