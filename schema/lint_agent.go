package schema

import (
	"slices"
	"strings"
)

// lintAgent looks for what makes an agent hang, go unjudged or be driven wrongly.
func lintAgent(d *document, a *Adapter) {
	g := a.Agent
	if n := len(a.Tests); n < minTests && (a.Verified || g.Output.Format != "") {
		d.warn("/tests", KindAbsent, "an adapter should have at least %d tests, this one has %d", minTests, n)
	}
	if a.Process.VersionProbe == nil && (a.Verified || g.MinVersion != "") {
		d.warn("/process", KindAbsent, "process.version is missing: the program's version cannot be compared with agent.min_version")
	}
	if g.Screen != nil {
		lintScreen(d, g.Screen)
	}
	lintBox(d, g)
	lintCandidates(d, a)
	if g.Output.Format == "" { // it is driven over a protocol, whose meaning is known
		return
	}
	if g.Prompt.Deliver == PromptArgument && g.Prompt.Overflow == "" {
		d.warn("/agent/prompt", KindAbsent, "a prompt of more than %d bytes is refused: set agent.prompt.overflow to pass it in another way", g.Prompt.MaxArgumentBytes)
	}
	if g.Options.Resume != nil && g.Options.NewSession == nil && g.Output.Format == FormatText {
		d.warn("/agent/options/resume", KindMismatch, "nothing provides the ID of a session: plain text has no session event, and options.new_session is missing")
	}
	if g.Output.Format != FormatText && !strings.Contains(g.Output.Events, "ignored") {
		d.warn("/agent/output/events", KindVacuous, "the jq program ignores no line; map lines without meaning to `{type: \"ignored\"}`, so that new kinds of lines are reported")
	}
	lintToolNames(d, g)
	if len(d.diags) == 0 {
		lintAgentKinds(d, a)
	}
}

// lintBox reports state and hosts that other items of the list include.
func lintBox(d *document, g *Agent) {
	for i, s := range g.State {
		for j, other := range g.State {
			if i != j && (strings.HasSuffix(other, "/") && s != other && strings.HasPrefix(s, other) || j < i && s == other) {
				d.warn(indexed("/agent/state", i), KindUnused, "%s is part of %s", quoted(s), quoted(other))
			}
		}
	}
	for i, h := range g.Hosts {
		if slices.ContainsFunc(g.Hosts[:i], func(other string) bool { return strings.EqualFold(h, other) }) {
			d.warn(indexed("/agent/hosts", i), KindUnused, "%s is listed twice", quoted(h))
		}
	}
}

// lintCandidates reports programs that an agent in a box could replace, although they are run outside of it.
func lintCandidates(d *document, a *Adapter) {
	for i, c := range a.Process.ExecutableCandidates {
		path, below := strings.CutPrefix(c, "$HOME/")
		for _, s := range a.Agent.State {
			if below && (path == s || strings.HasSuffix(s, "/") && strings.HasPrefix(path, s)) {
				d.warn(indexed("/process/executable_candidates", i), KindMismatch, "an agent in a box could replace it, since it is part of agent.state: %s; leave it out, so that it is only found in PATH", quoted(s))
			}
		}
	}
}

// lintToolNames reports common names for tools that the agent has not.
func lintToolNames(d *document, g *Agent) {
	if len(g.Tools.Valid) == 0 {
		return
	}
	for name := range g.Tools.Canonical {
		if !slices.Contains(g.Tools.Valid, name) {
			d.warn("/agent/tools/canonical/"+escape(name), KindUnused, "tool %s is not in tools.valid%s", quoted(name), Suggest(name, g.Tools.Valid))
		}
	}
}

// lintAgentKinds asks for a test of the kinds of failure that a loop acts on.
func lintAgentKinds(d *document, a *Adapter) {
	tested := map[string]bool{}
	for _, t := range a.Tests {
		if t.ExpectFailure != nil {
			tested[t.ExpectFailure.Kind] = true
		}
	}
	for _, kind := range []string{"auth", "rate_limited"} {
		if a.Verified && !tested[kind] && a.Agent.Output.Format != FormatText {
			d.warn("/tests", KindAbsent, "no test expects a failure of kind %s, which a loop acts on", kind)
		}
	}
}

// lintScreen asks for the states that a turn needs, and for those that keep it from hanging.
func lintScreen(d *document, s *AgentScreen) {
	for _, need := range []struct{ state, why string }{
		{ScreenReady, "no prompt is ever entered"},
		{ScreenWorking, "a turn counts as over only after a longer silence"},
	} {
		if !slices.ContainsFunc(s.States, func(r ScreenState) bool { return r.State == need.state }) {
			d.warn("/agent/screen/states", KindAbsent, "no rule for the state %s: %s", need.state, need.why)
		}
	}
	for i, r := range s.States {
		if r.State == ScreenAsks && len(r.Answers) == 0 {
			d.warn(indexed("/agent/screen/states", i), KindAbsent, "answers is missing: only an attached user can answer")
		}
	}
}
