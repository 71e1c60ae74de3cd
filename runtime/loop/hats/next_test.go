package hats

import (
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
)

// play is a loop without agents: it takes scripted turns and writes one line for each event.
type play struct {
	*Rules
	State
	turn int
	log  []string
}

func begin(r Rules) *play {
	p := &play{Rules: &r}
	s, topics := r.Begin()
	p.State = s
	p.note(topics)
	return p
}

func (p *play) note(topics []Topic) {
	for _, t := range topics {
		p.log = append(p.log, fmt.Sprintf("%s: %s → %s (%s)", t.From, t.Topic, t.To, t.Why))
	}
}

// take takes a turn and returns its hat and topics.
func (p *play) take(t Turn) (who string, e Ended) {
	c := p.Next(&p.State)
	p.turn++
	t.Number = p.turn
	var for_ []string
	for _, w := range c.Topics {
		for_ = append(for_, w.Topic.Topic)
	}
	e = p.End(&p.State, c, t)
	p.note(e.Topics)
	return strings.TrimSpace(c.from() + " " + strings.Join(for_, ",")), e
}

func say(topics ...string) Turn {
	var t Turn
	for _, topic := range topics {
		t.Published = append(t.Published, NewPublished(topic, ""))
	}
	return t
}

func team() Rules {
	return Rules{
		Start: "go", Promise: "DONE",
		Hats: []Hat{
			{Key: "builder", Triggers: []string{"go", "rejected"}, Publishes: []string{"built", "stuck"}},
			{Key: "reviewer", Triggers: []string{"built"}, Publishes: []string{"passed", "rejected", "DONE"}},
		},
	}
}

func TestRules(t *testing.T) {
	type step struct {
		turn Turn
		who  string
	}
	with := func(change func(r *Rules)) Rules { r := team(); change(&r); return r }
	tests := []struct {
		name  string
		rules Rules
		steps []step
		log   []string // journal entries after the start; nil if not compared
	}{
		{"one turn, one hat", team(), []step{{say("built"), "builder go"}, {say("rejected"), "reviewer built"}, {say("built"), "builder rejected"}, {say("DONE"), "reviewer built"}}, []string{
			"start: go → builder (starting_event)", "builder: built → reviewer (written)", "reviewer: rejected → builder (written)", "builder: built → reviewer (written)", "reviewer: DONE →  (written: the completion promise)",
		}},
		{"without a start the first turn is plain", with(func(r *Rules) { r.Start = "" }), []step{{say("built"), "plain"}, {say("passed"), "reviewer built"}}, nil},
		{"task.start is the default start", with(func(r *Rules) { r.Start, r.Hats[0].Triggers = "", []string{"task.*"} }), []step{{say("built"), "builder task.start"}}, nil},
		{"the oldest first", with(func(r *Rules) { r.Hats[0].Publishes = nil }), []step{{say("built", "rejected", "built"), "builder go"}, {say("passed"), "reviewer built"}, {say("stuck"), "builder rejected"}, {say("passed"), "reviewer built"}}, nil},
		{"a topic that triggers no hat goes to a plain turn when no hat has one", team(), []step{{say("stuck", "built"), "builder go"}, {say("passed"), "reviewer built"}, {say(), "plain stuck,passed"}, {say(), "plain"}}, nil},
		{"a hat that published nothing publishes its default", with(func(r *Rules) { r.Hats[0].Default = "built" }), []step{{say(), "builder go"}, {say(), "reviewer built"}}, []string{"start: go → builder (starting_event)", "builder: built → reviewer (default_publishes)"}},
		{"without one it is asked once more, then a plain turn takes over", team(), []step{{say(), "builder go"}, {say(), "builder go"}, {say("built"), "plain go"}, {say("passed"), "reviewer built"}}, nil},
		{"asked once more it answers", team(), []step{{say(), "builder go"}, {say("built"), "builder go"}, {say("passed"), "reviewer built"}}, nil},
		{"a topic that it may not publish does not count", team(), []step{{say("passed"), "builder go"}, {say("DONE"), "builder go"}, {say(), "plain go"}}, []string{
			"start: go → builder (starting_event)", "builder: passed →  (refused: builder publishes only built, stuck)", "builder: DONE →  (refused: builder publishes only built, stuck)",
		}},
		{"an invalid topic is refused", team(), []step{{say("Built It", "built"), "builder go"}, {say(), "reviewer built"}}, []string{
			"start: go → builder (starting_event)", "builder: Built It →  (refused: a topic has at most 80 characters of a-z 0-9 _ . : -)", "builder: built → reviewer (written)",
		}},
		{"a failed turn is repeated", team(), []step{{Turn{Published: say("built").Published, Failed: true}, "builder go"}, {say("built"), "builder go"}, {say("passed"), "reviewer built"}}, nil},
		{"a check that failed is asked for once more", with(func(r *Rules) { r.Hats[0].Default = "built" }), []step{{Turn{Published: say("built").Published, Refused: "exit code 1"}, "builder go"}, {Turn{Refused: "exit code 1"}, "builder go"}, {say(), "plain go"}}, nil},
		{"max_activations sets topics aside", with(func(r *Rules) { r.Hats[0].MaxActivations = 1 }), []step{{say("built"), "builder go"}, {say("rejected"), "reviewer built"}, {say(), "plain"}}, nil},
		{"max_cost sets topics aside", with(func(r *Rules) { r.Hats[0].MaxCost = 0.5 }), []step{{Turn{Published: say("built").Published, CostUSD: 0.5}, "builder go"}, {say("rejected"), "reviewer built"}, {say(), "plain"}}, nil},
		{"a limit of the provider does not count", with(func(r *Rules) { r.Hats[0].MaxActivations = 1 }), []step{{Turn{Limited: true, Failed: true}, "builder go"}, {Turn{Limited: true, Failed: true}, "builder go"}, {say("built"), "builder go"}}, nil},
		{"the promise is an answer", team(), []step{{say("built"), "builder go"}, {Turn{Promised: true}, "reviewer built"}, {say(), "plain"}}, nil},
		{"no hats: every turn is plain", Rules{Required: []string{"a"}}, []step{{say("a"), "plain"}, {say(), "plain a"}}, nil},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			p := begin(tt.rules)
			for _, s := range tt.steps {
				who, _ := p.take(s.turn)
				assert.Equal(t, s.who, who, p.log)
			}
			if tt.log != nil {
				assert.Equal(t, tt.log, p.log)
			}
		})
	}
}

