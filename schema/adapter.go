package schema

// Adapter is the content of a validated adapter file: all that ripple knows about a program.
// Missing keys have their defaults. A field whose absence has a meaning of its own is a
// pointer.
//
// An Adapter is immutable once loaded and may be shared between sessions.
type Adapter struct {
	Schema      int      `yaml:"schema"`
	Name        string   `yaml:"name"`
	Version     string   `yaml:"version"`
	Description string   `yaml:"description"`
	Homepage    string   `yaml:"homepage"`
	License     string   `yaml:"license"`
	Family      Family   `yaml:"family"`
	Aliases     []string `yaml:"aliases"`
	// Verified is false for an adapter that was written from the program's
	// documentation and never run against it; Unverified is the reason.
	Verified   bool   `yaml:"verified"`
	Unverified string `yaml:"unverified"`

	Process      Process      `yaml:"process"`
	Ready        Ready        `yaml:"ready"`
	Init         Init         `yaml:"init"`
	Prompt       Prompt       `yaml:"prompt"`
	Output       Output       `yaml:"output"`
	Input        Input        `yaml:"input"`
	Modes        []Mode       `yaml:"modes"`
	Commands     *Commands    `yaml:"commands"`
	Signals      Signals      `yaml:"signals"`
	Lifecycle    Lifecycle    `yaml:"lifecycle"`
	Capabilities Capabilities `yaml:"capabilities"`
	Probe        *Probe       `yaml:"probe"`
	Tests        []Test       `yaml:"tests"`
	Samples      Samples      `yaml:"samples"`
	Agent        *Agent       `yaml:"agent"`

	// IntegrationScript is the inline body of the integration script, the
	// top-level alternative to init.script and init.script_resource.
	IntegrationScript string `yaml:"integration_script"`

	// Source is where the file was read from, for messages ("adapters/bash.yaml").
	Source string `yaml:"-"`
	// Script is the integration script text, resolved from whichever of the
	// three keys declared it; empty when there is none.
	Script string `yaml:"-"`
}

// Family groups adapters for defaults and labels.
type Family string

const (
	FamilyShell    Family = "shell"
	FamilyREPL     Family = "repl"
	FamilyDebugger Family = "debugger"
	FamilyAgent    Family = "agent"
)

// Position is a place in an adapter file; lines and columns count from 1.
type Position struct{ Line, Column int }
