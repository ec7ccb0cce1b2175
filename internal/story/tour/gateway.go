package tour

import (
	"context"
	"fmt"
	"net/http"
	"net/url"
	"strings"

	"github.com/paytape/paytape/internal/story"
	"github.com/tidwall/gjson"
)

// Gateway calls every operation of the gateway (document 3, Endpoints) and its neighbours
// (domain facts, Operations), and walks every page that a payer may see: all that the other
// stories of the gateway tell.
func Gateway(t *story.Teller, ctx context.Context) ([]story.Value, error) {
	return t.Run(ctx, "gateway tour", func() error {
		for _, part := range []struct {
			name string
			tell func() error
		}{
			{"order's life", walk(t, ctx, gwOrders)},
			{"3-D Secure", walk(t, ctx, gwSecure)},
			{"payment page", walk(t, ctx, gwPage)},
			{"binding's life", walk(t, ctx, gwBindings)},
			{"transfers", walk(t, ctx, gwTransfers)},
			{"seToken", func() error { return sealed(t) }},
		} {
			if err := part.tell(); err != nil {
				return fmt.Errorf("%s: %w", part.name, err)
			}
		}
		return nil
	})
}

// gatewayRequest makes a call of the gateway: a form or, if send is one, a JSON document, with
// the credentials in it under the name that the call has for them (document 3,
// Authentication, 1).
func (w walker) gatewayRequest(call, send string) (*http.Request, error) {
	user := "userName"
	if strings.Contains(call, "/p2p/") {
		user = "username"
	}
	body, contentType, err := "", "application/json", error(nil)
	if strings.HasPrefix(send, "{") {
		if body, err = w.expand(send, inJSON); err == nil {
			body, err = story.Set(body, user, story.GatewayUser, "password", story.GatewayPassword)
		}
	} else {
		contentType = "application/x-www-form-urlencoded"
		body, err = w.expand(send, url.QueryEscape)
		body = user + "=" + story.GatewayUser + "&password=" + story.GatewayPassword + "&" + body
	}
	if err != nil {
		return nil, err
	}
	r, err := w.Request(http.MethodPost, "/payment/"+call, body)
	if err != nil {
		return nil, err
	}
	r.Header.Set("Content-Type", contentType)
	return r, nil
}

// browses are the verbs of steps that a browser takes.
var browses = []string{"open", "post", "press"}

// browse takes a step of the payer's and returns what the browser then shows.
func (w walker) browse(s step, what string) (gjson.Result, error) {
	what, err := w.expand(what, asIs)
	if err != nil {
		return gjson.Result{}, err
	}
	send, err := w.expand(s.send, url.QueryEscape)
	if err != nil {
		return gjson.Result{}, err
	}
	fields, err := url.ParseQuery(send)
	if err != nil {
		return gjson.Result{}, fmt.Errorf("%s: what is sent is no form", s.call)
	}
	switch {
	case strings.HasPrefix(s.call, "open "):
		err = w.browser.open(w.ctx, what)
	case strings.HasPrefix(s.call, "post "):
		err = w.browser.post(w.ctx, what, fields)
	default:
		err = w.browser.press(w.ctx, what, fields)
	}
	if err != nil {
		return gjson.Result{}, fmt.Errorf("%s: %w", s.call, err)
	}
	return w.browser.view(), nil
}

func asIs(text string) string { return text }
