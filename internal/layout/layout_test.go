package layout

import (
	"go/ast"
	"go/parser"
	"go/token"
	"os"
	"regexp"
	"strconv"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

func TestEveryFileIsDocumented(t *testing.T) {
	manual, err := os.ReadFile("../../docs/running-a-loop.md")
	require.NoError(t, err)
	for _, name := range append([]string{PromptFile, PlanFile, AgentFile, RCFile}, Records...) {
		if name == LogsDir {
			name += "/"
		}
		assert.Contains(t, string(manual), "`"+name+"`")
	}
}

// Code that walks all files of a loop visits every name defined here.
func TestEveryFileIsListed(t *testing.T) {
	f, err := parser.ParseFile(token.NewFileSet(), "layout.go", nil, 0)
	require.NoError(t, err)
	listed := append(append([]string{Dir}, Written...), Records...)
	found := 0
	ast.Inspect(f, func(n ast.Node) bool {
		v, is := n.(*ast.ValueSpec)
		if !is || len(v.Names) != 1 || len(v.Values) != 1 || !regexp.MustCompile(`(File|Dir|Lock)$`).MatchString(v.Names[0].Name) {
			return true
		}
		text, is := v.Values[0].(*ast.BasicLit)
		require.True(t, is, v.Names[0].Name)
		name, err := strconv.Unquote(text.Value)
		require.NoError(t, err)
		found++
		assert.Contains(t, listed, name, "put %s into Written or Records", v.Names[0].Name)
		return true
	})
	assert.Equal(t, len(listed), found)
}
