package main

import (
	"fmt"
	"strings"

	"github.com/spf13/cobra"

	"ripple/runtime/launch"
	"ripple/runtime/registry"
	"ripple/schema"
)

func newAdapterShow(a *app) *cobra.Command {
	var asJSON bool
	cmd := &cobra.Command{
		Use:   "show {FILE | NAME}",
		Short: "Show all about one adapter",
		Long: `Show what a user or a client of an adapter wants to know: how its program is
started and found, how prompts are recognised and input is sent, what it is
capable of, its modes, meta-commands and debugger vocabulary, samples and tests.
--json prints the whole adapter with all defaults, by the keys of its file.`,
		Args: oneAdapter,
		RunE: func(_ *cobra.Command, args []string) error {
			e, err := a.adapter(args[0])
			if err != nil {
				return err
			}
			s := newShown(e)
			if asJSON {
				return a.printJSON(s)
			}
			a.printShown(e, s)
			return nil
		},
		ValidArgsFunction: a.completeAdapter,
	}
	cmd.Flags().BoolVar(&asJSON, "json", false, "print one JSON object")
	return cmd
}

func oneAdapter(cmd *cobra.Command, args []string) error {
	if len(args) != 1 {
		return usageError(seeHelp(cmd), "%s takes one adapter, and got %d", cmd.CommandPath(), len(args))
	}
	return nil
}

// shown is one adapter as --json prints it.
type shown struct {
	listed
	Argv    []string `json:"argv"`              // as it would be started here
	Missing string   `json:"missing,omitempty"` // why it would not
	Adapter any      `json:"adapter"`           // the keys of the file, with defaults
	Script  string   `json:"script,omitempty"`  // the integration script, wherever it came from
}

func newShown(e *registry.Entry) shown {
	s := shown{listed: newListed(e), Adapter: byKeys(e.Adapter), Script: e.Adapter.Script}
	host := launch.OSHost()
	host.GUID = func() string { return "ID" } // nothing is started: these only show where things go
	plan, err := launch.Build(e.Adapter, host, launch.Request{Nonce: "NONCE", ScratchDir: "/PRIVATE"})
	if err != nil {
		s.Missing = err.Error()
	}
	s.Argv = append([]string{}, plan.Argv...)
	return s
}

// sheet prints labelled values and leaves out empty ones.
type sheet struct{ a *app }

func (s sheet) title(text string) { s.a.printf("\n%s\n", text) }

func (s sheet) row(label string, value any) {
	text := harmless(fmt.Sprint(value))
	if text == "" {
		return
	}
	s.a.printf("  %-20s %s\n", label, strings.ReplaceAll(strings.TrimRight(text, "\n"), "\n", "\n"+strings.Repeat(" ", 23)))
}

func (a *app) printShown(e *registry.Entry, v shown) {
	ad, s := e.Adapter, sheet{a}
	a.printf("%s: %s\n", e.Name, ad.Description)
	s.row("family", ad.Family)
	s.row("adapter version", ad.Version)
	s.row("aliases", strings.Join(ad.Aliases, ", "))
	s.row("file", fmt.Sprintf("%s (%s)", e.Path, e.Origin))
	s.row("homepage", ad.Homepage)
	s.row("license", ad.License)
	s.row("not verified", ad.Unverified)
	if ad.Agent != nil {
		s.program(ad, v)
		s.agent(ad)
		s.tests(ad)
		return
	}
	s.process(ad, v)
	s.prompt(ad)
	s.input(ad)
	s.capabilities(ad)
	s.modes(ad.Modes)
	s.commands(ad.Commands)
	s.samples(ad.Samples)
	s.tests(ad)
}

func (s sheet) program(ad *schema.Adapter, v shown) {
	s.title("Program")
	s.row("executable", v.Executable)
	s.row("not startable", v.Missing)
	s.row("command line", quoteAll(v.Argv))
	s.row("install", v.Install.line())
	s.row("see", v.installURL())
	for _, name := range sortedKeys(ad.Process.Env) {
		s.row("environment", name+"="+ad.Process.Env[name])
	}
}

func (s sheet) process(ad *schema.Adapter, v shown) {
	s.program(ad, v)
	tty := ad.Process.TTY
	s.row("terminal", fmt.Sprintf("%s, %dx%d", tty.Term, tty.Cols, tty.Rows))
	s.row("integration", fmt.Sprintf("%s, delivered by %s", ad.Init.Strategy, ad.Init.Delivery))
	s.row("hook", ad.Init.HookType)
	s.row("shutdown command", quote(ad.Lifecycle.Shutdown.Command))
	s.row("restarts on", strings.Join(ad.Lifecycle.RestartOn, ", "))
}

