package main

import (
	"reflect"
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
)

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