func TestDroppedTopicsAreReported(t *testing.T) {
	r := team()
	r.Hats[0].MaxActivations = 1
	p := begin(r)
	p.take(say("built"))
	p.take(say("rejected"))
	const spent = "builder has had its 1 of 1 turns (max_activations)"
	assert.Equal(t, "builder: builder.exhausted →  (its turns are over, and no hat is triggered by it)", p.log[len(p.log)-1])
	assert.Equal(t, spent+", rejected waits for it, and no hat is triggered by builder.exhausted", r.Exhausted(&p.State))
	r.Hats[0].MaxActivations = 2
	assert.Empty(t, r.Exhausted(&p.State))
	assert.Equal(t, "builder", r.Next(&p.State).Hat.Key, "what came waited for it")

	r.Hats[0].MaxActivations = 1
	r.Hats = append(r.Hats, Hat{Key: "Mender", Triggers: []string{"builder.exhausted"}, Publishes: []string{"built"}, MaxActivations: 1})
	p = begin(r)
	p.take(say("built"))
	_, e := p.take(say("rejected"))
	assert.Equal(t, []string{"topic rejected was dropped: " + spent}, e.Notes)
	assert.Equal(t, []string{"reviewer: rejected → builder (written)", "builder: builder.exhausted → Mender (its turns are over)", "reviewer: rejected →  (dropped: " + spent + ")"}, p.log[2:])
	assert.Empty(t, r.Exhausted(&p.State))
	part := r.Part(r.Next(&p.State))
	assert.Contains(t, part.Prompt, "Topic builder.exhausted, from builder.\n\n    "+spent)
	who, _ := p.take(say("built"))
	assert.Equal(t, "Mender builder.exhausted", who)
	p.take(say("rejected"))
	assert.Contains(t, r.Exhausted(&p.State), "no hat is triggered by builder.exhausted", "it has had its turns as well")
}

func TestPromise(t *testing.T) {
	tests := []struct {
		name string
		from int // turns taken before
		turn Turn
		want bool
	}{
		{"from a hat that may", 1, Turn{Promised: true}, true},
		{"published by it", 1, say("DONE"), true},
		{"from one that may not", 0, Turn{Promised: true}, false},
		{"published by one that may not", 0, say("DONE"), false},
		{"of a turn that failed", 1, Turn{Promised: true, Failed: true}, false},
		{"of a turn whose check failed", 1, Turn{Promised: true, Refused: "exit code 1"}, false},
	}
	for _, tt := range tests {
		p := begin(team())
		for range tt.from {
			p.take(say("built"))
		}
		_, e := p.take(tt.turn)
		assert.Equal(t, tt.want, e.Promised, tt.name)
	}
	open := begin(Rules{Start: "go", Promise: "DONE", Hats: []Hat{{Key: "a", Triggers: []string{"go"}}}})
	_, e := open.take(Turn{Promised: true})
	assert.True(t, e.Promised, "a hat without a list may publish anything")
	var none *Rules
	assert.True(t, none.End(nil, Choice{}, Turn{Promised: true}).Promised, "without hats as ever")
}

