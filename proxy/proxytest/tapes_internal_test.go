package proxytest

import (
	"reflect"
	"testing"
	"time"

	"github.com/paytape/paytape/match"
	"github.com/paytape/paytape/proxy/deck"
)

// Equal settings share a tape, which is loaded once.
func TestTapesAreShared(t *testing.T) {
	t.Parallel()
	var c tapeCache
	load := func(options ...Option) *deck.Tape {
		t.Helper()
		s := settings{dir: DefaultDir, cassettes: []string{"checkout"}}
		for _, o := range options {
			o(&s)
		}
		tape, _, err := c.load(t.Context(), s)
		if err != nil {
			t.Fatal(err)
		}
		return tape
	}
	known, err := deck.NewKnowledge(deck.KnowledgeOptions{})
	if err != nil {
		t.Fatal(err)
	}
	first, knowing := load(), load(Knowledge(known))
	if load(Knowledge(known)) != knowing {
		t.Error("one knowledge: the tape is not shared")
	}
	for name, o := range map[string]Option{
		"the folder in other words":  Dir("../proxytest/" + DefaultDir),
		"a way to play that is none": Play(deck.Play{}),
	} {
		if load(o) != first {
			t.Errorf("%s: the tape is not shared", name)
		}
	}
	for name, o := range map[string]Option{
		"knowledge": Knowledge(known), "a seed": Play(deck.Play{Seed: 7}),
		"a clock":     Play(deck.Play{Now: time.Now}),
		"credentials": Play(deck.Play{Credentials: match.Credentials{{Name: "password"}}}),
	} {
		if load(o) == first {
			t.Errorf("%s: the tape is shared", name)
		}
	}
}

// Whatever field Play has or gets, ways that differ in it are not taken for one another.
func TestPlayKeyHasEveryField(t *testing.T) {
	t.Parallel()
	zero, ok := playKey(deck.Play{})
	if !ok {
		t.Fatal("the zero Play has no key")
	}
	typ := reflect.TypeFor[deck.Play]()
	for i := range typ.NumField() {
		if typ.Field(i).Anonymous {
			continue // it keeps Play from being printed
		}
		var p deck.Play
		switch f := reflect.ValueOf(&p).Elem().Field(i); f.Kind() {
		case reflect.Bool:
			f.SetBool(true)
		case reflect.Uint64:
			f.SetUint(1)
		case reflect.Func:
			f.Set(reflect.ValueOf(time.Now))
		case reflect.Slice:
			f.Set(reflect.MakeSlice(f.Type(), 1, 1))
		default:
			t.Fatalf("%s is of a kind that this test does not set", typ.Field(i).Name)
		}
		if key, ok := playKey(p); ok && key == zero {
			t.Errorf("%s is not in the key", typ.Field(i).Name)
		}
	}
}
