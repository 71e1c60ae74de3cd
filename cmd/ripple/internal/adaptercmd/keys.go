package adaptercmd

import (
	"reflect"
	"strconv"
	"strings"
)

// byKeys converts a value of the schema package to maps, lists and scalars with the names of an
// adapter file. Fields that no file has are left out.
func byKeys(v any) any { return keysOf(reflect.ValueOf(v)) }

func keysOf(v reflect.Value) any {
	switch v.Kind() {
	case reflect.Pointer, reflect.Interface:
		if v.IsNil() {
			return nil
		}
		return keysOf(v.Elem())
	case reflect.Struct:
		m := map[string]any{}
		addFields(m, v)
		return m
	case reflect.Slice:
		list := make([]any, v.Len())
		for i := range list {
			list[i] = keysOf(v.Index(i))
		}
		return list
	case reflect.Map:
		m := map[string]any{}
		for _, k := range v.MapKeys() {
			m[k.String()] = keysOf(v.MapIndex(k))
		}
		return m
	}
	return v.Interface()
}

func addFields(m map[string]any, v reflect.Value) {
	for i := range v.NumField() {
		name, options, _ := strings.Cut(v.Type().Field(i).Tag.Get("yaml"), ",")
		switch {
		case name == "-":
		case options == "inline":
			addFields(m, v.Field(i))
		default:
			m[name] = keysOf(v.Field(i))
		}
	}
}

// key formats the bytes of a signal; null means that no safe one exists.
func key(k *string) string {
	if k == nil {
		return "none"
	}
	return strconv.Quote(*k)
}
