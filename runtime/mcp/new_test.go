//go:build unix

package mcp_test

import (
	"os"
	"regexp"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"example.org/ripple/runtime/console"
	"example.org/ripple/runtime/mcp"
)

// A program that is driven by sent input shows each answer once, and earlier output on demand.
func TestOnlyNewOutputIsShown(t *testing.T) {
	c := client(t, mcp.Options{})
	call(t, c, "console_exec", args{"code": `while read -p "> " x; do echo "is $x"; done`})
	for _, word := range []string{"one", "two", "three"} {
		text := call(t, c, "console_send", args{"console": "main", "text": word, "keys": []string{"enter"}})
		assert.Equal(t, 1, strings.Count(text, "is "), text)
		assert.Contains(t, text, "is "+word+"\n> \n")
		assert.Regexp(t, `, new since byte \d+, cursor=\d+\n`, text)
	}
	assert.NotContains(t, call(t, c, "console_wait", args{"console": "main", "for": "input"}), "is three")
	assert.Contains(t, call(t, c, "console_wait", args{"console": "main", "for": "input", "cursor": 0}), "> is one\n> is two\n")
}

// The omitted part of a long line is counted, and can be read.
func TestALongLineIsRead(t *testing.T) {
	c := client(t, mcp.Options{})
	text := call(t, c, "console_exec", args{"code": "seq -s , 9000"})
	assert.Regexp(t, `, shown 1–1, [\d,]+ bytes left out within lines; console_read command=1\n`, text)
	want := ""
	for i := range 9000 {
		want += strconv.Itoa(i+1) + ","
	}
	want, all := strings.TrimSuffix(want, ","), ""
	for column := "0"; column != ""; {
		n, _ := strconv.Atoi(column) // matched by the pattern
		text := call(t, c, "console_read", args{"console": "main", "column": n})
		line := regexp.MustCompile(`(?m)^1: (?:… [\d,]+ bytes left out … )?(.*?)(?: … [\d,]+ bytes left out from column=(\d+) on)?$`).FindStringSubmatch(text)
		if !assert.NotNil(t, line, text) {
			return
		}
		all += line[1]
		column = line[2]
	}
	assert.Equal(t, want, all)
	assert.Contains(t, call(t, c, "console_read", args{"console": "main", "grep": ",5000,5001,"}), ",5000,5001,")
}

// The end of long new output is shown, too.
func TestTheEndOfNewOutputIsShown(t *testing.T) {
	c := client(t, mcp.Options{})
	call(t, c, "console_exec", args{"code": "seq 3000; read x; seq 3001 6000"})
	text := call(t, c, "console_send", args{"console": "main", "keys": []string{"enter"}})
	if !strings.Contains(text, "done exit=0") {
		text = call(t, c, "console_wait", args{"console": "main", "for": "done", "cursor": 13893})
	}
	assert.Contains(t, text, "\n3001\n")
	assert.Contains(t, text, "lines left out …\n")
	assert.Contains(t, text, "\n6000\n")
}

// If a console ended by itself and was restarted, the new one's output is shown.
func TestAnotherConsoleOfTheSameNameShowsItsOutput(t *testing.T) {
	c := client(t, mcp.Options{})
	assert.Contains(t, call(t, c, "console_exec", args{"code": "echo first"}), "first")
	other, err := console.Open(os.Getenv, "main")
	require.NoError(t, err)
	require.NoError(t, other.End(t.Context(), true))
	other.Close()
	assert.Contains(t, call(t, c, "console_exec", args{"code": "echo other"}), "\nother\n")
}
