package hats

import (
	"fmt"
	"strings"
)

// Formats of a graph.
const (
	FormatText    = "text"
	FormatMermaid = "mermaid" // https://mermaid.js.org/syntax/flowchart.html
	FormatDOT     = "dot"     // https://graphviz.org/doc/info/lang.html
)

// edge is a topic from one node to another. A node is a hat's key, fromStart, plain or the end.
type edge struct{ from, topic, to string }

const theEnd = "done"

// Graph renders the rules in a format.
func (r *Rules) Graph(format string) string {
	switch format {
	case FormatMermaid:
		return graph{r}.mermaid()
	case FormatDOT:
		return graph{r}.dot()
	}
	return graph{r}.text()
}

// graph holds the nodes and edges of rules.
type graph struct{ *Rules }

func (g graph) edges() (list []edge) {
	if start := g.start(); start != "" {
		list = append(list, edge{fromStart, start, g.to(start)})
	} else {
		list = append(list, edge{fromStart, "", plain})
	}
	for i := range g.Hats {
		h := &g.Hats[i]
		for _, t := range g.outputs(h) {
			list = append(list, edge{h.Key, t, g.to(t)})
		}
		if len(g.outputs(h)) == 0 {
			list = append(list, edge{h.Key, "", plain})
		}
	}
	return list
}

func (g graph) to(topic string) string {
	if topic == g.Promise {
		return theEnd
	}
	if h := g.Route(topic); h != nil {
		return h.Key
	}
	return plain
}

// text renders one block per hat: its triggers, the topics that it publishes and their
// recipients.
func (g graph) text() string {
	var b strings.Builder
	line := func(e edge) {
		topic := e.topic
		if topic == "" {
			topic = "(anything)"
		}
		fmt.Fprintf(&b, "  %-30s → %s\n", topic, map[string]string{plain: "(a plain turn)", theEnd: "(done)"}[e.to]+keyOf(e.to))
	}
	b.WriteString("start\n")
	edges := g.edges()
	line(edges[0])
	for i := range g.Hats {
		h := &g.Hats[i]
		b.WriteString("\n" + h.Key)
		if h.Name != "" && h.Name != h.Key {
			b.WriteString(" (" + h.Name + ")")
		}
		if facts := h.facts(); len(facts) > 0 {
			b.WriteString(": " + strings.Join(facts, ", "))
		}
		fmt.Fprintf(&b, "\n  triggers: %s\n", strings.Join(h.Triggers, ", "))
		for _, e := range edges[1:] {
			if e.from == h.Key {
				line(e)
			}
		}
	}
	return b.String()
}

func keyOf(node string) string {
	if node == plain || node == theEnd {
		return ""
	}
	return node
}

// facts returns the settings of a hat that differ from the defaults.
func (h *Hat) facts() (list []string) {
	add := func(when bool, format string, args ...any) {
		if when {
			list = append(list, fmt.Sprintf(format, args...))
		}
	}
	add(h.Adapter != "", "%s", h.Adapter)
	add(h.Model != "", "model %s", h.Model)
	add(h.Session != "" && h.Session != Own, "session %s", h.Session)
	add(h.MaxActivations > 0, "at most %d turns", h.MaxActivations)
	add(h.MaxCost > 0, "at most $%.2f", h.MaxCost)
	add(h.Default != "", "default %s", h.Default)
	for _, command := range h.Verify {
		add(true, "verify `%s`", command)
	}
	return list
}

// nodes maps hats to names that are valid in drawings, since a key may contain any character.
func (g graph) nodes() map[string]string {
	nodes := map[string]string{fromStart: "n_start", plain: "n_plain", theEnd: "n_done"}
	for i, h := range g.Hats {
		nodes[h.Key] = fmt.Sprintf("n%d", i+1)
	}
	return nodes
}

// used returns the nodes that are not hats and have an incoming edge.
func used(edges []edge, node string) bool {
	for _, e := range edges {
		if e.from == node || e.to == node {
			return true
		}
	}
	return false
}

func (g graph) mermaid() string {
	var b strings.Builder
	nodes, edges := g.nodes(), g.edges()
	b.WriteString("flowchart TD\n")
	for _, n := range []struct{ name, shape string }{{fromStart, "([start])"}, {plain, "[/plain turn/]"}, {theEnd, "([done])"}} {
		if used(edges, n.name) {
			fmt.Fprintf(&b, "  %s%s\n", nodes[n.name], n.shape)
		}
	}
	for i := range g.Hats {
		fmt.Fprintf(&b, "  %s[\"%s\"]\n", nodes[g.Hats[i].Key], mermaidText(g.Hats[i].Title()))
	}
	for _, e := range edges {
		if e.topic == "" {
			fmt.Fprintf(&b, "  %s --> %s\n", nodes[e.from], nodes[e.to])
		} else {
			fmt.Fprintf(&b, "  %s -->|\"%s\"| %s\n", nodes[e.from], mermaidText(e.topic), nodes[e.to])
		}
	}
	return b.String()
}

// mermaidText returns quoted text in which entities replace special characters.
func mermaidText(text string) string {
	return strings.NewReplacer("#", "#35;", `"`, "#quot;", "<", "#lt;", ">", "#gt;", "\n", " ").Replace(text)
}

func (g graph) dot() string {
	var b strings.Builder
	nodes, edges := g.nodes(), g.edges()
	b.WriteString("digraph hats {\n  node [shape=box];\n")
	for _, n := range []struct{ name, label string }{{fromStart, "start"}, {plain, "plain turn"}, {theEnd, "done"}} {
		if used(edges, n.name) {
			fmt.Fprintf(&b, "  %s [label=%q, shape=ellipse];\n", nodes[n.name], n.label)
		}
	}
	for i := range g.Hats {
		fmt.Fprintf(&b, "  %s [label=\"%s\"];\n", nodes[g.Hats[i].Key], dotText(g.Hats[i].Title()))
	}
	for _, e := range edges {
		fmt.Fprintf(&b, "  %s -> %s [label=\"%s\"];\n", nodes[e.from], nodes[e.to], dotText(e.topic))
	}
	b.WriteString("}\n")
	return b.String()
}

func dotText(text string) string {
	return strings.NewReplacer(`\`, `\\`, `"`, `\"`, "\n", " ").Replace(text)
}
