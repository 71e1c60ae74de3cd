package schema

import (
	"sort"
	"strings"

	"gopkg.in/yaml.v3"
)

// ProjectHat is an entry of the section hats; keys that it does not set are zero or nil.
type ProjectHat struct {
	Key               string         `yaml:"-"`
	Name              string         `yaml:"name"`
	Description       string         `yaml:"description"`
	Triggers          []string       `yaml:"triggers"`
	Publishes         []string       `yaml:"publishes"`
	DefaultPublishes  string         `yaml:"default_publishes"`
	Instructions      string         `yaml:"instructions"`
	ExtraInstructions []string       `yaml:"extra_instructions"`
	Backend           ProjectBackend `yaml:"backend"`
	Model             string         `yaml:"model"`
	Args              []string       `yaml:"args"`
	BackendArgs       []string       `yaml:"backend_args"`
	MaxActivations    int            `yaml:"max_activations"`
	MaxCost           float64        `yaml:"max_cost"` // US dollars
	Verify            []string       `yaml:"verify"`
	AllowedTools      []string       `yaml:"allowed_tools"`
	PermissionMode    string         `yaml:"permission_mode"`
	Session           string         `yaml:"session"` // own, shared, fresh; "" is own
	Timeout           int            `yaml:"timeout"` // seconds
}

// ProjectBackend is the agent of a hat. In the file it is a name, or a mapping.
type ProjectBackend struct {
	Type  string   `yaml:"type"`
	Model string   `yaml:"model"`
	Args  []string `yaml:"args"`
}

// UnmarshalYAML reads either form.
func (b *ProjectBackend) UnmarshalYAML(n *yaml.Node) error {
	if n.Kind == yaml.ScalarNode {
		return n.Decode(&b.Type)
	}
	type whole ProjectBackend
	return n.Decode((*whole)(b))
}

// UnusedKey is a key that is set and has no effect.
type UnusedKey struct {
	Key string // "hats.builder.concurrency"
	Position
	Reason string // the reason; may be ""
}

// hats reads the section in the order of the file. Settings of a hat that have two names
// are stored in its backend.
func (r projectRules) hats(p *Project) error {
	n := r.places["/hats"].value
	if n == nil || n.Kind != yaml.MappingNode {
		return nil
	}
	for i := 0; i+1 < len(n.Content); i += 2 {
		h := ProjectHat{Key: n.Content[i].Value}
		if err := n.Content[i+1].Decode(&h); err != nil {
			return err
		}
		p.Hats = append(p.Hats, h)
	}
	return nil
}

// checkHat refuses two names of one thing.
func (r projectRules) checkHat(h ProjectHat) {
	at := "/hats/" + escape(h.Key)
	for _, two := range [][2]string{{"/backend/model", "/model"}, {"/backend/args", "/args"}, {"/backend/args", "/backend_args"}, {"/args", "/backend_args"}} {
		if r.has(at+two[0]) && r.has(at+two[1]) {
			r.errorPointer(at+two[1], KindConflict, "%s and %s are the same setting: leave one of them out", keyName(at+two[0]), keyName(at+two[1]))
		}
	}
}

const withoutEffect = "Accepted, without effect"

// idle lists the keys of other programs' that are set, in the order of the file.
func (r projectRules) idle() (list []UnusedKey) {
	if r.root == nil {
		return nil
	}
	r.idleIn(r.grammar.root(), "", func(pointer string, k jsonObject) {
		if strings.HasPrefix(pointer, "/loop/") || pointer == "/cli/default_mode" { // their values say whether they matter
			return
		}
		text, _ := k["description"].(string)
		why, _ := strings.CutPrefix(strings.TrimSuffix(text, "."), withoutEffect)
		list = append(list, UnusedKey{strings.ReplaceAll(pointer[1:], "/", "."), r.position(pointer), strings.TrimPrefix(why, ": ")})
	})
	sort.SliceStable(list, func(i, j int) bool { return list[i].Line < list[j].Line })
	return list
}

func (r projectRules) idleIn(k jsonObject, pointer string, found func(string, jsonObject)) {
	n := r.places[pointer].value
	if n == nil || n.Kind != yaml.MappingNode {
		return
	}
	for i := 0; i+1 < len(n.Content); i += 2 {
		key := n.Content[i].Value
		below := k.property(key)
		if any, is := k["additionalProperties"].(map[string]any); is && below == nil {
			below = any
		}
		at := pointer + "/" + escape(key)
		if text, _ := below["description"].(string); strings.HasPrefix(text, withoutEffect) {
			found(at, below)
		} else if below != nil {
			r.idleIn(below, at, found)
		}
	}
}
