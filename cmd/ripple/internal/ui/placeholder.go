package ui

import (
	"github.com/spf13/cobra"
	"github.com/spf13/pflag"
)

// flagPlaceholders are the placeholders of flags' values in help texts, by flag name. Other flags get
// the placeholder of their type.
var flagPlaceholders = map[string]string{
	"adapter": "NAME", "adapters": "NAMES", "agent": "NAME", "allow": "RULE", "allowed-tools": "TOOLS", "args": "ARGS",
	"box-env": "NAME", "box-net": "HOST", "box-read": "PATH", "box-write": "PATH",
	"calls": "N", "command": "COMMAND", "completion-promise": "TEXT", "cwd": "DIR", "deny": "RULE", "detach-keys": "KEYS",
	"executable": "FILE", "fallback": "NAMES", "family": "FAMILY", "file": "FILE", "for": "EVENT", "idle-timeout": "DURATION",
	"key": "KEY", "max-cost": "USD", "max-failures": "N", "max-logs": "SIZE", "max-record": "SIZE", "max-output": "SIZE", "max-runtime": "DURATION", "max-tokens": "N", "max-turns": "N",
	"max-wait": "DURATION", "name": "NAME", "on-denial": "ACTION", "on-question": "COMMAND", "output": "FORMAT",
	"permission-mode": "MODE", "prompt": "TEXT", "prompt-flag": "FLAG", "prompt-mode": "MODE", "question-timeout": "DURATION",
	"record": "FILE", "text": "TEXT", "timeout": "DURATION", "title": "TEXT", "transport": "TRANSPORT", "verify": "COMMAND",
	"verify-attempts": "N", "verify-timeout": "DURATION", "wait-for-answer": "WHEN", "worktree": "BRANCH",
}

// byType are the placeholders of flags with a descriptive type, by its name in pflag.
var byType = map[string]string{"duration": "DURATION", "int": "N", "uint": "N", "float": "NUMBER"}

// Placeholders sets placeholders that describe the values of all flags of a command and its
// subcommands: --timeout DURATION. Defaults are then shown without quotes. It may only be called
// before printing the help: a flag's value no longer has its own type.
func Placeholders(cmd *cobra.Command) {
	cmd.LocalFlags().VisitAll(describe)
	for _, sub := range cmd.Commands() {
		Placeholders(sub)
	}
}

func describe(f *pflag.Flag) {
	word, usage := pflag.UnquoteUsage(f)
	switch {
	case word == "": // a switch
		return
	case usage != f.Usage: // the usage names the placeholder
		if f.Value.Type() != "string" {
			return
		}
	case byType[word] != "":
		word = byType[word]
	case flagPlaceholders[f.Name] != "":
		word = flagPlaceholders[f.Name]
	default:
		return
	}
	if f.DefValue == "0s" || f.DefValue == "[]" { // no default, like pflag for these types
		f.DefValue = ""
	}
	f.Value = described{f.Value, word}
}

// described is a flag's value whose type is the placeholder.
type described struct {
	pflag.Value
	placeholder string
}

func (d described) Type() string { return d.placeholder }