// A default is not an agent's word: a loop whose agents are silent is never done by it.
func TestTheDefaultIsNobodysPromise(t *testing.T) {
	r := team()
	r.Hats[0].Default, r.Hats[1].Default = "built", "DONE"
	const why = "no agent gave the completion promise, and default_publishes cannot replace it"
	tests := []struct {
		name  string
		turn  Turn
		want  bool
		topic string // the last of the journal
	}{
		{"a silent hat", say(), false, "reviewer: DONE →  (refused: " + why + ")"},
		{"one whose topic does not count", say("stuck"), false, "reviewer: DONE →  (refused: " + why + ")"},
		{"one that says that the work is unfinished", Turn{NotDone: true}, false, "reviewer: DONE →  (refused: " + why + ")"},
		{"one that promises", Turn{Promised: true}, true, "builder: built → reviewer (default_publishes)"},
		{"one that publishes the promise", say("DONE"), true, "reviewer: DONE →  (written: the completion promise)"},
		{"one that publishes something else", say("rejected"), false, "reviewer: rejected → builder (written)"},
	}
	for _, tt := range tests {
		p := begin(r)
		p.take(say())
		_, e := p.take(tt.turn)
		assert.Equal(t, tt.want, e.Promised, tt.name)
		assert.Equal(t, tt.topic, p.log[len(p.log)-1], tt.name)
	}

	p := begin(r)
	p.take(say())
	p.take(say())
	assert.Equal(t, []string{
		"Role: reviewer. Topic: built.", "You had this before and published nothing that counts: DONE must be your own word.",
		"You may publish: passed, rejected, DONE.", `To publish, write a line <event topic="passed">what the next one needs to know</event>, or run: ripple emit passed TEXT`,
	}, r.Part(r.Next(&p.State)).Context)
	who, _ := p.take(say())
	assert.Equal(t, "reviewer built", who, "it is asked once more")
	who, _ = p.take(say())
	assert.Equal(t, "plain built", who, "then a plain turn takes over")
	assert.False(t, r.Counts(Choice{Hat: &r.Hats[1]}, say()), "its check would be run for nothing")
}

func TestRequired(t *testing.T) {
	r := team()
	r.Required = []string{"passed", "built"}
	p := begin(r)
	assert.Equal(t, []string{"passed", "built"}, p.Missing(&p.State))
	p.take(say("built"))
	assert.Equal(t, []string{"passed"}, p.Missing(&p.State))
	p.take(Turn{Published: say("passed").Published, Failed: true})
	assert.Equal(t, []string{"passed"}, p.Missing(&p.State), "a topic that does not count is not recorded as seen")
	p.take(say("passed"))
	assert.Empty(t, p.Missing(&p.State))

	r.Hats[0].Default = "built"
	p = begin(r)
	p.take(say())
	assert.Equal(t, []string{"passed", "built"}, p.Missing(&p.State), "a default is not an agent's word")
	p.take(say("rejected"))
	p.take(say("built"))
	assert.Equal(t, []string{"passed"}, p.Missing(&p.State))
}

// The same topic with the same payload is not new until a file has changed.
func TestHanded(t *testing.T) {
	p := begin(team())
	handed := func(t Turn) bool { _, e := p.take(t); return e.Handed }
	assert.True(t, handed(say("built")))
	assert.True(t, handed(say("rejected")))
	assert.False(t, handed(say("built")))
	assert.False(t, handed(say("rejected")))
	again := say("built")
	again.Published[0].Payload = "something else"
	assert.True(t, handed(again))
	p.take(say("rejected"))
	changed := say("built")
	changed.Progress = true
	assert.True(t, handed(changed))
}

func TestWaits(t *testing.T) {
	p := begin(team())
	assert.True(t, p.Waits(&p.State))
	p.take(say("stuck"))
	assert.False(t, p.Waits(&p.State), "no hat is triggered by it")
	var none *Rules
	assert.False(t, none.Waits(nil))
}

func TestPart(t *testing.T) {
	r := team()
	r.Hats[0].Name, r.Hats[0].Instructions = "The Builder", "Build it.\n"
	p := begin(r)
	part := r.Part(r.Next(&p.State))
	assert.Equal(t, "# Your role in this turn: The Builder\n\nBuild it.\n\n# Your topics\n\nTopic go, from start.\n", part.Prompt)
	assert.Equal(t, []string{
		"Role: The Builder. Topic: go.", "You may publish: built, stuck.",
		`To publish, write a line <event topic="built">what the next one needs to know</event>, or run: ripple emit built TEXT`,
	}, part.Context)
	p.take(say("passed"))
	part = r.Part(r.Next(&p.State))
	assert.Contains(t, part.Context, "You had this before and published nothing that counts: builder publishes only built, stuck.")
	turn := say("built")
	turn.Published[0].Payload = "look at\n<event topic=\"built\">this</event>"
	p.take(turn)
	part = r.Part(r.Next(&p.State))
	assert.Contains(t, part.Prompt, "Topic built, from builder.\n\n    look at\n    <event")
	assert.Nil(t, scanAll(part.Prompt, part.Prompt), "a tag in it is known as an echo")
	p.take(say("passed"))
	part = r.Part(r.Next(&p.State))
	assert.Equal(t, "# Topics that no role takes\n\nTopic passed, from reviewer.\n", part.Prompt)
	assert.Contains(t, part.Context[0], "This turn has no role. Roles, and the topics that trigger them: The Builder (go, rejected); reviewer (built).")
	assert.Zero(t, (*Rules)(nil).Part(Choice{}))
}
