package tour

import (
	"context"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"strings"

	"github.com/tidwall/gjson"
)

// browser is a payer's browser as far as a payment needs one: it reads forms with their hidden
// fields and posts them, looks at hidden frames, and follows redirects as long as they stay
// inside. At an address that is not inside it stops: it has come to the shop.
type browser struct {
	client http.Client
	inside string // beginning of all addresses that it visits
	at     string // where it is
	page   page   // what it sees there; nothing at the shop
}

// newBrowser returns a browser that does not go beyond base.
func newBrowser(client *http.Client, base string) *browser {
	b := &browser{client: *client, inside: strings.TrimRight(base, "/") + "/"}
	b.client.CheckRedirect = func(*http.Request, []*http.Request) error {
		return http.ErrUseLastResponse
	}
	return b
}

// maxRedirects is how many redirects in a row a browser follows.
const maxRedirects = 10

// open goes to an address.
func (b *browser) open(ctx context.Context, address string) error {
	return b.walk(ctx, address, nil)
}

// post sends a form to an address, as a page of the shop makes it do.
func (b *browser) post(ctx context.Context, address string, fields url.Values) error {
	return b.walk(ctx, address, fields)
}

// press fills the form of the page in and presses a button, by its value; "" is the first
// button or a script that does without.
func (b *browser) press(ctx context.Context, button string, filled url.Values) error {
	form := b.page.Form
	if form == nil {
		return fmt.Errorf("the page has no form")
	}
	fields := url.Values{}
	for name, value := range form.Fields {
		fields.Set(name, value)
	}
	for name, values := range filled {
		if _, known := form.Fields[name]; !known {
			return fmt.Errorf("the form has no field %q", name)
		}
		fields[name] = values
	}
	if name, known := form.Buttons[button]; known {
		fields.Set(name, button)
	} else if button != "" {
		return fmt.Errorf("the form has no button %q", button)
	}
	action, err := b.resolve(form.Action)
	if err != nil {
		return err
	}
	return b.walk(ctx, action, fields)
}

// resolve makes a whole address of one that stands on the page.
func (b *browser) resolve(address string) (string, error) {
	here, err := url.Parse(b.at)
	if err != nil {
		return "", fmt.Errorf("where the browser is: no address")
	}
	there, err := here.Parse(address)
	if err != nil {
		return "", fmt.Errorf("where the page leads: no address")
	}
	return there.String(), nil
}

// walk requests an address, with a form unless there are no fields, and then follows redirects.
func (b *browser) walk(ctx context.Context, address string, fields url.Values) error {
	for range maxRedirects {
		b.at, b.page = address, page{}
		if !strings.HasPrefix(address, b.inside) {
			return nil
		}
		next, err := b.visit(ctx, fields)
		if err != nil || next == "" {
			return err
		}
		if address, err = b.resolve(next); err != nil {
			return err
		}
		fields = nil // what follows is got (a redirect with 303)
	}
	return fmt.Errorf("more than %d redirects", maxRedirects)
}

// visit loads the page where the browser is, or returns where it is redirected to.
func (b *browser) visit(ctx context.Context, fields url.Values) (string, error) {
	request, err := pageRequest(ctx, b.at, fields)
	if err != nil {
		return "", err
	}
	name := request.Method + " " + request.URL.Path
	resp, err := b.client.Do(request)
	if err != nil {
		return "", fmt.Errorf("%s: no answer", name)
	}
	defer resp.Body.Close()
	body, err := io.ReadAll(resp.Body)
	switch {
	case err != nil:
		return "", fmt.Errorf("%s: reading the answer: %w", name, err)
	case resp.StatusCode == http.StatusSeeOther || resp.StatusCode == http.StatusFound:
		return resp.Header.Get("Location"), nil
	case resp.StatusCode != http.StatusOK:
		return "", fmt.Errorf("%s: status %d: %s", name, resp.StatusCode,
			gjson.GetBytes(body, "message"))
	}
	if b.page, err = readPage(string(body)); err != nil {
		return "", fmt.Errorf("%s: reading the page: %w", name, err)
	}
	return "", b.frames(ctx)
}

func pageRequest(ctx context.Context, address string, fields url.Values) (*http.Request, error) {
	if fields == nil {
		return http.NewRequestWithContext(ctx, http.MethodGet, address, nil)
	}
	request, err := http.NewRequestWithContext(ctx, http.MethodPost, address,
		strings.NewReader(fields.Encode()))
	if err != nil {
		return nil, err
	}
	request.Header.Set("Content-Type", "application/x-www-form-urlencoded")
	return request, nil
}

// frames loads the frames of the page. A form in one of them goes by itself.
func (b *browser) frames(ctx context.Context) error {
	for _, source := range b.page.Frames {
		address, err := b.resolve(source)
		if err != nil {
			return err
		}
		frame := browser{client: b.client, inside: b.inside}
		if err := frame.open(ctx, address); err != nil {
			return err
		}
		if frame.page.Form != nil {
			if err := frame.press(ctx, "", nil); err != nil {
				return err
			}
		}
	}
	return nil
}

// view is what the browser shows as JSON: "at", and what is on the page.
func (b *browser) view() gjson.Result {
	shown := struct {
		At string `json:"at"`
		page
	}{b.at, b.page}
	return asJSON(shown)
}
