package schema

import (
	"bytes"
	"encoding/json"
	"fmt"
	"maps"
	"math"
	"reflect"
)

// MarshalReady returns the adapter in a form that ParseReady reads without YAML and
// without validation, about fifty times faster than Parse. It does not contain the text of
// an integration script in a separate file.
func (a *Adapter) MarshalReady() ([]byte, error) {
	ready := *a
	ready.Source, ready.Script = "", ""
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	e.SetIndent("", " ") // so that a change of the file is a change of its lines
	err := e.Encode(sparse(reflect.ValueOf(ready)))
	return flat(b.Bytes()), err
}

// flat takes out the indentation, and what is deep inside goes on one line: it would be
// a quarter of the text.
func flat(indented []byte) []byte {
	var b bytes.Buffer
	for line := range bytes.Lines(indented) {
		text := bytes.TrimLeft(line, " ")
		if depth := len(line) - len(text); depth > 2 {
			text = bytes.TrimSuffix(text, []byte("\n"))
		}
		b.Write(text)
	}
	return b.Bytes()
}

// ParseReady reads what MarshalReady has written. source and the scripts of o are
// as for Parse. An error means that the data is not of this version of ripple, or
// that the script is missing.
func ParseReady(source string, data []byte, o Options) (*Adapter, error) {
	a, err := decodeReady(data)
	if err != nil {
		return nil, err
	}
	a.Source = source
	a.Script, err = a.script(o.Scripts)
	return a, err
}

func decodeReady(data []byte) (*Adapter, error) {
	var ready any
	if err := json.Unmarshal(data, &ready); err != nil {
		return nil, err
	}
	a := &Adapter{}
	if err := setFrom(reflect.ValueOf(a).Elem(), ready); err != nil {
		return nil, err
	}
	for i := range a.Tests {
		a.Tests[i].Step.Pos = a.Tests[i].Pos
	}
	return a, nil
}

// Seal writes the adapter with its script, so that Unseal gives the same one whatever has
// become of its files.
func (a *Adapter) Seal() ([]byte, error) {
	a = a.Whole()
	ready, err := a.MarshalReady()
	if err != nil {
		return nil, err
	}
	return json.Marshal(sealed{a.Source, a.Script, ready})
}

// sealed is what Seal writes.
type sealed struct {
	Source string          `json:"source"`
	Script string          `json:"script"`
	Ready  json.RawMessage `json:"ready"`
}

// Unseal reads what Seal has written, of the same version of ripple.
func Unseal(data []byte) (*Adapter, error) {
	var s sealed
	if err := json.Unmarshal(data, &s); err != nil {
		return nil, err
	}
	a, err := decodeReady(s.Ready)
	if err != nil {
		return nil, err
	}
	a.Source, a.Script = s.Source, s.Script
	return a, nil
}

// sparse is v without what is zero anyway: a nil list is left out, an empty one
// stays.
func sparse(v reflect.Value) any {
	switch v.Kind() {
	case reflect.Pointer:
		if v.IsNil() {
			return nil
		}
		return sparse(v.Elem())
	case reflect.Struct:
		out := map[string]any{}
		for i := range v.NumField() {
			f, field := v.Field(i), v.Type().Field(i)
			switch {
			case f.IsZero():
			case field.Anonymous:
				maps.Copy(out, sparse(f).(map[string]any))
			default:
				out[field.Name] = sparse(f)
			}
		}
		return out
	case reflect.Slice:
		out := make([]any, v.Len())
		for i := range out {
			out[i] = sparse(v.Index(i))
		}
		return out
	case reflect.Map:
		out := map[string]any{}
		for _, k := range v.MapKeys() {
			out[k.String()] = sparse(v.MapIndex(k))
		}
		return out
	case reflect.Interface:
		if v.IsNil() {
			return nil
		}
		return sparse(v.Elem())
	}
	return v.Interface()
}

// setFrom is the other way round: it sets v to that of which sparse made from. What
// encoding/json learns of all types before it reads into one takes longer than all
// else that an adapter needs.
func setFrom(v reflect.Value, from any) error {
	switch {
	case from == nil:
		return nil
	case v.Kind() == reflect.Interface:
		v.Set(reflect.ValueOf(whole(from)))
		return nil
	case v.Kind() == reflect.Pointer:
		v.Set(reflect.New(v.Type().Elem()))
		return setFrom(v.Elem(), from)
	}
	switch from := from.(type) {
	case map[string]any:
		if v.Kind() == reflect.Struct {
			return setFields(v, from)
		}
		return setKeys(v, from)
	case []any:
		return setItems(v, from)
	}
	value := reflect.ValueOf(from)
	if !value.CanConvert(v.Type()) {
		return unfit(v, from)
	}
	v.Set(value.Convert(v.Type()))
	return nil
}

func setFields(v reflect.Value, from map[string]any) error {
	for name, value := range from {
		field := v.FieldByName(name)
		if !field.IsValid() {
			return unfit(v, name)
		}
		if err := setFrom(field, value); err != nil {
			return err
		}
	}
	return nil
}

func setKeys(v reflect.Value, from map[string]any) error {
	if v.Kind() != reflect.Map {
		return unfit(v, from)
	}
	v.Set(reflect.MakeMapWithSize(v.Type(), len(from)))
	for name, value := range from {
		item := reflect.New(v.Type().Elem()).Elem()
		if err := setFrom(item, value); err != nil {
			return err
		}
		v.SetMapIndex(reflect.ValueOf(name).Convert(v.Type().Key()), item)
	}
	return nil
}

func setItems(v reflect.Value, from []any) error {
	if v.Kind() != reflect.Slice {
		return unfit(v, from)
	}
	v.Set(reflect.MakeSlice(v.Type(), len(from), len(from)))
	for i, item := range from {
		if err := setFrom(v.Index(i), item); err != nil {
			return err
		}
	}
	return nil
}

func unfit(v reflect.Value, from any) error {
	return fmt.Errorf("%v does not fit into a %s", from, v.Type())
}

// whole makes integers of the numbers that YAML reads as such.
func whole(v any) any {
	switch v := v.(type) {
	case float64:
		if v == math.Trunc(v) {
			return int(v)
		}
	case []any:
		for i := range v {
			v[i] = whole(v[i])
		}
	case map[string]any:
		for k := range v {
			v[k] = whole(v[k])
		}
	}
	return v
}
