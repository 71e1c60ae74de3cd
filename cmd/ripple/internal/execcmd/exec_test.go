package execcmd

import (
	"bytes"
	"context"
	"io"
	"reflect"
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"example.org/ripple/cmd/ripple/internal/ui"
	"example.org/ripple/runtime/session"
)

// A record of much output is printed as the output comes: whatever its bytes and
// however they come, it is the same record.
func TestRecordOfMuchOutput(t *testing.T) {
	unit := "\"grüße\" <&> 漢字 \\ \x01\n\xff"
	text := strings.Repeat(unit, 3*maxHeld/len(unit)/2)
	want, err := marshal(record{Result: session.Result{Output: text, Bytes: int64(len(text))}})
	require.NoError(t, err)
	for _, size := range []int{1000, 4093, 65536, len(text)} {
		var out bytes.Buffer
		j := jsonOutput{out: &out}
		for rest := []byte(text); len(rest) > 0; {
			n := min(size, len(rest))
			j.Write(rest[:n])
			require.LessOrEqual(t, len(j.held), maxHeld)
			rest = rest[n:]
		}
		require.NotZero(t, out.Len(), "nothing was printed yet")
		require.NoError(t, j.finish(record{Result: session.Result{Bytes: int64(len(text)), Truncated: true}}, false))
		require.True(t, string(want)+"\n" == out.String(), "size %d", size)
		out.Reset()
		require.NoError(t, j.finish(record{Result: session.Result{Output: "next"}}, true))
		assert.Contains(t, out.String(), `{"output":"next",`)
	}
}

// A command that did not end has its unfinished line in its result.
func TestUnfinishedLineIsPrinted(t *testing.T) {
	var out, errors bytes.Buffer
	x := &execution{App: ui.NewApp(nil, &out, &errors, nil)}
	late := outcome{session.Result{Output: "connecting... ", Bytes: 14}, &session.TimeoutError{Err: context.DeadlineExceeded}}
	err := x.report(context.Background(), late)
	assert.Equal(t, "connecting... ", out.String())
	require.Error(t, err)
	assert.Equal(t, "its output so far is above", late.soFar())
	late.result.Screen = true
	assert.Contains(t, late.soFar(), "draws on the whole screen")
}

// The help is the description of --json: it lists each field with its type, and no other.
func TestHelpOfExecNamesTheFieldsOfJSON(t *testing.T) {
	var fields []string
	for _, f := range reflect.VisibleFields(reflect.TypeFor[record]()) {
		name, _, _ := strings.Cut(f.Tag.Get("json"), ",")
		switch name {
		case "", "-":
		case "truncated", "spill_path": // outcome.record reads the whole output back
		default:
			fields = append(fields, name)
		}
	}
	var named []string
	for _, m := range regexp.MustCompile(`(?m)^  ([a-z_]+) +(?:string|integer|boolean|object) +\S`).FindAllStringSubmatch(New(ui.NewApp(nil, io.Discard, io.Discard, func(error) {})).Long, -1) {
		named = append(named, m[1])
	}
	assert.ElementsMatch(t, fields, named)
}
