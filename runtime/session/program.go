package session

import (
	"fmt"
	"slices"
	"time"

	"github.com/dlclark/regexp2"

	"example.org/ripple/runtime/internal/mode"
	"example.org/ripple/runtime/session/internal/machine"
	"example.org/ripple/schema"
)

type pattern = regexp2.Regexp

// program is an adapter's description of its program, compiled once before the start. After that
// the adapter is not read, and this does not change.
type program struct {
	name        string
	policy      machine.Policy
	prompts     prompts
	modes       *mode.Detector // nil: the adapter declares none
	input       input
	output      output
	unsolicited unsolicitedRules
	ending      shutdown
	restart     restart
	needs       *needs // nil: it needs no service

	interrupt, confirm *string // signals.interrupt, and its second keystroke; nil: none
	lossy              bool    // signals.interrupt_lossy
	jobs               bool    // it brings jobs to the foreground
	withdrawal         Withdrawal
	values             map[string]string // values of placeholders
	unmirrored         bool              // output is not observed while the script is typed
}

// output says how text becomes output.
type output struct {
	echo       schema.EchoStrategy
	echoPrompt *pattern // the prompt that fuzzy_byte_match skips
	strips     bool     // the input's echo is removed
	announced  bool     // a marker announces where output begins
	ending     string   // the program's own line ending; empty: the terminal's
	stripANSI  bool
	exitCodes  schema.ExitCode
	errors     *pattern // output.error_pattern
}

// silentlyInterrupted reports whether nothing would show that an interrupt has made the program lose a line: a shell that prints no
// other prompt when it is interrupted at its prompt (the interrupt alone does not make it leave a continuation prompt either), or a
// program without prompts.
func (p *program) silentlyInterrupted() bool {
	return p.interrupt != nil && (p.policy.Promptless || p.prompts.numbered() && p.withdrawal.Key != *p.interrupt)
}

// needs names a service that the program needs, and the message it prints without it.
type needs struct {
	what    string
	missing *pattern
}

// shutdown says how to ask the program to exit.
type shutdown struct {
	command string
	grace   time.Duration
	force   string
}

// restart says when a program is restarted.
type restart struct {
	crashed bool
	idle    time.Duration // 0: never because of idleness
}

// settleDefault is the silence that confirms a prompt pattern if the kernel cannot report whether
// the program waits and the adapter declares no time.
const settleDefault = 100 * time.Millisecond

func ms(n int) time.Duration { return time.Duration(n) * time.Millisecond }

// compile compiles the adapter. The error names the invalid key.
func compile(a *schema.Adapter, values map[string]string, nonce string) (*program, error) {
	p := &program{
		name: a.Name, policy: newPolicy(a), values: values, input: newInput(a), unsolicited: newUnsolicitedRules(a.Output.AsyncInterleave),
		interrupt: a.Signals.Interrupt, confirm: a.Signals.InterruptConfirm, lossy: a.Signals.InterruptLossy, jobs: a.Capabilities.JobControl, withdrawal: WithdrawalOf(a),
		restart: newRestart(a.Lifecycle), unmirrored: a.Ready.SuppressMirrorDuringInject,
	}
	end := a.Lifecycle.Shutdown
	p.ending = shutdown{command: end.Command, grace: ms(end.GraceMS), force: end.ForceSignal}
	if p.ending.grace == 0 {
		p.ending.grace = defaultGrace
	}
	if err := p.compileModes(a); err != nil {
		return nil, err
	}
	if err := p.compilePrompts(a, nonce); err != nil {
		return nil, err
	}
	if err := p.compileOutput(a); err != nil {
		return nil, err
	}
	if a.Input.SecretPattern != "" {
		var err error
		if p.input.secret, err = compilePattern("input.secret_pattern", a.Input.SecretPattern); err != nil {
			return nil, err
		}
	}
	return p, p.compileNeeds(a.Ready.Needs)
}

func newPolicy(a *schema.Adapter) machine.Policy {
	p := machine.Policy{
		Inject:      a.Init.Delivery == schema.DeliverPTYInject,
		SettleQuiet: ms(a.Ready.SettleBeforeInjectMS),
		SettleMin:   ms(a.Ready.OutputSettledMinMS),
		SettleMax:   ms(a.Ready.OutputSettledMaxMS),
		InjectDelay: ms(a.Ready.DelayAfterInjectMS),
		Kick:        a.Ready.KickEnterAfterReady,
		Settle:      ms(a.Output.PostPromptSettleMS),
	}
	if p.SettleQuiet == 0 {
		p.SettleQuiet = ms(a.Ready.OutputSettledStableMS)
	}
	if p.Settle == 0 {
		p.Settle = settleDefault
	}
	return p
}

func newRestart(l schema.Lifecycle) restart {
	r := restart{crashed: slices.Contains(l.RestartOn, "crash")}
	if slices.Contains(l.RestartOn, "idle_timeout") {
		r.idle = ms(l.IdleTimeoutMS)
	}
	return r
}

func (p *program) compileModes(a *schema.Adapter) (err error) {
	if len(a.Modes) > 0 {
		p.modes, err = mode.New(a.Modes, p.values)
	}
	return err
}

func (p *program) compileOutput(a *schema.Adapter) (err error) {
	out := a.Output
	p.output = output{echo: out.InputEchoStrategy, strips: out.StripInputEcho, announced: out.InputEchoStrategy == schema.EchoOSCBoundaries, stripANSI: out.StripANSI, exitCodes: a.Capabilities.ExitCode}
	if out.LineEnding != "\n" && out.LineEnding != "\r\n" {
		p.output.ending = out.LineEnding
	}
	if out.InputEchoStrategy == schema.EchoFuzzyByte && a.Prompt.Primary != "" {
		if p.output.echoPrompt, err = compilePattern("prompt.primary", a.Prompt.Primary); err != nil {
			return err
		}
	}
	if out.ErrorPattern != "" {
		p.output.errors, err = compilePattern("output.error_pattern", out.ErrorPattern)
	}
	return err
}

func (p *program) compileNeeds(n *schema.Needs) error {
	if n == nil {
		return nil
	}
	missing, err := schema.CompilePattern(n.Missing)
	if err != nil {
		return fmt.Errorf("ready.needs.missing: %w", err)
	}
	p.needs = &needs{what: n.What, missing: missing}
	return nil
}

// compilePattern compiles the pattern of a key, which the error names.
func compilePattern(key, source string) (*pattern, error) {
	re, err := schema.CompilePattern(source)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", key, err)
	}
	return re, nil
}
