package story

import (
	"cmp"
	"context"
	"crypto/hmac"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"maps"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"sync"
)

// Shop is the server of a shop that the gateway calls back (document 3, Events; domain facts,
// Callbacks). Like the client of a story it believes only what it can check: a callback whose
// checksum is wrong is refused with 403. It is safe for concurrent use.
type Shop struct {
	// URL is where it is served; whoever serves it sets URL.
	URL string
	// Key is the shop's key for checksums. Empty: callbacks are not checked.
	Key string

	mu   sync.Mutex // guards all below
	took []url.Values
	more chan struct{} // closed when the next callback comes; nil while nobody waits
}

// ServeHTTP takes a callback, by GET with a query or by POST with a form.
func (s *Shop) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	if err := r.ParseForm(); err != nil {
		http.Error(w, "no form", http.StatusBadRequest)
		return
	}
	if s.Key != "" && !hmac.Equal([]byte(r.Form.Get("checksum")), []byte(checksum(s.Key, r.Form))) {
		http.Error(w, "the checksum is wrong", http.StatusForbidden)
		return
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	s.took = append(s.took, r.Form)
	if s.more != nil {
		close(s.more)
		s.more = nil
	}
}

// Await waits until the shop has been told an operation of an order, and returns the callback.
func (s *Shop) Await(ctx context.Context, orderID, operation string) (url.Values, error) {
	for {
		found, more := s.find(orderID, operation)
		if found != nil {
			return found, nil
		}
		select {
		case <-more:
		case <-ctx.Done():
			return nil, fmt.Errorf("the shop was not told %q: %w", operation, ctx.Err())
		}
	}
}

// find returns a callback that has come; nil, and a channel that is closed when another comes.
func (s *Shop) find(orderID, operation string) (url.Values, <-chan struct{}) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, v := range s.took {
		if v.Get("mdOrder") == orderID && v.Get("operation") == operation {
			return v, nil
		}
	}
	if s.more == nil {
		s.more = make(chan struct{})
	}
	return nil, s.more
}

// checksum is what the gateway signs a callback with.
func checksum(key string, form url.Values) string {
	mac := hmac.New(sha256.New, []byte(key))
	for _, name := range slices.Sorted(maps.Keys(form)) {
		if name != "checksum" && name != "sign_alias" {
			mac.Write([]byte(name + ";" + form.Get(name) + ";"))
		}
	}
	return strings.ToUpper(hex.EncodeToString(mac.Sum(nil)))
}

// told waits for the callback that an order was paid, and checks its echoes.
func (t *Teller) told(orderID string) error {
	if t.Callbacks == nil {
		return nil
	}
	v, err := t.Callbacks.Await(t.ctx, orderID, "deposited")
	if err != nil {
		return err
	}
	said := v.Get("operation")
	if t.Callbacks.Key != "" {
		said += ", with a good checksum" // or the shop would have refused it
	}
	t.Plain("callback", said)
	return firstError(
		Agree("status in the callback", v.Get("status"), "1"),
		Agree("orderNumber in the callback", v.Get("orderNumber"), t.OrderNumber),
		Agree("amount in the callback", cmp.Or(v.Get("amount"), "12500"), "12500"),
		Agree("clientId in the callback", cmp.Or(v.Get("clientId"), t.ClientID), t.ClientID))
}
