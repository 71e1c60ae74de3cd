package schema

import (
	"bytes"
	_ "embed"
)

//go:embed scenario.schema.json
var scenarioText []byte

// ScenarioJSON returns the JSON Schema (draft 2020-12) of scenarios, for editors.
func ScenarioJSON() []byte { return bytes.Clone(scenarioText) }

var scenarioGrammar = newGrammar("scenario", "the scenario", "a scenario", "turns:", scenarioText)

// Scenario is the script of a scripted agent.
type Scenario struct {
	Turns []ScenarioTurn `yaml:"turns"`
}

// ScenarioTurn is one turn: its steps, then its result.
type ScenarioTurn struct {
	Steps    []ScenarioStep `yaml:"steps"`
	Usage    *ScenarioUsage `yaml:"usage"`
	Failed   bool           `yaml:"failed"`
	Kind     string         `yaml:"kind"`
	Result   string         `yaml:"result"`
	ExitCode int            `yaml:"exit_code"`
}

// ScenarioStep is a step of a turn; exactly one field is set.
type ScenarioStep struct {
	Text   *string           `yaml:"text"`
	Status map[string]string `yaml:"status"`
	Tool   *ScenarioTool     `yaml:"tool"`
	Write  *ScenarioWrite    `yaml:"write"`
	Edit   *ScenarioEdit     `yaml:"edit"`
	Run    string            `yaml:"run"`
	WaitMS int               `yaml:"wait_ms"`
	Stall  bool              `yaml:"stall"`
	Deaf   bool              `yaml:"deaf"`
	Limit  *ScenarioLimit    `yaml:"limit"`
	Deny   *ScenarioDeny     `yaml:"deny"`
	Error  *ScenarioError    `yaml:"error"`
	Raw    *string           `yaml:"raw"`
	Stderr *string           `yaml:"stderr"`
	Exit   *int              `yaml:"exit"`
}

// ScenarioTool is the use of a tool that is reported and has no effect.
type ScenarioTool struct {
	Name   string         `yaml:"name"`
	Input  map[string]any `yaml:"input"`
	Result string         `yaml:"result"`
	Failed bool           `yaml:"failed"`
}

// ScenarioWrite is a file that is written.
type ScenarioWrite struct {
	Path    string `yaml:"path"`
	Content string `yaml:"content"`
}

// ScenarioEdit replaces text in a file.
type ScenarioEdit struct {
	Path string `yaml:"path"`
	Old  string `yaml:"old"`
	New  string `yaml:"new"`
}

// ScenarioLimit is a limit of the provider.
type ScenarioLimit struct {
	Message    string `yaml:"message"`
	ResetsInMS int    `yaml:"resets_in_ms"`
}

// ScenarioDeny is a tool that is refused.
type ScenarioDeny struct {
	Tool   string `yaml:"tool"`
	Detail string `yaml:"detail"`
}

// ScenarioError is an error that the agent reports.
type ScenarioError struct {
	Message string `yaml:"message"`
	Fatal   bool   `yaml:"fatal"`
	Kind    string `yaml:"kind"`
}

// ScenarioUsage is the usage of a turn.
type ScenarioUsage struct {
	Input   int     `yaml:"input"`
	Output  int     `yaml:"output"`
	CostUSD float64 `yaml:"cost_usd"`
}

// LoadScenario reads a scenario file.
func LoadScenario(path string) (*Scenario, []Diagnostic) {
	data, err := readFile(path)
	if err != nil {
		return nil, Unreadable(path, err)
	}
	return ParseScenario(path, data)
}

// ParseScenario reads a scenario from memory; source is its name in messages.
func ParseScenario(source string, data []byte) (*Scenario, []Diagnostic) {
	d := parseDocumentAs(scenarioGrammar, source, data)
	if d.root != nil {
		validation{d}.validate()
	}
	if len(d.diags) > 0 {
		return nil, sortDiagnostics(d.diags)
	}
	s := &Scenario{}
	if err := d.root.Decode(s); err != nil {
		d.errorAt(1, 1, KindType, "cannot be read: %v", err)
		return nil, d.diags
	}
	d.checkSteps(s)
	if len(d.diags) > 0 {
		return nil, sortDiagnostics(d.diags)
	}
	return s, nil
}

// checkSteps: a step that does two things would leave their order open.
func (d *document) checkSteps(s *Scenario) {
	for i, turn := range s.Turns {
		for j := range turn.Steps {
			at := indexed(indexed("/turns", i)+"/steps", j)
			if n := len(d.places[at].value.Content) / 2; n != 1 {
				d.errorPointer(at, KindConflict, "a step has exactly one key, this one has %d", n)
			}
		}
	}
}
