package adaptercmd

import (
	"fmt"
	"strings"

	"github.com/spf13/cobra"

	"example.org/ripple/cmd/ripple/internal/ui"
	"example.org/ripple/runtime/launch"
	"example.org/ripple/runtime/registry"
	"example.org/ripple/schema"
)

func newAdapterShow(a *app) *cobra.Command {
	var asJSON bool
	cmd := &cobra.Command{
		Use:   "show {FILE | NAME}",
		Short: "Show the contents of an adapter",
		Long: `Show the contents of an adapter: how its program is found and started, how prompts are
recognized and input is sent, its capabilities, modes, meta-commands and debugger
operations, samples and tests.
--json prints the whole adapter with all defaults, by the keys of its file.`,
		Args: oneAdapter,
		RunE: func(_ *cobra.Command, args []string) error {
			e, err := a.Look(args[0])
			if err != nil {
				return err
			}
			s := newShown(e)
			if asJSON {
				return a.PrintJSON(s)
			}
			a.printShown(e, s)
			return nil
		},
		ValidArgsFunction: ui.FirstOnly(ui.CompleteAdapter(a.App)),
	}
	cmd.Flags().BoolVar(&asJSON, "json", false, "print one JSON object")
	return cmd
}

func oneAdapter(cmd *cobra.Command, args []string) error {
	if len(args) != 1 {
		return ui.UsageError(ui.SeeHelp(cmd), "%s takes one adapter, not %d", cmd.CommandPath(), len(args))
	}
	return nil
}

// shown is an adapter in the form that --json prints.
type shown struct {
	listed
	Argv    []string `json:"argv"`              // command line on this machine
	Missing string   `json:"missing,omitempty"` // reason why it cannot be started
	Adapter any      `json:"adapter"`           // keys of the file, with defaults
	Script  string   `json:"script,omitempty"`  // the integration script, from any source
}

func newShown(e *registry.Entry) shown {
	s := shown{listed: newListed(e), Adapter: byKeys(e.Adapter), Script: e.Adapter.Script}
	host := launch.OSHost()
	host.GUID = func() string { return "ID" } // nothing is started: these only show the paths
	plan, err := launch.Build(e.Adapter, host, launch.Request{Nonce: "NONCE", ScratchDir: "/PRIVATE"})
	if err != nil {
		s.Missing = err.Error()
	}
	s.Argv = append([]string{}, plan.Argv...)
	return s
}

// description formats an adapter.
type description struct{ ui.Sheet }

func (a *app) printShown(e *registry.Entry, v shown) {
	ad, s := e.Adapter, description{a.NewSheet()}
	a.Printf("%s\n", ui.Harmless(e.Name+": "+ad.Description))
	s.Row("family", ad.Family)
	s.Row("adapter version", ad.Version)
	s.Row("aliases", strings.Join(ad.Aliases, ", "))
	s.Row("file", fmt.Sprintf("%s (%s)", e.Path, e.Origin))
	s.Row("homepage", ad.Homepage)
	s.Row("license", ad.License)
	s.Row("not verified", ad.Unverified)
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

func (s description) program(ad *schema.Adapter, v shown) {
	s.Title("Program")
	s.Row("executable", v.Executable)
	s.Row("not startable", v.Missing)
	s.Row("command line", ui.QuoteAll(v.Argv))
	s.Row("install", v.installLine)
	s.Row("see", v.installURL())
	for _, name := range ui.SortedKeys(ad.Process.Env) {
		s.Row("environment", name+"="+ad.Process.Env[name])
	}
}

func (s description) process(ad *schema.Adapter, v shown) {
	s.program(ad, v)
	tty := ad.Process.TTY
	s.Row("terminal", fmt.Sprintf("%s, %dx%d", tty.Term, tty.Cols, tty.Rows))
	s.Row("integration", fmt.Sprintf("%s, delivered by %s", ad.Init.Strategy, ad.Init.Delivery))
	s.Row("hook", ad.Init.HookType)
	s.Row("shutdown command", ui.Quote(ad.Lifecycle.Shutdown.Command))
	s.Row("restarts on", strings.Join(ad.Lifecycle.RestartOn, ", "))
}

func (v shown) installURL() string {
	if v.Install == nil {
		return ""
	}
	return v.Install.URL
}

func (s description) prompt(ad *schema.Adapter) {
	s.Title("Prompt")
	s.Row("strategy", ad.Prompt.Strategy)
	if si := ad.Prompt.ShellIntegration; si != nil {
		s.Row("protocol", si.Protocol)
		s.Row("nonce", si.Nonce)
	}
	if m := ad.Init.Marker; m != nil {
		s.Row("marker", ui.Quote(m.Primary))
	}
	s.Row("pattern", ad.Prompt.Primary)
	s.Row("continuation", ad.Prompt.Continuation)
}

func (s description) input(ad *schema.Adapter) {
	s.Title("Input and output")
	s.Row("several lines", ad.Input.MultilineDelivery)
	s.Row("incomplete input", ad.Input.MultilineDetect)
	s.Row("echo", ad.Output.InputEchoStrategy)
	s.Row("error pattern", ad.Output.ErrorPattern)
	s.Row("interrupt", key(ad.Signals.Interrupt))
	s.Row("end of input", key(ad.Signals.EOF))
	s.Row("suspend", key(ad.Signals.Suspend))
}

func (s description) capabilities(ad *schema.Adapter) {
	c := ad.Capabilities
	s.Title("Capabilities")
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
		s.Row(flag.name, ui.YesNo(flag.on))
	}
	s.Row("exit codes", c.ExitCode)
	s.Row("directory format", c.CwdFormat)
	s.Row("shell integration", c.ShellIntegration)
	s.Row("busy detection", c.UserBusyDetection)
	for _, name := range ui.SortedKeys(c.UserBusyDetectionParams) {
		s.Row("  "+name, c.UserBusyDetectionParams[name])
	}
	s.Row("change directory", c.CdCommand)
	s.Row("  quoted as", c.CdCommandQuote)
}

func (s description) modes(modes []schema.Mode) {
	if len(modes) == 0 {
		return
	}
	s.Title("Modes")
	for _, m := range modes {
		s.Row(m.Name, modeSummary(m))
		for _, c := range m.AdvanceCommands {
			s.Row("  continuation", commandSummary(c))
		}
		for _, c := range m.ExitCommands {
			s.Row("  exit command", commandSummary(c))
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
		{"entered automatically", m.AutoEnter},
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

func (s description) commands(c *schema.Commands) {
	if c == nil {
		return
	}
	s.Title("Meta-commands")
	s.Row("prefix", c.Prefix)
	s.Row("in modes", strings.Join(c.Scope, ", "))
	s.Row("discovery", c.Discovery)
	for _, b := range c.Builtin {
		s.Row(b.Name, strings.TrimSpace(b.Syntax+"  "+b.Description))
	}
	for _, op := range ui.SortedKeys(c.Debugger) {
		if template := c.Debugger[op]; template != nil {
			s.Row("to "+op, *template)
		} else {
			s.Row("to "+op, "(not supported)")
		}
	}
}

func (s description) samples(samples schema.Samples) {
	s.Title("Samples")
	keys, _ := byKeys(samples).(map[string]any) // a struct always becomes a map
	for _, name := range ui.SortedKeys(keys) {
		s.Row(name, keys[name])
	}
}

func (s description) tests(ad *schema.Adapter) {
	s.Title("Declared tests")
	if ad.Probe != nil {
		s.Row("probe", ad.Probe.Eval)
	}
	for _, t := range ad.Tests {
		s.Item(t.Name)
	}
}
