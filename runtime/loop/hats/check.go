package hats

import (
	"fmt"
	"slices"
	"sort"
	"strconv"
	"strings"
)

// Problem is an error or a warning about rules.
type Problem struct {
	Path    []string // path of the value in ripple.yml: hats, builder, publishes, 0
	Message string
	Error   bool // no run can succeed; otherwise it is unusual and may be intended
}

// checker collects problems.
type checker struct {
	*Rules
	found []Problem
}

// maxSize is the maximum number of hats and topics of rules, counted wherever they are named. Each topic is compared with all
// triggers, and this is done before anybody trusts a project.
const maxSize = 2000

// size returns the number of hats and topics.
func (r *Rules) size() int {
	n := len(r.Hats) + len(r.Required)
	for _, h := range r.Hats {
		n += len(h.Triggers) + len(h.Publishes)
	}
	return n
}

// Check returns the problems of rules before a run, errors first. bounded reports that the user
// limited the loop.
func (r *Rules) Check(bounded bool) []Problem {
	if n := r.size(); n > maxSize {
		return []Problem{{at("hats"), fmt.Sprintf("there are %d hats and topics, and at most %d are allowed: remove some", n, maxSize), true}}
	}
	c := &checker{Rules: r}
	c.names()
	for i := range r.Hats {
		c.hat(&r.Hats[i])
	}
	c.required()
	isError := func(p Problem) bool { return p.Error }
	if len(r.Hats) > 0 && !slices.ContainsFunc(c.found, isError) { // otherwise the graph is not the intended one
		c.graph(bounded)
	}
	sort.SliceStable(c.found, func(i, j int) bool { return c.found[i].Error && !c.found[j].Error })
	return c.found
}

func (c *checker) wrong(path []string, text string, args ...any) {
	c.found = append(c.found, Problem{path, fmt.Sprintf(text, args...), true})
}

func (c *checker) odd(path []string, text string, args ...any) {
	c.found = append(c.found, Problem{path, fmt.Sprintf(text, args...), false})
}

func at(parts ...string) []string { return parts }

// names reports keys and topics that are invalid or ambiguous.
func (c *checker) names() {
	known := map[string]string{fromStart: "reserved by ripple", plain: "reserved by ripple"}
	for _, h := range c.Hats {
		if h.Key == "" || len(h.Key) > maxTopic || !onlyOf(strings.ToLower(h.Key), topicBytes) {
			c.wrong(at("hats", h.Key), "%q is not a valid name of a hat: use at most %d of a-z A-Z 0-9 _ . : -; name: may be any text", h.Key, maxTopic)
		}
		if other, taken := known[strings.ToLower(h.Key)]; taken {
			c.wrong(at("hats", h.Key), "the name %q is taken: it is %s", h.Key, other)
		}
		known[strings.ToLower(h.Key)] = "the hat " + h.Key
	}
	for _, h := range c.Hats {
		if h.Name == "" || strings.EqualFold(h.Name, h.Key) {
			continue
		}
		if other, taken := known[strings.ToLower(h.Name)]; taken {
			c.wrong(at("hats", h.Key, "name"), "the name %q is taken: it is %s", h.Name, other)
		}
		known[strings.ToLower(h.Name)] = "the name of the hat " + h.Key
	}
}

func (c *checker) topic(path []string, topic string) bool {
	if topic == c.Promise || valid(topic) {
		return true
	}
	c.wrong(path, "%q is not a topic: use at most %d of a-z 0-9 _ . : -, or the completion promise %s", topic, maxTopic, c.Promise)
	return false
}

func (c *checker) hat(h *Hat) {
	for i, t := range h.Triggers {
		if !validTrigger(t) {
			c.wrong(at("hats", h.Key, "triggers", strconv.Itoa(i)), "%q is not a topic: use at most %d of a-z 0-9 _ . : -, and * for any part of a segment", t, maxTopic)
		}
	}
	for i, t := range h.Publishes {
		c.topic(at("hats", h.Key, "publishes", strconv.Itoa(i)), t)
	}
	if h.Default == "" {
		return
	}
	path := at("hats", h.Key, "default_publishes")
	if c.topic(path, h.Default) && len(h.Publishes) > 0 && !slices.Contains(h.Publishes, h.Default) {
		c.wrong(path, "%s may not publish %s: add it to publishes, which are %s", h.Key, h.Default, strings.Join(h.Publishes, ", "))
	}
}

func (c *checker) required() {
	for i, t := range c.Required {
		path := at("event_loop", "required_events", strconv.Itoa(i))
		anybody := len(c.Hats) == 0 || slices.ContainsFunc(c.Hats, func(h Hat) bool { return h.may(t) })
		if c.topic(path, t) && !anybody && t != c.start() {
			c.odd(path, "no hat publishes %s, which is needed before the work is done: only a plain turn, one without a hat, can publish it", t)
		}
	}
	if c.Start != "" {
		c.topic(at("event_loop", "starting_event"), c.Start)
	}
}

