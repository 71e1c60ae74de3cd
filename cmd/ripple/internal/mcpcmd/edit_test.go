package mcpcmd

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

const jsonLines = `{
  "mcpServers": {
    "ripple": { "command": "/r", "args": ["mcp"] }
  }
}
`

func TestMergeJSON(t *testing.T) {
	for _, tt := range []struct{ name, doc, want, err string }{
		{"nothing there", "", jsonLines, ""},
		{"an empty object", "{}\n", "{\n  \"mcpServers\": {\n    \"ripple\": {\n      \"command\": \"/r\",\n      \"args\": [\n        \"mcp\"\n      ]\n    }\n  }\n}\n", ""},
		{
			"others stay as they are", "{\n\t\"z\": 1.50,\n\t\"mcpServers\": {\n\t\t\"a\": {\"command\":\"b\" }\n\t},\n\t\"é\": \"\\u00e9\"\n}",
			"{\n\t\"z\": 1.50,\n\t\"mcpServers\": {\n\t\t\"a\": {\"command\":\"b\" },\n\t\t\"ripple\": {\n\t\t\t\"command\": \"/r\",\n\t\t\t\"args\": [\n\t\t\t\t\"mcp\"\n\t\t\t]\n\t\t}\n\t},\n\t\"é\": \"\\u00e9\"\n}", "",
		},
		{"on one line", `{"a": 1, "mcpServers": {"x": {}}}`, `{"a": 1, "mcpServers": {"x": {}, "ripple": { "command": "/r", "args": ["mcp"] }}}`, ""},
		{"it is there", `{"mcpServers": {"ripple": {"args": [ "mcp" ], "trust": true, "command": "/r"}}}`, `{"mcpServers": {"ripple": {"args": [ "mcp" ], "trust": true, "command": "/r"}}}`, ""},
		{"another path", `{"mcpServers": {"ripple": {"args": ["mcp"], "trust": true, "command": "/old"}}}`, `{"mcpServers": {"ripple": {"args": ["mcp"], "trust": true, "command": "/r"}}}`, ""},
		{"comments", "{ // mine\n}", "", errNotPlain.Error()},
		{"a trailing comma", `{"a": 1,}`, "", errNotPlain.Error()},
		{"twice", `{"mcpServers": {}, "mcpServers": {}}`, "", `it contains "mcpServers" twice`},
		{"a list", `[]`, "", "it is not an object {…}"},
		{"of another kind", `{"mcpServers": []}`, "", `"mcpServers" is not an object {…}`},
	} {
		t.Run(tt.name, func(t *testing.T) {
			got, err := mergeJSON([]byte(tt.doc), []byte(jsonLines))
			if tt.err != "" {
				assert.EqualError(t, err, tt.err)
				return
			}
			require.NoError(t, err)
			assert.Equal(t, tt.want, string(got))
			again, err := mergeJSON(got, []byte(jsonLines))
			require.NoError(t, err)
			assert.Equal(t, tt.want, string(again), "a second time nothing changes")
		})
	}
}

func TestMergeTOML(t *testing.T) {
	const table = "[mcp_servers.ripple]\ncommand = \"/r\"\nargs = [\"mcp\"]\n"
	for _, tt := range []struct{ name, doc, want, err string }{
		{"nothing there", "", table, ""},
		{"at the end", "# mine\nmodel = \"x\"\n\n[a]\nb = 1 # c", "# mine\nmodel = \"x\"\n\n[a]\nb = 1 # c\n\n" + table, ""},
		{"it is there", "[a]\nb = 1\n\n" + table + "\n# of c\n[c]\n", "[a]\nb = 1\n\n" + table + "\n# of c\n[c]\n", ""},
		{
			"another path", "[ mcp_servers.ripple ]\nargs = [\"mcp\"]\nstartup_timeout_sec = 9 # slow\ncommand = \"/old\"\n\n[c]\ncommand = \"other\"\n",
			"[ mcp_servers.ripple ]\ncommand = \"/r\"\nargs = [\"mcp\"]\nstartup_timeout_sec = 9 # slow\n\n[c]\ncommand = \"other\"\n", "",
		},
		{"a form that is not understood", "mcp_servers = { ripple = { command = \"/old\" } }\n", "", "cannot be changed"},
		{"a value of many lines", "[mcp_servers.ripple]\nargs = [\n\"mcp\",\n]\n", "", "cannot be changed"},
		{"a header in a text", "t = \"\"\"\n[mcp_servers.ripple]\n\"\"\"\n", "", "cannot be changed"},
		{"not TOML", "{", "", "it is not TOML"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			got, err := mergeTOML([]byte(tt.doc), []byte(table))
			if tt.err != "" {
				assert.ErrorContains(t, err, tt.err)
				return
			}
			require.NoError(t, err)
			assert.Equal(t, tt.want, string(got))
			again, err := mergeTOML(got, []byte(table))
			require.NoError(t, err)
			assert.Equal(t, tt.want, string(again))
		})
	}
}