func (v shown) installURL() string {
	if v.Install == nil {
		return ""
	}
	return v.Install.URL
}

func (s sheet) prompt(ad *schema.Adapter) {
	s.title("Prompt")
	s.row("strategy", ad.Prompt.Strategy)
	if si := ad.Prompt.ShellIntegration; si != nil {
		s.row("protocol", si.Protocol)
		s.row("nonce", si.Nonce)
	}
	if m := ad.Init.Marker; m != nil {
		s.row("marker", quote(m.Primary))
	}
	s.row("pattern", ad.Prompt.Primary)
	s.row("continuation", ad.Prompt.Continuation)
}

func (s sheet) input(ad *schema.Adapter) {
	s.title("Input and output")
	s.row("several lines", ad.Input.MultilineDelivery)
	s.row("incomplete input", ad.Input.MultilineDetect)
	s.row("echo", ad.Output.InputEchoStrategy)
	s.row("error pattern", ad.Output.ErrorPattern)
	s.row("interrupt", key(ad.Signals.Interrupt))
	s.row("end of input", key(ad.Signals.EOF))
	s.row("suspend", key(ad.Signals.Suspend))
}

func (s sheet) capabilities(ad *schema.Adapter) {
	c := ad.Capabilities
	s.title("Capabilities")
	for _, flag := range []struct {
		name string
		on   bool
	}{
		{"stateful", c.Stateful},
		{"interrupt", c.Interrupt},
		{"meta-commands", c.MetaCommands},
		{"automatic modes", c.AutoModes},
		{"asynchronous output", c.AsyncOutput},
		{"tracks directory", c.CwdTracking},
		{"job control", c.JobControl},
	} {
		s.row(flag.name, yesNo(flag.on))
	}
	s.row("exit codes", c.ExitCode)
	s.row("directory format", c.CwdFormat)
	s.row("shell integration", c.ShellIntegration)
	s.row("busy detection", c.UserBusyDetection)
	for _, name := range sortedKeys(c.UserBusyDetectionParams) {
		s.row("  "+name, c.UserBusyDetectionParams[name])
	}
	s.row("change directory", c.CdCommand)
	s.row("  quoted as", c.CdCommandQuote)
}

func (s sheet) modes(modes []schema.Mode) {
	if len(modes) == 0 {
		return
	}
	s.title("Modes")
	for _, m := range modes {
		s.row(m.Name, modeSummary(m))
		for _, c := range m.AdvanceCommands {
			s.row("  goes on with", commandSummary(c))
		}
		for _, c := range m.ExitCommands {
			s.row("  left with", commandSummary(c))
		}
	}
}

func modeSummary(m schema.Mode) string {
	var facts []string
	for _, fact := range []struct {
		text string
		on   bool
	}{
		{"default", m.Default},
		{"entered by itself", m.AutoEnter},
		{"nested", m.Nested},
		{"prompt " + m.Primary, m.Primary != ""},
	} {
		if fact.on {
			facts = append(facts, fact.text)
		}
	}
	return strings.Join(facts, ", ")
}

func commandSummary(c schema.ModeCommand) string {
	if c.Effect == "" {
		return c.Command
	}
	return c.Command + " (" + c.Effect + ")"
}

func (s sheet) commands(c *schema.Commands) {
	if c == nil {
		return
	}
	s.title("Meta-commands")
	s.row("prefix", c.Prefix)
	s.row("in modes", strings.Join(c.Scope, ", "))
	s.row("found with", c.Discovery)
	for _, b := range c.Builtin {
		s.row(b.Name, strings.TrimSpace(b.Syntax+"  "+b.Description))
	}
	for _, op := range sortedKeys(c.Debugger) {
		if template := c.Debugger[op]; template != nil {
			s.row("to "+op, *template)
		} else {
			s.row("to "+op, "(not supported)")
		}
	}
}

func (s sheet) samples(samples schema.Samples) {
	s.title("Samples")
	keys, _ := byKeys(samples).(map[string]any) // a struct is always a map
	for _, name := range sortedKeys(keys) {
		s.row(name, keys[name])
	}
}

func (s sheet) tests(ad *schema.Adapter) {
	s.title("Declared tests")
	if ad.Probe != nil {
		s.row("probe", ad.Probe.Eval)
	}
	for _, t := range ad.Tests {
		s.a.printf("  %s\n", t.Name)
	}
}
