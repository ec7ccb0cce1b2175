// Package leaftest helps tests show that values with live secrets print as markers.
package leaftest

import (
	"bytes"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"log/slog"
	"reflect"
	"strings"
	"testing"
	"unsafe"
)

// Canary is the text that Unprinted fills values with.
const Canary = "c4n-1n-4-v4lue"

// Unprinted fails the test for every way of printing that shows a text in a value of the type of
// one of the examples, which may be zero.
func Unprinted(t *testing.T, examples ...any) {
	t.Helper()
	for _, example := range examples {
		for _, how := range Shown(example) {
			t.Errorf("%T: %s", example, how)
		}
	}
}

// Shown returns the ways of printing that show a text in a value of the type of the example, in a
// pointer to it, a list or a map of it. All texts that are reached from the value without an
// interface or a function are filled in; a type that has none is a way too.
func Shown(example any) []string {
	v := reflect.New(reflect.TypeOf(example))
	if !fill(v.Elem(), deepest) {
		return []string{"it holds no text"}
	}
	list := reflect.MakeSlice(reflect.SliceOf(v.Type()), 0, 1)
	hexed := hex.EncodeToString([]byte(Canary))
	var shown []string
	for name, value := range map[string]any{
		"itself": v.Elem().Interface(), "a pointer": v.Interface(),
		"a list": reflect.Append(list, v).Interface(),
		"a map":  map[string]any{"k": v.Elem().Interface()},
	} {
		for how, text := range printed(value) {
			if strings.Contains(text, Canary) || strings.Contains(text, hexed) {
				shown = append(shown, name+" as "+how)
			}
		}
	}
	return shown
}

// printed returns what ways of printing make of a value.
func printed(v any) map[string]string {
	texts := map[string]string{}
	for _, verb := range []string{"%v", "%+v", "%#v", "%s", "%q", "%x", "%d", "%t"} {
		texts[verb] = fmt.Sprintf(verb, v)
	}
	if b, err := json.Marshal(v); err == nil {
		texts["JSON"] = string(b)
	}
	var log bytes.Buffer
	slog.New(slog.NewTextHandler(&log, nil)).Info("m", "v", v)
	texts["a log"] = log.String()
	log.Reset()
	slog.New(slog.NewJSONHandler(&log, nil)).Info("m", "v", v)
	texts["a JSON log"] = log.String()
	return texts
}

// deepest is how far into a value texts are filled in.
const deepest = 8

// fill writes the canary into every text of a value, exported or not, to a depth, and reports
// whether there was one.
func fill(v reflect.Value, depth int) bool {
	if depth == 0 || !v.CanAddr() {
		return false
	}
	v = reflect.NewAt(v.Type(), unsafe.Pointer(v.UnsafeAddr())).Elem() // unexported fields too
	switch v.Kind() {
	case reflect.String:
		v.SetString(Canary)
		return true
	case reflect.Struct:
		filled := false
		for i := range v.NumField() {
			filled = fill(v.Field(i), depth-1) || filled
		}
		return filled
	case reflect.Pointer:
		v.Set(reflect.New(v.Type().Elem()))
		return fill(v.Elem(), depth-1)
	case reflect.Slice:
		if v.Type().Elem().Kind() == reflect.Uint8 {
			v.SetBytes([]byte(Canary))
			return true
		}
		v.Set(reflect.MakeSlice(v.Type(), 1, 1))
		return fill(v.Index(0), depth-1)
	case reflect.Map:
		return fillMap(v, depth)
	}
	return false
}

func fillMap(v reflect.Value, depth int) bool {
	key, value := reflect.New(v.Type().Key()).Elem(), reflect.New(v.Type().Elem()).Elem()
	inKey := fill(key, depth-1)
	inValue := fill(value, depth-1)
	v.Set(reflect.MakeMap(v.Type()))
	if key.Comparable() {
		v.SetMapIndex(key, value)
	}
	return inKey || inValue
}