func (c *checker) graph(bounded bool) {
	start := at("event_loop", "starting_event")
	if c.Start != "" && c.Route(c.Start) == nil {
		c.wrong(start, "no hat is triggered by %s, so the loop cannot start; triggers of the hats: %s", c.Start, strings.Join(c.triggers(), ", "))
		return
	}
	for _, h := range c.Hats {
		c.unheard(h)
		c.unsaid(h)
	}
	reached := c.reached()
	for i := range c.Hats {
		h := &c.Hats[i]
		switch {
		case len(h.Triggers) == 0:
			c.odd(at("hats", h.Key), "%s has no triggers: it never takes a turn", h.Key)
		case !reached[h]:
			c.odd(at("hats", h.Key), "nothing reaches %s: neither the start nor a hat that is reached publishes its triggers (%s)", h.Key, strings.Join(h.Triggers, ", "))
		}
	}
	if cycle := c.cycle(reached); cycle != nil && !bounded {
		keys := []string{}
		for _, h := range cycle {
			keys = append(keys, h.Key)
		}
		c.odd(at("hats", keys[0]), "the cycle %s → %s has no bound: give one of them max_activations, or the loop max_iterations, max_runtime_seconds or max_cost; only the default limit of turns ends it", strings.Join(keys, " → "), keys[0])
	}
}

func (c *checker) triggers() (list []string) {
	for _, h := range c.Hats {
		list = append(list, h.Triggers...)
	}
	return list
}

// unheard returns the topics that no hat triggers on.
func (c *checker) unheard(h Hat) {
	for i, t := range h.Publishes {
		if t != c.Promise && c.Route(t) == nil && !slices.Contains(c.Required, t) {
			c.odd(at("hats", h.Key, "publishes", strconv.Itoa(i)), "no hat is triggered by %s: it goes to a plain turn", t)
		}
	}
}

// unsaid reports a default that counts only when an agent publishes it itself.
func (c *checker) unsaid(h Hat) {
	path := at("hats", h.Key, "default_publishes")
	switch {
	case h.Default == "":
	case h.Default == c.Promise:
		text := fmt.Sprintf("default_publishes %s of the hat %s does not count: an agent must give the completion promise itself", c.Promise, h.Key)
		if chain := c.silent(); len(chain) > 1 && chain[len(chain)-1] == h.Key {
			text += fmt.Sprintf("; if no agent publishes a topic, the defaults lead to the promise: %s", strings.Join(chain, " → "))
		}
		c.odd(path, "%s", text)
	case slices.Contains(c.Required, h.Default):
		c.odd(path, "%s is a required topic, but default_publishes of the hat %s does not count: an agent must publish the topic itself", h.Default, h.Key)
	}
}

// silent returns the hats that take the first turns if no agent publishes anything.
func (c *checker) silent() (keys []string) {
	topic := c.start()
	for topic != "" && topic != c.Promise {
		h := c.Route(topic)
		if h == nil || slices.Contains(keys, h.Key) {
			break
		}
		keys, topic = append(keys, h.Key), h.Default
	}
	return keys
}

// outputs returns the topics that a hat may publish and that another hat triggers on.
func (r *Rules) outputs(h *Hat) (list []string) {
	list = slices.Clone(h.Publishes)
	if h.Default != "" && !slices.Contains(list, h.Default) {
		list = append(list, h.Default)
	}
	return list
}

// after returns the hats that may follow a hat.
func (r *Rules) after(h *Hat) (list []*Hat) {
	topics := r.outputs(h)
	if h.bounded() {
		topics = append(topics, h.exhaustedTopic())
	}
	for _, t := range topics {
		if to := r.Route(t); to != nil && t != r.Promise && !slices.Contains(list, to) {
			list = append(list, to)
		}
	}
	return list
}

// reached returns the hats that are reachable from the start. If the start leads to a plain turn,
// or a hat may publish anything, all hats are reachable.
func (r *Rules) reached() map[*Hat]bool {
	reached := map[*Hat]bool{}
	first := r.Route(r.start())
	if r.start() == "" || first == nil {
		return r.all()
	}
	for open := []*Hat{first}; len(open) > 0; {
		h := open[0]
		open = open[1:]
		if reached[h] {
			continue
		}
		reached[h] = true
		if len(r.outputs(h)) == 0 {
			return r.all()
		}
		open = append(open, r.after(h)...)
	}
	return reached
}

func (r *Rules) all() map[*Hat]bool {
	all := map[*Hat]bool{}
	for i := range r.Hats {
		all[&r.Hats[i]] = true
	}
	return all
}

// cycle returns a cycle of hats without a limit on activations, or nil.
func (r *Rules) cycle(among map[*Hat]bool) []*Hat {
	const open, done = 1, 2
	state := map[*Hat]int{}
	var path, found []*Hat
	var visit func(h *Hat)
	visit = func(h *Hat) {
		if h.bounded() || !among[h] || state[h] == done || found != nil {
			return
		}
		if state[h] == open {
			found = slices.Clone(path[slices.Index(path, h):])
			return
		}
		state[h] = open
		path = append(path, h)
		for _, next := range r.after(h) {
			visit(next)
		}
		path = path[:len(path)-1]
		state[h] = done
	}
	for i := range r.Hats {
		visit(&r.Hats[i])
	}
	return found
}
