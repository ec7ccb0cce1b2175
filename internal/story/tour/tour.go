// Package tour walks every operation and every page of the three APIs, for tests: tours are
// stories whose steps are tables. At the gateway a payer's browser takes some of the steps: on the
// payment page, and at the ACS for 3-D Secure.
//
// One row of a tour registers an order, keeps the id that the sandbox gave it under the name a,
// and wants no error; the next row asks for the order by that id:
//
//	{call: "rest/register.do", send: "orderNumber=${order}&amount=100", fresh: []string{"a orderId"}}
//	{call: "rest/getOrderStatus.do", send: "orderId=${a}", agree: []string{`errorCode "0"`}}
//
// Tours have the signature of the stories of story.Teller as method expressions, so that tests
// hold both in one table. No program imports this package.
package tour

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"net/url"
	"os"
	"slices"
	"strings"
	"time"

	"github.com/paytape/paytape/internal/story"
	"github.com/tidwall/gjson"
)

// step is one call of a tour: a row that says what is sent, what is kept of the answer, and
// what must agree.
//
// Texts may refer to values by ${name}: those of the Teller and those kept by earlier steps.
// ${name:rendering} is a value written in another way.
type step struct {
	// call is an operation of version 1, method and path of version 2, or a path of the
	// gateway's below /payment/, which ends in ".do". Or it is what a payer's browser does:
	// "open ADDRESS", "post ADDRESS", or "press BUTTON" on the page where it is.
	call string
	// send is a JSON document, or for the gateway and a browser a form: "a=1&b=2". Empty means
	// no body.
	send string
	code int // HTTP status that is expected; 0 means 200
	// fresh and plain name values to keep, as "name path". Fresh ones are made by the
	// sandbox for one run; plain ones need not differ in the next.
	fresh, plain []string
	// agree are echoes, as "path JSON": the answer must have exactly that JSON there; nothing
	// at all if there is no JSON. Paths are those of look; of a page, those of page and "at".
	agree []string
}

// walker walks steps and remembers values by name.
type walker struct {
	*story.Teller
	ctx     context.Context
	values  map[string]string
	browser *browser
}

// walk makes a function that walks all steps.
func walk(t *story.Teller, ctx context.Context, steps []step) func() error {
	return func() error {
		w := walker{t, ctx, chosen(t), newBrowser(t.HTTP, t.Base)}
		for i, s := range steps {
			if err := w.step(s); err != nil {
				return fmt.Errorf("step %d: %w", i+1, err)
			}
		}
		return nil
	}
}

// chosen are the values that the client chooses, by name.
func chosen(t *story.Teller) map[string]string {
	day := func(n int) string { return t.Today.AddDate(0, 0, n).Format(time.DateOnly) }
	return map[string]string{
		"customer": t.Customer,
		"payee":    t.Payee,
		"surname":  cmp.Or(t.Surname, "Sample"),
		"phone":    cmp.Or(t.Phone, "79000000001"),
		"merchant": cmp.Or(t.Merchant, "M"+t.Customer),
		"order":    t.OrderNumber,
		"client":   t.ClientID,
		"paid":     t.Card,
		"payee1":   cardPayee,
		"shop":     cmp.Or(t.Shop, "https://shop.example/return"),
		"base":     strings.TrimRight(t.Base, "/"),
		"year":     t.Today.AddDate(4, 0, 1-t.Today.Day()).Format("2006"),
		"today":    day(0), "yesterday": day(-1), "tomorrow": day(1),
		// Cards are valid for some years from today, whenever that is.
		"later":  t.Today.AddDate(5, 0, 1-t.Today.Day()).Format("200601"),
		"expiry": t.Today.AddDate(4, 0, 1-t.Today.Day()).Format("200601"),
	}
}

