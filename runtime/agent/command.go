package agent

import (
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"

	"example.org/ripple/runtime/event"
	"example.org/ripple/runtime/internal/mapping"
	"example.org/ripple/schema"
)

// Command is the command line of a turn, without the program's name.
type Command struct {
	Args    []string
	Stdin   string // the prompt, if it is delivered on standard input
	File    string // the prompt, if it is delivered in a file, whose path replaces FilePath at the end of Args
	Message string // the prompt, if it is delivered over a protocol or typed on a screen
	Env     map[string]string

	// A file that restricts the agent to the allowed tools: its path replaces ToolsPath in the
	// arguments at ToolsAt.
	ToolsFile, ToolsName string
	ToolsAt              []int
}

const (
	// FilePath is the placeholder in Command.Args for the path of the prompt's file.
	FilePath = "{path}"
	// ToolsPath is the placeholder in Command.Args for the path of the tools file.
	ToolsPath = "{file}"
)

// UnsupportedError is returned for a turn that needs an option that the agent lacks.
type UnsupportedError struct{ Adapter, Message string }

func (e *UnsupportedError) Error() string { return e.Adapter + ": " + e.Message }

// builder assembles the command line; it keeps the first error.
type builder struct {
	a       *schema.Adapter
	args    []string
	prepend []string
	limit   mapping.Limit
	limitAt []int // indexes of the limit's arguments that contain its file
	err     error
}

// NewCommand builds the command line of a turn. It starts nothing. Errors are
// *UnsupportedError.
func NewCommand(a *schema.Adapter, t Turn) (Command, error) {
	a, err := a.WithTransport("")
	if err != nil {
		return Command{}, err
	}
	g := a.Agent
	if err := enforce(a, &t); err != nil {
		return Command{}, err
	}
	b := &builder{a: a, args: slices.Clone(g.Args)}
	for _, o := range []struct {
		name   string
		option *schema.AgentOption
		place  string
		values []string
	}{
		{"model", g.Options.Model, "{model}", one(t.Model)},
		{"context", g.Options.Context, "{context}", one(t.Context)},
		{"allowed_tools", toolList(g), "", t.AllowedTools},
		{"permission_mode", g.Options.PermissionMode, "{mode}", one(t.PermissionMode)},
		{"max_turns", g.Options.MaxTurns, "{n}", count(t.MaxTurns)},
		{"directory", g.Options.Directory, "{dir}", one(t.Directory)},
		{"new_session", g.Options.NewSession, "{session_id}", one(t.NewSessionID)},
		{"resume", g.Options.Resume, "{session_id}", one(t.SessionID)},
	} {
		b.option(o.name, o.option, o.place, o.values)
	}
	if b.err != nil {
		return Command{}, b.err
	}
	return b.prompt(t)
}

func one(s string) []string {
	if s == "" {
		return nil
	}
	return []string{s}
}

func count(n int) []string {
	if n <= 0 {
		return nil
	}
	return []string{strconv.Itoa(n)}
}

func (b *builder) refuse(format string, args ...any) {
	if b.err == nil {
		b.err = &UnsupportedError{b.a.Name, fmt.Sprintf(format, args...)}
	}
}

// option adds the arguments of one option.
func (b *builder) option(name string, o *schema.AgentOption, place string, values []string) {
	if o == nil {
		if len(values) > 0 && name != "directory" { // every process has a working directory
			b.refuse("this agent has no %s (agent.options.%s)", strings.ReplaceAll(name, "_", " "), name)
		}
		return
	}
	if len(values) == 0 && o.Default != "" {
		values = []string{o.Default}
	}
	if len(values) == 0 || o.Protocol {
		return
	}
	if name == "allowed_tools" {
		if b.checkTools(values); b.err != nil {
			return
		}
		if b.a.Agent.Options.AllowedTools.Limit != "" {
			b.limitTools(values)
			return
		}
		place = "{tool}"
		if !o.Each {
			place, values = "{tools}", []string{strings.Join(values, separator(o.Join))}
		}
	}
	for _, v := range values {
		b.value(name, o, place, v)
	}
}

func separator(s string) string {
	if s == "" {
		return ","
	}
	return s
}

