package traffic_test

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/paytape/paytape/match"
	"github.com/paytape/paytape/proxy"
	"github.com/paytape/paytape/proxy/hub"
	"github.com/paytape/paytape/proxy/inspect/traffic"
	"github.com/paytape/paytape/redact"
)

// TestHostileValues puts markup, control characters and very long texts everywhere. No text of a row
// is long, nothing costs more than it is long, and no card number comes out.
func TestHostileValues(t *testing.T) {
	t.Parallel()
	number := card("0000")[:15] + "2"
	clean := redact.New(redact.Options{})
	for _, evil := range []string{
		"<script>alert(1)</script>", "\x1b[2J\x00\r\n\u202e", strings.Repeat("A", 10<<20), strings.Repeat("A", 300), `"')(*:or -`,
		number, "\xff\xfe", strings.Repeat("( ", 3000), strings.Repeat("<a b='", 1<<12),
	} {
		r := newRun(t, traffic.Options{}, hub.Options{Bytes: 256 << 20})
		r.session = evil
		quoted, _ := json.Marshal(strings.ToValidUTF8(evil, "?"))
		rows := 3
		if r.said("register.do", "orderNumber="+evil, "{}"); len(evil) < 1<<20 { // cleaning takes its time
			rows = 6
			r.said("register.do", "orderNumber="+evil+"&amount="+evil+"&currency="+evil,
				fmt.Sprintf(`{"errorCode":%s,"errorMessage":%s,"orderId":%s}`, quoted, quoted, quoted))
			r.said("getOrderStatusExtended.do", "orderId="+evil,
				fmt.Sprintf(`{"orderStatus":6,"actionCode":%s,"orderNumber":%s}`, quoted, quoted))
			r.said(evil, evil, evil)
		}
		text := clean.Text(evil)
		r.hub.Publish(proxy.Event{
			Kind: proxy.Missed, Method: text, Target: text, Reason: match.BadField, Hint: text, Text: text,
			Fields: []redact.Safe{text, text, text}, Nearest: "x", Session: evil, State: text.Clip(1 << 10).String(),
		})
		r.callback(1, 1, evil[:min(len(evil), 1<<16)], proxy.OutcomeRefused, 500)
		r.read(t)
		w, err := r.Window(traffic.Query{N: 100, Grouped: true, All: true})
		if err != nil || len(rowsOf(w.Lines)) != rows {
			t.Fatalf("%.20q: %d rows, %v", evil, len(rowsOf(w.Lines)), err)
		}
		_, _ = r.Flow("g1")
		c, _ := r.Compare("g1", "g1")
		for _, key := range []string{"order:", "op:", "outcome:", "session:", "state:"} {
			r.Complete(key, len(key))
			r.Complete(key+evil, len(key)+len(evil)/2)
		}
		_, _ = r.Window(traffic.Query{N: 9, Filter: "body:zzz " + evil[:min(len(evil), 99)]})
		for _, shown := range []any{w, c} {
			checkShown(t, shown, number)
		}
		r.Close()
	}
}

// checkShown looks at every text of what people are shown.
func checkShown(t *testing.T, shown any, number string) {
	t.Helper()
	data, err := json.Marshal(shown)
	if err != nil {
		t.Fatal(err)
	}
	var all any
	if err := json.Unmarshal(data, &all); err != nil {
		t.Fatal(err)
	}
	var look func(v any)
	look = func(v any) {
		switch v := v.(type) {
		case map[string]any:
			for _, of := range v {
				look(of)
			}
		case []any:
			for _, of := range v {
				look(of)
			}
		case string:
			if len(v) > 1000 || !utf8.ValidString(v) || strings.Contains(v, number) {
				t.Errorf("%d bytes are shown: %.60q", len(v), v)
			}
		}
	}
	look(all)
}