func (w walker) step(s step) error {
	answer, err := w.answer(s)
	if err != nil {
		return err
	}
	for _, kept := range []struct {
		rows []string
		note func(name, text string)
	}{{s.fresh, w.Fresh}, {s.plain, w.Plain}} {
		for _, row := range kept.rows {
			name, path, _ := strings.Cut(row, " ")
			w.values[name] = look(answer, path).String()
			kept.note(name, w.values[name])
		}
	}
	return w.agrees(s, answer)
}

// answer makes the call of a step, or lets the browser act, and returns what is seen.
func (w walker) answer(s step) (gjson.Result, error) {
	if verb, what, _ := strings.Cut(s.call, " "); slices.Contains(browses, verb) {
		return w.browse(s, what)
	}
	request, err := w.request(s)
	if err != nil {
		return gjson.Result{}, fmt.Errorf("%s: %w", s.call, err)
	}
	want := cmp.Or(s.code, http.StatusOK)
	return w.SendFor(request, func(code int) bool { return code == want })
}

func (w walker) request(s step) (*http.Request, error) {
	call, err := w.expand(s.call, url.QueryEscape)
	if err != nil {
		return nil, err
	}
	if strings.HasSuffix(call, ".do") {
		return w.gatewayRequest(call, s.send)
	}
	body, err := w.expand(s.send, inJSON)
	if err != nil {
		return nil, err
	}
	if method, path, second := strings.Cut(call, " "); second {
		return w.V2Request(method, path, body)
	}
	return w.V1Request(call, body)
}

func (w walker) agrees(s step, answer gjson.Result) error {
	for _, row := range s.agree {
		path, want, _ := strings.Cut(row, " ")
		path, err := w.expand(path, inJSON)
		if err != nil {
			return err
		}
		if want, err = w.expand(want, inJSON); err != nil {
			return err
		}
		if look(answer, path).Raw != want {
			return fmt.Errorf("%s: %s does not agree with what was sent or served before", s.call, row)
		}
	}
	return nil
}

// renderings are other ways of writing a value.
var renderings = map[string]func(string) string{
	"number":  func(s string) string { return strings.TrimLeft(s, "0") },
	"six":     func(s string) string { return s[max(0, len(s)-6):] },
	"mask":    maskOf,
	"short":   story.ShortMask,
	"and":     withQuery(""),
	"failed":  withQuery("failed=1"),
	"finish":  withQuery("finish=1"),
	"compact": func(s string) string { return strings.ReplaceAll(s, "-", "") },
	"stamp":   func(s string) string { return strings.ReplaceAll(s, "-", "") + "000000" },
}

// withQuery appends to an address that may have a query already.
func withQuery(more string) func(string) string {
	return func(address string) string {
		if strings.Contains(address, "?") {
			return address + "&" + more
		}
		return address + "?" + more
	}
}

// maskOf is how versions 1 and 2 mask a card.
func maskOf(number string) string {
	if len(number) < 10 {
		return number
	}
	return number[:6] + strings.Repeat("*", len(number)-10) + number[len(number)-4:]
}

// expand puts values in the place of references. A reference to nothing is an error, and so
// is one to an empty value: no answer of a tour lacks what the next step needs.
func (w walker) expand(text string, escape func(string) string) (string, error) {
	var err error
	expanded := os.Expand(text, func(reference string) string {
		name, rendering, rendered := strings.Cut(reference, ":")
		value := w.values[name]
		write, known := renderings[rendering]
		switch {
		case value == "":
			err = fmt.Errorf("there is no value %q", name)
			return ""
		case rendered && !known:
			err = fmt.Errorf("there is no rendering %q", rendering)
			return ""
		case rendered:
			value = write(value)
		}
		return escape(value)
	})
	return expanded, err
}

// inJSON escapes a text for the inside of a JSON string, and no more than it must.
func inJSON(text string) string {
	var quoted bytes.Buffer
	encoder := json.NewEncoder(&quoted)
	encoder.SetEscapeHTML(false)
	if encoder.Encode(text) != nil {
		return "" // a string can always be encoded
	}
	line := strings.TrimSuffix(quoted.String(), "\n")
	return line[1 : len(line)-1]
}
