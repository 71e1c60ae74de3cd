package ui

import (
	"encoding/json"
	"path/filepath"

	"example.org/ripple/cmd/ripple/internal/trust"
	"example.org/ripple/internal/layout"
	"example.org/ripple/runtime/loop/config"
	"example.org/ripple/runtime/loop/journal"
	"example.org/ripple/runtime/loop/record"
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
	return trust.New(kind, path, append(runLines(s), taskLine(project, s.PromptFile)...), data)
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
	known, err := t.agreed(project)
	if len(known.Missing(need)) > 0 || known.Has(item) || err != nil && t.mode() == trustAlways {
		return
	}
	t.own(project, item)
}

// AgreeToRun is Agree for the record of a run with these settings.
func (t *Trust) AgreeToRun(project string, s *record.Settings) error {
	return t.Agree([]trust.Item{t.runItem(project, s)})
}
