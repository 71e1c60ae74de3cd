package launch

import (
	"fmt"
	"strconv"
	"strings"

	"example.org/ripple/schema"
)

// values are the placeholder values. Each may be built from those before it;
// secret remembers which of them carry the nonce.
type values struct {
	all    map[string]string
	secret map[string]bool
}

// shortNonce is the length of {nonce_short}: 64 bits, for programs that cut a
// longer prompt off.
const shortNonce = 16

func newValues(a *schema.Adapter, h Host, r Request, path string) *values {
	v := &values{
		all: map[string]string{
			"shell_path":  path,
			"self":        h.Self,
			"nonce":       r.Nonce,
			"nonce_short": r.Nonce[:min(len(r.Nonce), shortNonce)],
			"pid":         strconv.Itoa(h.PID),
			"guid":        h.GUID(),
			"temp_dir":    r.ScratchDir,
			"banner":      r.Banner,
			"reason":      r.Reason,
			// Filled in by the delivery, when there is something to deliver.
			"tempfile_path": "", "script_path": "", "path": "", "init_invocation": "",
			"rc_dir_previous": "", "rc_file_previous": "",
		},
		secret: map[string]bool{"nonce": true, "nonce_short": true},
	}
	marker := schema.Marker{}
	if a.Init.Marker != nil {
		marker = *a.Init.Marker
	}
	v.define("marker", marker.Primary)
	v.define("marker_continuation", marker.Continuation)
	filter := ""
	if a.Input.Tempfile != nil {
		filter = a.Input.Tempfile.HistoryFilter
	}
	v.define("history_filter", filter)
	v.define("prompt_template", a.Process.PromptTemplate)
	return v
}

// define gives a name to an expanded template.
func (v *values) define(name, template string) {
	v.secret[name] = v.carriesNonce(template)
	v.all[name] = v.expand(template)
}

func (v *values) expand(text string) string { return schema.Expand(text, v.all) }

func (v *values) carriesNonce(text string) bool {
	for name, secret := range v.secret {
		if secret && schema.Expand(text, map[string]string{name: ""}) != text {
			return true
		}
	}
	return false
}

// droppable are the placeholders whose word vanishes when nothing is staged.
var droppable = map[string]bool{"init_invocation": true, "tempfile_path": true, "script_path": true, "path": true}

// expandWords makes the argument list: one argument for each word.
func expandWords(words []schema.Word, v *values) ([]string, error) {
	argv := make([]string, 0, len(words))
	for i, word := range words {
		if i > 0 && vanishes(word, v) {
			continue
		}
		arg, err := expandWord(word, v)
		if err != nil {
			return nil, err
		}
		argv = append(argv, arg)
	}
	return argv, nil
}

// arguments are what ends the command line.
func arguments(a *schema.Adapter, r Request, v *values) ([]string, error) {
	if r.Args != nil {
		return r.Args, nil
	}
	args := make([]string, len(a.Process.Args))
	for i, template := range a.Process.Args {
		args[i] = v.expand(template)
		if strings.ContainsRune(args[i], 0) {
			return nil, fmt.Errorf("process.args[%d]: the argument %q contains a NUL", i, args[i])
		}
	}
	return args, nil
}

func vanishes(word schema.Word, v *values) bool {
	if len(word.Parts) != 1 {
		return false
	}
	name := word.Parts[0].Placeholder
	return droppable[name] && v.all[name] == ""
}

func expandWord(word schema.Word, v *values) (string, error) {
	var b strings.Builder
	for _, part := range word.Parts {
		if part.Placeholder == "" {
			b.WriteString(part.Text)
			continue
		}
		b.WriteString(v.all[part.Placeholder])
	}
	if strings.ContainsRune(b.String(), 0) {
		return "", fmt.Errorf("process.command_template, column %d: the argument %q contains a NUL", word.Column, b.String())
	}
	return b.String(), nil
}
