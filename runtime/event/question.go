package event

import (
	"encoding/json"
	"maps"
	"slices"
	"strings"
)

// QuestionText returns the text of a question that an agent asks the user with a tool: all values under
// "question" in its input, one per line, or the input itself if there are none. It is empty for
// other events.
func (e Event) QuestionText() string {
	if e.Type != ToolUse || e.Tool != ToolQuestion {
		return ""
	}
	var input any
	if json.Unmarshal(e.Input, &input) != nil {
		return string(e.Input)
	}
	var list []string
	collect(input, &list)
	if len(list) == 0 {
		return string(e.Input)
	}
	return strings.Join(list, "\n")
}

// collect finds the questions in a tool's input.
func collect(v any, list *[]string) {
	switch v := v.(type) {
	case []any:
		for _, item := range v {
			collect(item, list)
		}
	case map[string]any:
		if text, is := v["question"].(string); is && strings.TrimSpace(text) != "" {
			*list = append(*list, strings.TrimSpace(text))
		}
		for _, key := range slices.Sorted(maps.Keys(v)) {
			if key != "question" && key != "options" {
				collect(v[key], list)
			}
		}
	}
}
