package deck

import (
	"context"
	"errors"
	"net/http"
	"net/url"
	"strings"
	"time"

	"github.com/paytape/paytape/internal/leaf"
	"github.com/paytape/paytape/internal/pan"
	"github.com/paytape/paytape/internal/profile"
	"github.com/paytape/paytape/proxy"
	"github.com/paytape/paytape/proxy/hub"
	"github.com/paytape/paytape/proxy/inspect"
	"github.com/paytape/paytape/redact/surrogate"
)

// resendTime is how long a request that was answered may take to be told of.
const resendTime = 5 * time.Second

// resend sends the request of an exchange to the door of the deck, as if its client had sent it once
// more, and returns the number of the event that tells of it. The request is the cleaned one: what
// stands for a card number becomes one that passes Luhn, as replay has it, and a secret that was taken
// out stays away.
func (d *Deck) resend(ctx context.Context, id uint64) (uint64, error) {
	e, ok := d.eventOf(id)
	clean, held := d.events.Exchange(id)
	switch x := clean.Exchange(); {
	case !ok || !held || x == nil:
		return 0, inspect.ErrGone
	case e.Kind == proxy.Callback:
		return 0, errors.New("a callback is sent again by its own number: see callbacks")
	case x.Meta.Withheld != "":
		return 0, errors.New("the body of the request was too large to be kept")
	}
	number := d.resent.Add(1)
	req, err := d.requestAgain(proxy.WithResend(ctx, number), clean.Exchange(), e.Session)
	if err != nil {
		return 0, err
	}
	before := d.events.LastID()
	d.askDoor(req)
	waited, stop := context.WithTimeout(ctx, resendTime)
	defer stop()
	for e := range d.events.Follow(waited, before) {
		if e.Resend == number {
			return e.ID, nil
		}
	}
	return 0, errors.New("the request was sent, and nothing has told of it yet")
}

// eventOf returns the event with a number; false if it is held no longer.
func (d *Deck) eventOf(id uint64) (hub.Event, bool) {
	if id == 0 || id > d.events.LastID() {
		return hub.Event{}, false
	}
	for e, lost := range d.events.Follow(context.Background(), id-1) {
		return e, lost == 0 && e.ID == id
	}
	return hub.Event{}, false
}

// requestAgain returns the request of an exchange as a client sends it to the deck.
func (d *Deck) requestAgain(ctx context.Context, x *leaf.Exchange, session string,
) (*http.Request, error) {
	target, err := targetAtDeck(x)
	if err != nil {
		return nil, errors.New("the address of the request cannot be read")
	}
	body := x.Request.Body
	for card, valid := range d.cards(x) {
		target, body = strings.ReplaceAll(target, card, valid), strings.ReplaceAll(body, card, valid)
	}
	if session != "" {
		target = "/~" + session + target
	}
	req, err := http.NewRequestWithContext(ctx, x.Method, d.URL+target, strings.NewReader(body))
	if err != nil {
		return nil, errors.New("the request line cannot be sent again")
	}
	req.RequestURI, req.RemoteAddr = req.URL.RequestURI(), d.listener.Addr().String()
	for name, values := range x.Request.Headers {
		switch http.CanonicalHeaderKey(name) {
		case "Host", "Connection", "Content-Length", "Transfer-Encoding", "Expect", "Upgrade":
		default:
			req.Header[name] = values
		}
	}
	return req, nil
}

// targetAtDeck returns the target under which the deck is asked for what an exchange has asked for.
func targetAtDeck(x *leaf.Exchange) (string, error) {
	u, err := url.Parse(x.URL)
	if err != nil {
		return "", err
	}
	target := u.RequestURI()
	if base, err := url.Parse(x.Meta.Base); err == nil {
		if rest, ok := strings.CutPrefix(target, strings.TrimSuffix(base.EscapedPath(), "/")); ok {
			target = "/" + strings.TrimPrefix(rest, "/")
		}
	}
	if x.Meta.Host != "" && !strings.HasPrefix(target, "/_host/") {
		target = "/_host/" + x.Meta.Host + target
	}
	return target, nil
}

// cards returns what stands for card numbers in the target and the body of a request, each with a
// number that passes Luhn and has the same mask, in the same groups. Both are as the message writes
// them: in a form, "+" stands between groups.
func (d *Deck) cards(x *leaf.Exchange) map[string]string {
	set := d.options.Knowledge.profiles
	m := leaf.Read(x.Asked())
	u, err := url.Parse(x.URL)
	if err != nil {
		return nil
	}
	call, cards := set.Find(x.Method, u.Path), map[string]string{}
	for i := range m.Leaves {
		l := &m.Leaves[i]
		f, _ := set.Field(call, profile.Request, profile.At{Key: l.Key, Name: l.Name, Shape: l.Shape})
		if f.Secret != profile.PAN || !surrogate.IsCard(l.Value) || l.Packed() != nil {
			continue
		}
		part := x.Request.Body
		switch l.Place {
		case leaf.Header:
			continue
		case leaf.Path, leaf.Query:
			part = x.URL
		}
		digits := pan.Digits(l.Value)
		if stands, _ := pan.StandsFor(digits); stands == pan.Surrogate {
			valid := pan.WithResidue(digits, len(digits)-pan.KeptLast-1, pan.Valid)
			from, to := m.Span(l, 0, len(l.Value))
			cards[part[from:to]] = l.Encode(pan.Regroup(valid, l.Value))
		}
	}
	return cards
}

// askDoor asks the door of the deck, and throws the answer away: its event has it. A door that gives
// no answer ends by a panic, as one of net/http does.
func (d *Deck) askDoor(req *http.Request) {
	defer func() {
		if cause := recover(); cause != nil && cause != http.ErrAbortHandler {
			panic(cause)
		}
	}()
	d.door.ServeHTTP(&unread{header: http.Header{}}, req)
}

// unread is an answer that nobody reads.
type unread struct{ header http.Header }

func (u *unread) Header() http.Header         { return u.header }
func (u *unread) WriteHeader(int)             {}
func (u *unread) Write(p []byte) (int, error) { return len(p), nil }
func (u *unread) Flush()                      {}
