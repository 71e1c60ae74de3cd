package main

import (
	"bytes"
	"context"
	"reflect"
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"ripple/runtime/session"
)

// What came between the commands is nobody's output, and yet is not lost.
func TestWhatCameBetweenTheCommandsGoesToStandardError(t *testing.T) {
	var out, err bytes.Buffer
	x := &execution{app: newApp(nil, &out, &err, nil)}
	require.NoError(t, x.report(context.Background(), outcome{result: session.Result{Output: "a\n", OutOfBand: "[1]+ Done\n"}}))
	assert.Equal(t, "[1]+ Done\n", err.String())
	assert.Empty(t, out.String(), "the output itself was passed on as it came")
	x.flags.json = true
	require.NoError(t, x.report(context.Background(), outcome{result: session.Result{OutOfBand: "[1]+ Done\n"}}))
	assert.Contains(t, out.String(), `"out_of_band":"[1]+ Done\n"`)
	assert.Equal(t, "[1]+ Done\n", err.String())
}

// The help is the description of --json: it names each field, and no other.
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
	for _, m := range regexp.MustCompile(`"([a-z_]+)"`).FindAllStringSubmatch(newExec(&app{}).Long, -1) {
		named = append(named, m[1])
	}
	assert.ElementsMatch(t, fields, named)
}
