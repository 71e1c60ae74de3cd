package ui

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"iter"
	"maps"
	"os"
	"path/filepath"

	"example.org/ripple/cmd/ripple/internal/trust"
	"example.org/ripple/internal/layout"
	"example.org/ripple/runtime/loop/config"
	"example.org/ripple/runtime/loop/journal"
	"example.org/ripple/runtime/loop/record"
	"example.org/ripple/runtime/registry"
)

// RunItems returns the item of a run's record with settings, if it exists: --resume takes from it
// the agents, their permissions and the commands to run.
func (t *Trust) RunItems(project string) []trust.Item {
	began, err := journal.ReadBegan(project)
	if err != nil || began.Settings == nil {
		return nil
	}
	return []trust.Item{t.runItem(project, began.Settings)}
}

// runItem returns the item of the record of a run with these settings. A run that an agent began has one
// item for agents, which may continue it, and another one for the user.
func (t *Trust) runItem(project string, s *record.Settings) trust.Item {
	if real, err := filepath.EvalSymlinks(project); err == nil { // like Project
		project = real
	}
	var read record.Settings
	data, err := json.Marshal(s)
	if err == nil {
		err = json.Unmarshal(data, &read) // in the form in which the record is read
	}
	if err == nil {
		data, err = json.MarshalIndent(read, "", "  ")
	}
	path := filepath.Join(project, layout.Dir, layout.EventsFile)
	if err != nil {
		return trust.Item{Kind: trust.Run, Path: path, Broken: err.Error()}
	}
	kind := trust.Run
	if s.ByAgent && t.Origin() != nil {
		kind = trust.AgentRun
	}
	if len(s.AdapterFiles) > maxAdapterFiles {
		return trust.Item{Kind: kind, Path: path, Broken: fmt.Sprintf("it names more than %d adapter files", maxAdapterFiles)}
	}
	if sizeOf(maps.Keys(s.AdapterFiles)) > maxAdapterBytes {
		return trust.Item{Kind: kind, Path: path, Broken: fmt.Sprintf("it names more than %d KB of adapter files", maxAdapterBytes>>10)}
	}
	lines := append(runLines(s), taskLine(project, s.PromptFile)...)
	return trust.New(kind, path, append(lines, t.adapterFileLines(s.AdapterFiles)...), data)
}

// The adapter files of a run's record are read before anybody trusts it: at most so many, with at most so many bytes together, like
// the adapters of a project.
const (
	maxAdapterFiles = 100
	maxAdapterBytes = 1 << 20
)

// sizeOf returns how many bytes some files have together. A file that is named twice counts twice, since it is read twice.
func sizeOf(paths iter.Seq[string]) (size int64) {
	for path := range paths {
		if info, err := os.Stat(path); err == nil && info.Mode().IsRegular() {
			size += info.Size()
		}
	}
	return size
}

// AdapterSum returns the digest of an adapter of a file, with its script, for the record of a run.
func AdapterSum(e *registry.Entry) string {
	sum := sha256.Sum256(fmt.Appendf(nil, "%d:%s%s", len(e.Text), e.Text, e.Adapter.Script))
	return hex.EncodeToString(sum[:])
}

// adapterFileLines describes the adapters that a run was given by their paths, like those in .ripple/adapters. The digests, by path,
// are those of the record: nothing is shown of a file with other contents, which --resume does not use.
func (t *Trust) adapterFileLines(sums map[string]string) (lines []string) {
	ours, err := t.withoutProject()
	if err != nil {
		return nil
	}
	for _, path := range SortedKeys(sums) {
		at := "adapter " + shownValue(path) + ": "
		if !registry.IsPath(path) {
			continue // no adapter that is used has this path
		}
		var e *registry.Entry
		info, err := os.Stat(path)
		if err == nil && info.Mode().IsRegular() {
			e, err = ours.Inspect(path)
		}
		if err != nil || e == nil || AdapterSum(e) != sums[path] {
			lines = append(lines, at+"is not used, because it has changed since the run began")
			continue
		}
		for _, line := range adapterRuns(e, ours) {
			lines = append(lines, at+line)
		}
	}
	return lines
}

func taskLine(project, path string) []string {
	if path != "" && !filepath.IsAbs(path) {
		path = filepath.Join(project, path)
	}
	return config.TaskLine(project, path)
}

func runLines(s *record.Settings) []string {
	lines := []string{"ripple run --resume continues with the agent " + record.OneLine(s.Agent, 120)}
	if s.ByAgent {
		lines = append(lines, "it continues a run that an agent started")
	}
	for _, of := range []struct{ what, text string }{
		{"its task", s.Prompt}, {"its task is in the file", s.PromptFile}, {"model", s.Model}, {"transport", s.Transport},
	} {
		if of.text != "" {
			lines = append(lines, of.what+": "+of.text)
		}
	}
	for _, set := range config.Settings() {
		if v, has := s.Values[set.Name]; has && v.Value != set.Default && set.Idle == "" {
			lines = append(lines, set.Name+"="+v.Value)
		}
	}
	return lines
}

// OwnRun approves the settings of a run that starts or continues, so that --resume by the same one, the user
// or an agent, trusts its record. If --trust has approved what the run needs, the record is not approved.
func (t *Trust) OwnRun(project string, need []trust.Item, s *record.Settings) {
	if s == nil {
		return
	}
	item := t.runItem(project, s)
	known, err := t.Agreed(project)
	if len(known.Missing(need)) > 0 || known.Has(item) || err != nil && t.mode() == trustAlways {
		return
	}
	t.own(project, item)
}

// AgreeToRun is Agree for the record of a run with these settings.
func (t *Trust) AgreeToRun(project string, s *record.Settings) error {
	return t.Agree([]trust.Item{t.runItem(project, s)})
}