func (b *builder) value(name string, o *schema.AgentOption, place, value string) {
	switch {
	case strings.ContainsRune(value, 0):
		b.refuse("%s %q contains a NUL", name, value)
	case place == "{session_id}" && !event.IsSessionID(value):
		b.refuse("%q is not a session ID: expected %s", value, event.SessionIDForm)
	case strings.HasPrefix(value, "-") && place != "{context}":
		b.refuse("the agent would read %s %q as an option: use a value that does not start with -", strings.ReplaceAll(name, "_", " "), value)
	case o.Prepend:
		b.prepend = append(b.prepend, value)
	case len(o.Values) > 0:
		args, known := o.Values[value]
		if !known {
			names := slices.Sorted(maps.Keys(o.Values))
			b.refuse("%s cannot be %q%s; one of %s", strings.ReplaceAll(name, "_", " "), value, schema.Suggest(value, names), strings.Join(names, ", "))
		}
		b.args = append(b.args, args...)
	default:
		b.expanded(o.Args, place, value)
	}
}

// expanded adds arguments with the value substituted, or appended.
func (b *builder) expanded(args []string, place, value string) {
	placed := false
	for _, arg := range args {
		placed = placed || strings.Contains(arg, place)
		b.args = append(b.args, strings.ReplaceAll(arg, place, value))
	}
	if !placed {
		b.args = append(b.args, value)
	}
}

// prompt delivers the prompt as the adapter specifies.
func (b *builder) prompt(t Turn) (Command, error) {
	p := b.a.Agent.Prompt
	text := strings.Join(append(b.prepend, t.Prompt), "\n\n")
	switch {
	case strings.TrimSpace(text) == "":
		b.refuse("the prompt is empty")
	case strings.ContainsRune(text, 0):
		b.refuse("the prompt contains a NUL byte")
	case !utf8.ValidString(text):
		b.refuse("the prompt is not UTF-8 text")
	case b.a.Agent.Transport == schema.TransportScreen && !b.a.Agent.Screen.Prompt.Paste && strings.Contains(strings.TrimSpace(text), "\n"):
		b.refuse("this agent's screen accepts only prompts of one line (agent.screen.prompt.paste)")
	}
	deliver := p.Deliver
	if deliver == schema.PromptArgument && len(text) > p.MaxArgumentBytes {
		if deliver = p.Overflow; deliver == "" {
			b.refuse("the prompt has %d bytes, but the agent's command line can pass at most %d (agent.prompt.max_argument_bytes), and the adapter does not declare another way (agent.prompt.overflow)",
				len(text), p.MaxArgumentBytes)
		}
	}
	if deliver == schema.PromptArgument && p.Flag == "" && p.Overflow != "" && strings.HasPrefix(text, "-") {
		deliver = p.Overflow // on the command line it would be parsed as an option
	}
	if b.err != nil {
		return Command{}, b.err
	}
	c := Command{Env: merged(b.a.Agent.Env, b.limit.Env), ToolsFile: b.limit.File.Text, ToolsName: b.limit.File.Name, ToolsAt: b.limitAt}
	switch b.a.Agent.Transport {
	case schema.TransportACP:
		c.Args, c.Message = append(b.args, b.a.Agent.ACP.Args...), text
		return c, nil
	case schema.TransportScreen:
		c.Args, c.Message = b.args, text
		return c, nil
	}
	switch deliver {
	case schema.PromptStdin:
		c.Args, c.Stdin = append(b.args, p.StdinArgs...), text
	case schema.PromptFile:
		c.Args, c.File = append(b.args, announced(p.FileFlag, FilePath)...), text
	default:
		c.Args = append(b.args, announced(p.Flag, text)...)
	}
	return c, nil
}

// announced returns the value after its flag, in one argument if the flag ends with =. A value that begins with a dash
// gets a line end before it, because the flag may be one that takes no value, and the next argument then an option.
func announced(flag, value string) []string {
	if strings.HasSuffix(flag, "=") {
		return []string{flag + value}
	}
	if flag != "--" && strings.HasPrefix(value, "-") {
		value = "\n" + value
	}
	return append(one(flag), value)
}
