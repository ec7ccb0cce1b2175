package redact_test

import (
	"net/http"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/paytape/paytape/internal/leaf"
)

// calledBack returns a callback of the gateway with a query, as a deck has relayed it.
func calledBack(query string) *leaf.Exchange {
	x := exchange("GET", leaf.CallbackOrigin+"/?"+query, http.Header{}, "")
	x.Meta.Profile = "gateway"
	x.Meta.Callback = &leaf.Callback{
		Of: 2, Operation: "deposited", Gap: 3 * time.Millisecond, Attempt: 1, Via: leaf.ViaRelay,
		Checksum: leaf.ChecksumGood,
	}
	return x
}

func TestCleanCallback(t *testing.T) {
	const sum = "EAF2FB72CAB99FD5067F4BA493DD84F4D79C1589FDE8ED29622F0F07215AA972"
	const order = "06cf5599-3f17-7c86-bdbc-bd7d00a8b38b"
	for _, test := range []struct{ name, query, want string }{
		{"a checksum is a token", "mdOrder=" + order + "&operation=deposited&status=1&checksum=" + sum,
			"mdOrder=" + order + "&operation=deposited&status=1&checksum=REDACTED-token-1"},
		{"a mask stays", "maskedPan=411111**1111&amount=1.00", "maskedPan=411111**1111&amount=1.00"},
		{"a whole number in a field for masks", "maskedPan=" + visa, "maskedPan=4111110000121111"},
		{"a whole number in any field", "note=paid+by+" + visa, "note=paid+by+4111110000121111"},
		{"personal data by the rows of the API", "email=ivan%40shop.ru", "email=taper1%40example.com"},
	} {
		x := calledBack(test.query)
		r := redactor(t)
		clean := r.Clean(x)
		got := clean.Exchange()
		if diff := cmp.Diff(leaf.CallbackOrigin+"/?"+test.want, got.URL); diff != "" {
			t.Errorf("%s (-want +got):\n%s", test.name, diff)
		}
		if got.Meta.Profile != "gateway" || got.Meta.Operation != "callback" || !got.Replayable() {
			t.Errorf("%s: recognised as %s %s, withheld %q", test.name, got.Meta.Profile,
				got.Meta.Operation, got.Meta.Withheld)
		}
		if diff := cmp.Diff(x.Meta.Callback, got.Meta.Callback); diff != "" {
			t.Errorf("%s: the mark (-want +got):\n%s", test.name, diff)
		}
		wantSame(t, "cleaned again", got, redactor(t).Reclean(got).Exchange())
	}
}

// TestCleanCallbackMark wants nothing secret in what is told of a callback: the sandbox has chosen
// the words.
func TestCleanCallbackMark(t *testing.T) {
	x := calledBack("operation=" + visa)
	x.Meta.Callback.Operation, x.Meta.Relayed = visa, "callback-"+visa
	got := redactor(t).Clean(x).Exchange()
	wantNone(t, got.Meta.Callback.Operation+got.Meta.Relayed+got.URL, visa)
	if x.Meta.Callback.Operation != visa {
		t.Error("the exchange itself was changed")
	}
}
