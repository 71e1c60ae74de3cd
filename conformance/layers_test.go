package conformance

import (
	"maps"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
)

// row is one package: its layer and the packages of this module that it imports.
type row struct {
	layer   int
	imports string // separated by blanks
}

// layers is the architecture. A package imports only lower layers, so peers never import each
// other. Add a line for a new package and a name for a new import; an import that the rule forbids
// needs another design, not another line.
var layers = map[string]row{
	// The basis of proctree.
	"internal/birth":           {-2, ""},
	"internal/keeper":          {-1, "internal/birth"},
	"internal/dirid":           {-2, ""},
	"runtime/internal/scratch": {-1, "internal/dirid"},

	// The basis of all text processing.
	"internal/vt": {-1, ""},

	// Typed input.
	"runtime/internal/keys":     {-1, ""},
	"runtime/internal/lineedit": {0, "runtime/internal/keys"},

	// Messages of a protocol.
	"runtime/internal/rpc": {-1, ""},

	// Files that other users may have put there.
	"internal/projectfile": {-1, "internal/owner"},

	// Time for timeouts.
	"internal/awake": {-1, ""},

	// For tests only.
	"internal/testkit": {-1, ""},

	// Patterns of packages.
	"internal/lazyregexp": {-1, ""},
	"internal/quote":      {-1, ""},
	"internal/jsonsize":   {-1, ""},
	"internal/owner":      {-2, ""},

	"schema/internal/library": {-1, ""},
	"schema":                  {0, "internal/lazyregexp internal/owner internal/projectfile schema/internal/library"},
	"schema/validate":         {0, "internal/jsonsize schema/internal/library"},
	"adapters":                {0, ""},
	"integration-scripts":     {0, ""},
	"runtime/event":           {0, "internal/lazyregexp internal/vt"},
	"runtime/pty":             {0, ""},
	"runtime/internal/fault":  {0, "internal/lazyregexp runtime/internal/scratch"},
	"runtime/proctree":        {0, "internal/keeper runtime/internal/scratch"},
	"runtime/internal/git":    {0, "internal/owner internal/projectfile internal/quote internal/lazyregexp"},

	"runtime/registry":         {1, "internal/owner adapters integration-scripts internal/projectfile schema"},
	"runtime/launch":           {1, "internal/owner internal/lazyregexp internal/projectfile runtime/proctree schema"},
	"runtime/internal/mapping": {1, "internal/jsonsize runtime/event runtime/internal/fault schema schema/validate"},
	"internal/scenario":        {1, "internal/layout internal/projectfile runtime/event runtime/proctree schema"},
	"cmd/ripple/internal/cast": {1, "internal/vt"},
	"runtime/terminal":         {1, "runtime/internal/fault internal/vt runtime/proctree runtime/pty schema"},
	"runtime/internal/balance": {1, "schema"},
	"runtime/internal/mode":    {1, "schema"},
	"runtime/internal/prompt":  {1, "internal/vt schema"},
	"runtime/internal/render":  {1, "runtime/internal/fault internal/vt"},
	"runtime/internal/echo":    {1, "internal/vt"},
	"runtime/internal/permit":  {1, "runtime/event"},
	"runtime/internal/acp":     {1, "runtime/event runtime/internal/rpc"},

	// Access of an agent to its client's machine.
	"runtime/internal/workplace": {1, "runtime/proctree"},

	"runtime/session/internal/machine": {1, ""},

	"runtime/session": {2, "runtime/internal/balance runtime/internal/echo runtime/internal/fault runtime/internal/keys runtime/internal/mode internal/vt " +
		"runtime/internal/prompt runtime/internal/render runtime/internal/scratch runtime/launch runtime/proctree runtime/pty runtime/session/internal/machine runtime/terminal schema"},

	"internal/layout":              {0, "internal/projectfile internal/owner"},
	"runtime/loop/hats":            {0, "internal/lazyregexp"},
	"runtime/loop/internal/resets": {0, "internal/lazyregexp"},
	"runtime/loop/record":          {1, "internal/lazyregexp runtime/event runtime/internal/fault runtime/loop/hats internal/layout"},
	"runtime/loop/journal":         {2, "internal/projectfile runtime/event runtime/loop/hats internal/layout runtime/loop/record runtime/proctree"},
	"runtime/loop/config":          {2, "runtime/box internal/owner internal/projectfile runtime/internal/permit runtime/loop/hats internal/layout schema schema/validate"},
	"runtime/loop":                 {3, "runtime/box internal/lazyregexp internal/projectfile runtime/event runtime/internal/fault runtime/internal/git runtime/internal/permit internal/vt runtime/loop/config runtime/loop/hats runtime/loop/journal internal/layout runtime/loop/record runtime/loop/internal/resets runtime/proctree"},
	"runtime/contract":             {3, "internal/lazyregexp runtime/event runtime/internal/scratch internal/vt runtime/launch runtime/proctree runtime/session internal/standin schema"},
	"runtime/agent":                {3, "internal/awake runtime/event runtime/internal/acp runtime/internal/fault runtime/internal/permit runtime/internal/render runtime/internal/rpc runtime/internal/scratch runtime/internal/workplace runtime/launch runtime/internal/mapping runtime/proctree runtime/pty runtime/terminal runtime/internal/tui schema"},
	"cmd/ripple/internal/annotate": {3, "internal/vt runtime/session"},
	"runtime/internal/tui":         {2, "runtime/internal/fault runtime/internal/scratch internal/vt runtime/launch runtime/proctree runtime/pty runtime/terminal schema"},
	"runtime/loop/agentloop":       {4, "runtime/internal/scratch runtime/agent runtime/event runtime/launch runtime/loop internal/scenario schema"},

	"runtime/box":               {0, "internal/owner internal/projectfile runtime/internal/scratch"},
	"runtime/sandbox":           {0, ""},
	"cmd/ripple/internal/trust": {0, "internal/dirid internal/projectfile internal/owner"},

	"internal/standin": {0, "internal/lazyregexp"},

	"runtime/console/place": {3, "internal/lazyregexp internal/owner internal/projectfile runtime/session schema"},
	"runtime/console":       {4, "internal/owner internal/awake internal/projectfile runtime/proctree runtime/console/place runtime/internal/fault runtime/internal/keys runtime/internal/lineedit internal/vt runtime/launch runtime/registry runtime/sandbox runtime/session runtime/terminal runtime/internal/tui schema schema/validate"},

	"runtime/probe": {4, "internal/lazyregexp runtime/contract runtime/internal/prompt runtime/internal/scratch internal/vt runtime/launch runtime/proctree runtime/pty runtime/terminal schema"},

	"runtime/mcp": {5, "runtime/console internal/vt runtime/registry schema"},
	"runtime/acp": {4, "runtime/agent runtime/event runtime/internal/fault runtime/internal/permit runtime/internal/rpc runtime/loop/journal internal/layout runtime/loop/record schema"},

	// The command line: shared parts of the commands, the command families, the command.
	"cmd/ripple/internal/prefork":    {0, "internal/keeper"},
	"cmd/ripple/internal/prestart":   {5, "cmd/ripple/internal/prefork internal/projectfile runtime/console/place runtime/proctree runtime/registry runtime/session"},
	"cmd/ripple/internal/ui":         {4, "internal/projectfile internal/quote runtime/box internal/lazyregexp runtime/agent runtime/contract runtime/event runtime/launch runtime/loop runtime/loop/config runtime/loop/journal internal/layout runtime/loop/record runtime/proctree runtime/registry internal/scenario cmd/ripple/internal/trust schema internal/owner"},
	"cmd/ripple/internal/trustcmd":   {6, "cmd/ripple/internal/ui cmd/ripple/internal/trust internal/projectfile"},
	"cmd/ripple/internal/attached":   {6, "cmd/ripple/internal/ui runtime/console"},
	"cmd/ripple/internal/notice":     {0, "internal/projectfile"},
	"cmd/ripple/internal/htmlpage":   {5, "cmd/ripple/internal/ui cmd/ripple/internal/cast runtime/event runtime/loop runtime/loop/journal runtime/loop/record"},
	"cmd/ripple/internal/consolecmd": {7, "cmd/ripple/internal/prestart cmd/ripple/internal/htmlpage cmd/ripple/internal/prefork cmd/ripple/internal/attached cmd/ripple/internal/ui cmd/ripple/internal/cast runtime/console runtime/sandbox internal/projectfile internal/quote"},
	"cmd/ripple/internal/boxcmd":     {6, "cmd/ripple/internal/ui runtime/box runtime/loop"},
	"cmd/ripple/internal/mcpcmd":     {6, "internal/quote cmd/ripple/internal/ui internal/lazyregexp internal/owner internal/projectfile runtime/console/place runtime/mcp runtime/sandbox"},
	"cmd/ripple/internal/acpcmd":     {6, "cmd/ripple/internal/ui runtime/acp runtime/launch runtime/loop/journal runtime/registry schema"},
	"cmd/ripple/internal/execcmd":    {6, "cmd/ripple/internal/prestart cmd/ripple/internal/ui internal/lazyregexp runtime/contract runtime/launch runtime/proctree runtime/registry runtime/session schema"},
	"cmd/ripple/internal/adaptercmd": {7, "internal/quote adapters cmd/ripple/internal/loopcmd cmd/ripple/internal/attached cmd/ripple/internal/ui runtime/agent internal/projectfile cmd/ripple/internal/annotate runtime/console runtime/contract runtime/event runtime/launch runtime/loop internal/layout runtime/probe runtime/proctree runtime/pty runtime/registry runtime/session runtime/terminal schema"},
	"cmd/ripple/internal/agentcmd":   {7, "internal/projectfile internal/quote runtime/box cmd/ripple/internal/attached cmd/ripple/internal/ui runtime/acp runtime/agent runtime/console runtime/contract runtime/event runtime/launch runtime/proctree runtime/registry internal/scenario runtime/session runtime/terminal schema"},
	"cmd/ripple/internal/loopcmd":    {6, "internal/owner internal/quote runtime/box cmd/ripple/internal/htmlpage cmd/ripple/internal/ui internal/lazyregexp internal/projectfile runtime/agent runtime/event runtime/launch runtime/loop runtime/loop/agentloop runtime/loop/config runtime/loop/hats runtime/loop/journal internal/layout runtime/loop/record runtime/proctree runtime/registry internal/scenario schema"},

	"cmd/ripple": {8, "cmd/ripple/internal/acpcmd cmd/ripple/internal/adaptercmd cmd/ripple/internal/agentcmd cmd/ripple/internal/boxcmd cmd/ripple/internal/consolecmd cmd/ripple/internal/prefork cmd/ripple/internal/execcmd cmd/ripple/internal/loopcmd cmd/ripple/internal/mcpcmd cmd/ripple/internal/notice cmd/ripple/internal/trustcmd cmd/ripple/internal/ui internal/owner internal/projectfile schema schema/validate"},

	// Not part of the product: tests from outside.
	"conformance":          {5, ""},
	"conformance/agents":   {5, ""},
	"conformance/box":      {5, ""},
	"conformance/consoles": {5, ""},
	"conformance/probing":  {5, ""},
	"conformance/soak":     {5, "runtime/console"},
	"conformance/torture":  {5, ""},
	"conformance/standin":  {5, "internal/standin"},
}

// confined are dependencies that only one package, and those below it, may import.
var confined = map[string]string{
	"gopkg.in/yaml.v3":                             "schema",
	"github.com/santhosh-tekuri/jsonschema/v5":     "schema/validate",
	"github.com/creack/pty":                        "runtime/pty",
	"github.com/spf13/cobra":                       "cmd/ripple",
	"github.com/landlock-lsm/go-landlock/landlock": "runtime/sandbox",
	"github.com/stretchr/testify/assert":           "internal/testkit",
	"github.com/stretchr/testify/require":          "internal/testkit",
}

func TestLayers(t *testing.T) {
	t.Parallel()
	edges := map[string]map[string]bool{}
	for _, goos := range []string{"linux", "darwin", "windows"} {
		for _, p := range goList(t, goos) {
			if !p.ours() {
				continue
			}
			if edges[p.short()] == nil {
				edges[p.short()] = map[string]bool{}
			}
			for _, imported := range p.Imports {
				if name, ours := strings.CutPrefix(imported, module+"/"); ours {
					edges[p.short()][name] = true
				}
				if owner, ok := confined[imported]; ok {
					assert.Truef(t, p.short() == owner || strings.HasPrefix(p.short(), owner+"/"), "%s imports %s: only %s may", p.short(), imported, owner)
				}
			}
		}
	}
	for name, imports := range edges {
		r, known := layers[name]
		if !assert.Truef(t, known, "package %s has no layer: add it to the table", name) {
			continue
		}
		assert.Equalf(t, slices.Sorted(slices.Values(strings.Fields(r.imports))), slices.Sorted(maps.Keys(imports)),
			"imports of %s (expected: the table)", name)
	}
	for name := range layers {
		assert.Containsf(t, edges, name, "%s is in the table and not in the module", name)
	}
}

// The table itself follows the rule.
func TestLayersImportOnlyLowerLayers(t *testing.T) {
	for name, r := range layers {
		for _, imported := range strings.Fields(r.imports) {
			below, known := layers[imported]
			assert.Truef(t, known, "%s imports %s, which has no layer", name, imported)
			assert.Lessf(t, below.layer, r.layer, "%s (L%d) imports %s (L%d)", name, r.layer, imported, below.layer)
		}
	}
}
