package web_test

import (
	"net/http"
	"strconv"
	"strings"
	"time"

	"github.com/paytape/paytape/internal/leaf"
	"github.com/paytape/paytape/match/rules"
	"github.com/paytape/paytape/proxy/callback"
	"github.com/paytape/paytape/proxy/inspect/view"
	"github.com/paytape/paytape/redact"
)

// checkoutRun is what a deck would tell of a run: a payment with 3-D Secure, one that was declined, a
// refund that was missed, a rule that has fired and callbacks in all their ends.
type checkoutRun struct {
	start time.Time
	// hostile stands in for a text of the traffic, wherever one is shown. Empty: the texts of the
	// run.
	hostile string
}

// newCheckoutRun returns the run as it is.
func newCheckoutRun() *checkoutRun {
	return &checkoutRun{start: time.Date(2026, 11, 22, 11, 25, 21, 0, time.UTC)}
}

// safe returns a text as if it had been cleaned. A test may say so: its texts hold no secret.
func (c *checkoutRun) safe(text string) redact.Safe {
	if c.hostile != "" && text != "" {
		text = c.hostile
	}
	clean := redact.New(redact.Options{}).Clean(&leaf.Exchange{})
	return clean.Derive(func(*leaf.Exchange) string { return text })
}

func (c *checkoutRun) outcome(words string, tone view.Tone, codes string) view.Outcome {
	return view.Outcome{Words: c.safe(words), Tone: tone, Codes: c.safe(codes)}
}

func (c *checkoutRun) at(after time.Duration) time.Time { return c.start.Add(after) }

// status is view.Status of the run.
func (c *checkoutRun) status() view.Status {
	return view.Status{
		Mode: "replay", Cassettes: []string{"checkout", "cards"}, Exchanges: 42, Since: c.start,
		Requests: 72, Hits: 67, Misses: 3, Marked: 6, Ruled: 2, Rules: 3, Armed: 2, Keep: 1000,
		Reasons:   map[string]int64{"field": 1, "unknown-id": 1, "no-operation": 1},
		Callbacks: view.CallbackCounts{Accepted: 3, Refused: 1, Held: 1}, CanResend: true,
		CallbackMode: "hold",
	}
}

func (c *checkoutRun) who() view.Who {
	return view.Who{
		Kind: "order", Label: c.safe("B-1045"), Card: c.safe("500000******1115"),
		ID: c.safe("3f6c91d2-5b0e-7c14-a2d7-90e100c4a1e5"),
	}
}

// row is an exchange that was answered from the tape.
func (c *checkoutRun) row(id uint64, after time.Duration, from, to view.Actor, op string,
	o view.Outcome, number int,
) view.Row {
	return view.Row{
		ID: id, At: c.at(after), Sign: view.SignHit, Kind: "hit", Group: "g12", Profile: "gateway",
		Operation: op, Method: http.MethodPost, Who: c.who(), Code: 200, Outcome: o,
		Cassette: "checkout", Number: number, Served: "tape", Took: 210 * time.Microsecond,
		From: from, To: to, Read: true,
	}
}

// try is an attempt of a callback.
func (c *checkoutRun) try(id uint64, after time.Duration, attempt, code int, o view.Outcome) view.Row {
	r := c.row(id, after, view.ActorDeck, view.ActorShop, "deposited", o, 0)
	r.Sign, r.Kind, r.Code, r.Cassette, r.Served = view.SignCallback, "callback", code, "", ""
	r.Callback, r.Attempt, r.Attempts = 1, attempt, 3
	return r
}

func (c *checkoutRun) group(id, label string, o view.Outcome) view.Group {
	w := c.who()
	w.Label = c.safe(label)
	return view.Group{
		ID: id, Who: w, At: c.start, Took: 9600 * time.Millisecond, Outcome: o,
		Amount: &view.Amount{Text: c.safe("49.00 EUR"), Minor: 4900, Currency: "EUR"},
		Rows:   13, Hits: 11, Steps: []view.Sign{view.SignHit, view.SignCallback},
	}
}

func (c *checkoutRun) paid() view.Outcome {
	return c.outcome("paid after 3-D Secure", view.Good, "2/0")
}

func (c *checkoutRun) declined() view.Outcome {
	return c.outcome("declined: refused by the issuer", view.Bad, "6/120")
}

// flow is a payment with 3-D Secure.
func (c *checkoutRun) flow() view.Flow {
	const (
		client, deck  = view.ActorClient, view.ActorDeck
		browser, acs  = view.ActorBrowser, view.ActorACS
		status, order = "getOrderStatusExtended.do", "paymentorder.do"
	)
	ms := func(n int) time.Duration { return time.Duration(n) * time.Millisecond }
	plain := func(words string) view.Outcome { return c.outcome(words, view.Plain, "") }
	waits := c.outcome("at the ACS", view.Waits, "5")
	return view.Flow{
		Group: c.group("g12", "B-1045", c.paid()),
		Rows: []view.Row{
			c.row(27, 0, client, deck, "register.do", plain("registered"), 9),
			c.row(28, ms(50), client, deck, order, plain("3-D Secure asked"), 10),
			c.row(29, ms(90), browser, deck, "threeDSMethod", plain("page"), 11),
			c.row(30, ms(140), client, deck, order, plain("challenge at the ACS"), 12),
			c.row(31, ms(180), client, deck, status, waits, 13),
			c.row(32, ms(700), client, deck, status, waits, 13),
			c.row(33, ms(900), browser, acs, "challenge", plain("page"), 14),
			c.row(34, ms(5100), browser, acs, "answer", plain("authenticated Y"), 15),
			c.row(35, ms(5200), browser, deck, "notification", plain("back to shop"), 16),
			c.row(36, ms(5300), client, deck, "finish3dsVer2Payment.do", plain("back to shop"), 17),
			c.try(101, ms(5400), 1, 500, c.outcome("refused: order not found yet", view.Bad, "")),
			c.try(102, ms(7400), 2, 200, c.outcome("accepted", view.Good, "")),
			c.row(37, ms(7420), client, deck, status, c.paid(), 18),
		},
		States: []view.Stage{
			{Words: c.safe("registered"), Code: c.safe("0"), ID: 27},
			{Words: c.safe("at the ACS"), Code: c.safe("5"), Tone: view.Waits, After: ms(180), ID: 31},
			{Words: c.safe("paid"), Code: c.safe("2"), Tone: view.Good, After: ms(7420), ID: 37},
		},
		Actors: []view.Actor{client, deck, view.ActorTape, browser, acs, view.ActorShop},
	}
}

// comparison compares the payment with one that was declined.
func (c *checkoutRun) comparison() view.Comparison {
	step := func(op string, a, b uint64) view.Pair { return view.Pair{Operation: op, A: a, B: b} }
	card := step("paymentorder.do", 28, 68)
	card.Sent = []view.Delta{{Path: "$PAN", A: c.safe("500000******1115"), B: c.safe("400000******1629")}}
	last := step("getOrderStatusExtended.do", 37, 77)
	last.OutcomeA, last.OutcomeB = c.paid(), c.declined()
	last.Answered = []view.Delta{{Path: "orderStatus", A: c.safe("2"), B: c.safe("6")}}
	return view.Comparison{
		A: c.group("g12", "B-1045", c.paid()), B: c.group("g17", "B-1050", c.declined()),
		Sentence: "The client first sent something else in step 2: the card. " +
			"The first answer that differs is in step 5.",
		Steps: []view.Pair{step("register.do", 27, 67), card, step("threeDSMethod", 29, 69),
			step("getOrderStatusExtended.do", 31, 0), last},
		FirstSent: 1, FirstAnswered: 4, Folded: 5,
	}
}

func (c *checkoutRun) window() view.Window {
	a, b := c.group("g12", "B-1045", c.paid()), c.group("g17", "B-1050", c.declined())
	return view.Window{Total: 2, Last: 102, Lines: []view.Line{
		{Index: 0, Level: 1, Group: &b, Folded: true}, {Index: 1, Level: 1, Group: &a, Folded: true},
	}, Counts: view.Counts{All: 13, Groups: 2, Declined: 1}}
}

// field is a field with a value live and on tape.
func (c *checkoutRun) field(path, live, tape string, kind view.ValueKind) view.Field {
	return view.Field{
		Place: "json", Path: path, Depth: strings.Count(path, "."), Live: c.safe(live), HasLive: true,
		Tape: c.safe(tape), HasTape: true, Kind: kind,
	}
}

// exchange is the last question of the payment.
func (c *checkoutRun) exchange() view.Exchange {
	x := view.Exchange{Row: c.flow().Rows[12]}
	const here, there = "3f6c91d2-5b0e-7c14-a2d7-90e100c4a1e5", "06332797-09e0-7426-b4f5-bb2400c4a1e5"
	same := func(path, text, kind string) view.Field {
		f := c.field(path, text, text, view.Constant)
		f.Type = kind
		return f
	}
	human := func(f view.Field, words string) view.Field {
		f.Human = c.safe(words)
		return f
	}
	x.RequestFields = []view.Field{
		c.field("orderId", here, there, view.Fresh),
		c.field("password", "REDACTED-token-1", "REDACTED-token-1", view.Redacted),
		c.field("userName", "sandbox-api", "sandbox-api", view.Echo),
	}
	x.ResponseFields = []view.Field{
		same("errorCode", "0", "string"),
		same("errorMessage", "Успешно", "string"),
		c.field("orderNumber", "B-1045", "A-1043", view.Echo),
		human(same("orderStatus", "2", "number"), "paid"),
		human(same("amount", "4900", "number"), "49.00 EUR"),
		human(c.field("date", "1795346721412", "1795173954869", view.Moved), "22 Nov 11:25:21"),
		c.field("attributes.mdOrder", here, there, view.Fresh),
		c.field("cardAuthInfo.maskedPan", "500000**1115", "500000**1115", view.Mask),
		c.field("cardAuthInfo.approvalCode", "804417", "517892", view.Fresh),
		c.field("cardAuthInfo.cardholderName", "TAPERA TEST", "TAPERA TEST", view.Redacted),
		same("cardAuthInfo.secureAuthInfo.eci", "2", "number"),
		c.field("authRefNum", "638057949103", "512206256522", view.Fresh),
		same("terminalId", "10000001", "string"),
		same("chargeback", "false", "bool"),
	}
	header := []view.HeaderField{
		{Name: c.safe("Content-Type"), Value: c.safe("application/json")},
		{Name: c.safe("Paytape-Served"), Value: c.safe("checkout#18")},
	}
	x.Request = view.Message{
		Line: c.safe("POST /payment/rest/getOrderStatusExtended.do"), Header: header, Media: "form",
		Body: c.safe("orderId=" + here + "&userName=sandbox-api"), Size: 61,
	}
	x.Response = view.Message{
		Line: c.safe("200 OK"), Header: header, Media: "JSON", Size: 1069,
		Body:   c.safe(`{"errorCode":"0","orderStatus":2}`),
		Pretty: c.safe("{\n  \"errorCode\": \"0\",\n  \"orderStatus\": 2\n}"),
	}
	request, response := x.Request, x.Response
	x.RecordedRequest, x.RecordedResponse = &request, &response
	x.Before, x.After = "registered, at the ACS, paid", "registered, at the ACS, paid"
	x.Timing = view.Timing{Took: 210 * time.Microsecond, OnTape: 960 * time.Microsecond}
	x.Curl, x.Rule = c.safe("curl 'http://127.0.0.1:8080/'"), c.safe("- name: this-status")
	return x
}

// value is the id of the order.
func (c *checkoutRun) value() view.Value {
	use := func(id uint64, side, path, how string) view.Use {
		return view.Use{ID: id, What: "register.do", Side: side, Path: path, How: how}
	}
	born := use(27, "answer", "orderId", "")
	return view.Value{
		Text: c.safe("3f6c91d2-5b0e-7c14-a2d7-90e100c4a1e5"),
		Tape: c.safe("06332797-09e0-7426-b4f5-bb2400c4a1e5"), Kind: view.Fresh, Noun: "order id",
		Row:  "mdOrder: minted order, gateway.yaml:138",
		Says: "minted for this order, in the shape of the recorded one", Born: &born,
		Used: []view.Use{
			use(28, "request", "MDORDER", ""), use(30, "request", "MDORDER", ""),
			use(37, "request", "orderId", ""), use(36, "answer", "redirect", "inside a longer text"),
		},
	}
}

// miss is a refund that the tape does not have.
func (c *checkoutRun) miss() view.Why {
	row := c.row(52, 56*time.Second, view.ActorClient, view.ActorDeck, "refund.do", view.Outcome{}, 0)
	row.Sign, row.Kind, row.Code, row.Served, row.Cassette = view.SignMiss, "missed", 501, "nothing", ""
	row.Reason, row.Fields, row.Nearest = "field", []redact.Safe{c.safe("amount")}, "checkout#4"
	return view.Why{
		Row: row, Title: c.safe("miss: field amount"),
		Sentence: c.safe("The client asked to refund 50.00 EUR. The tape has a refund of an order in " +
			"this state, but of 25.00 EUR, and amount must be equal."),
		Rungs: []view.Rung{
			{Name: "operation", Verdict: view.Yes,
				Text: c.safe("refund.do is known (gateway.yaml:744), it writes")},
			{Name: "order", Verdict: view.Yes, Text: c.safe("c8b1f7aa..00c4a1e5 was minted in #48")},
			{Name: "state", Verdict: view.Yes,
				Text: c.safe("registered, paid with 400000******1118: 1 recording")},
			{Name: "fields", Verdict: view.No,
				Text: c.safe("amount differs: sent 5000, on tape 2500; exact (gateway.yaml:753)")},
			{Name: "likeness", Verdict: view.NotTried, Text: c.safe("not tried")},
			{Name: "rules", Verdict: view.NotTried, Text: c.safe("none armed for refund.do")},
		},
		Compared: []view.Compared{
			{Place: "form", Path: "amount", Sent: c.safe("5000"), Role: "must be equal",
				Row: "exact (gateway.yaml:753)", Differs: true},
			{Place: "form", Path: "orderId", Sent: c.safe("c8b1f7aa-2d90-7e6b-9c35-41d200c4a1e5"),
				Role: "names the order"},
			{Place: "form", Path: "password", Sent: c.safe("REDACTED-token-1"), Role: "not checked"},
		},
		Candidates: []view.Candidate{
			{Exchange: "checkout#4", State: "registered, paid", Equal: true, Answers: "200, errorCode 0",
				Differs: []view.Differ{{Path: c.safe("amount"), Problem: "differs", Tape: c.safe("2500"),
					Sent: c.safe("5000")}}},
			{Exchange: "checkout#24", State: "registered, paid, refunded in part",
				Answers: "200, errorCode 0", Differs: []view.Differ{{Path: c.safe("amount"),
					Problem: "differs", Tape: c.safe("0"), Sent: c.safe("5000")}}},
		},
		Mends: []view.Mend{
			{Text: c.safe("Change the client: send amount=2500."), Kind: "client"},
			{Text: c.safe("Record this call in addition to what is on tape."), Kind: "command",
				Code: c.safe("paytape record --upstream https://pay.example checkout")},
			{Text: c.safe("Let answers follow the client."), Kind: "rules",
				Code: c.safe("# paytape rules 1\nrewrite:\n  refund.do:\n    request:\n" +
					"      amount: client shared\n")},
		},
		Before: "registered, paid", After: "registered, paid", Same: 1,
	}
}

// hit is a payment that was answered by likeness.
func (c *checkoutRun) hit() view.Why {
	row := c.row(42, 37*time.Second, view.ActorClient, view.ActorDeck, "paymentorder.do",
		c.outcome("back to shop", view.Plain, ""), 2)
	row.Sign, row.Mark, row.MarkWords = view.SignMarked, "assumed", "assumed: card"
	return view.Why{
		Row: row, Title: c.safe("assumed: card"), Sentence: c.safe("Served from checkout#2. The card " +
			"424242******4242 is not on the tape, so the answer is assumed."),
		Rungs: []view.Rung{{Name: "operation", Verdict: view.Yes, Text: c.safe("is known")},
			{Name: "likeness", Verdict: view.Yes, Text: c.safe("taken: the first")}},
		Candidates: []view.Candidate{{Exchange: "checkout#2", State: "registered", Equal: true,
			Served: true, Answers: "200, redirect"}},
		Before: "registered", After: "registered, paid",
	}
}

// machine is the tape of the run.
func (c *checkoutRun) machine() view.Machine {
	node := func(id, name, code string, tone view.Tone, column, row, asked int) view.Node {
		return view.Node{
			ID: id, Kind: "gateway order", Name: name, Code: code, Tone: tone, Column: column, Row: row,
			Number: int(id[3] - '0'),
			Words:  "register.do, " + name, Asked: asked, LiveCount: asked / 2,
			Recordings: []view.Recording{{Number: 3, Operation: "getOrderStatusExtended.do",
				Answer: name + " " + code, Asked: asked}, {Number: 23, Operation: "getBindings.do"}},
		}
	}
	edge := func(from, to, label string, asked int, recordings ...int) view.Edge {
		operation, _, _ := strings.Cut(label, ",")
		return view.Edge{From: from, To: to, Operation: operation, Label: label, Asked: asked,
			Silent: operation == "", Recordings: recordings}
	}
	m := view.Machine{
		Cassette: "checkout", Exchanges: 42, Callbacks: 6, At: c.start, From: "https://pay.example",
		Sealed: true, Kinds: []string{"gateway order", "gateway binding"}, Asked: 27,
		Nodes: []view.Node{
			node("k1s1", "registered", "0", view.Plain, 0, 1, 6),
			node("k1s2", "paid", "2", view.Good, 1, 0, 11),
			node("k1s3", "at the ACS", "5", view.Waits, 1, 1, 6),
			node("k1s4", "declined", "6", view.Bad, 1, 2, 3),
			node("k1s5", "refunded in part", "4", view.Plain, 2, 0, 3),
			node("k1s6", "reversed", "3", view.Plain, 2, 1, 0),
			node("k1s7", "timed out", "6", view.Bad, 2, 2, 0),
			{ID: "k2s1", Kind: "gateway binding", Name: "created", Words: "paymentorder.do"},
		},
		Edges: []view.Edge{
			edge("", "k1s1", "register.do", 8, 1, 6, 9),
			edge("k1s1", "k1s2", "paymentorder.do, card 400000******1118", 3, 2),
			edge("k1s1", "k1s2", "paymentorder.do, card 411111******1111", 0, 20),
			edge("k1s1", "k1s3", "paymentorder.do, card 500000******1115", 3, 10),
			edge("k1s1", "k1s4", "paymentorder.do, card 400000******9995", 1, 7),
			edge("k1s3", "k1s2", "finish3dsVer2Payment.do", 1, 17),
			edge("k1s2", "k1s5", "refund.do, amount 2500", 1, 4),
			edge("k1s2", "k1s6", "reverse.do", 0, 25),
			edge("k1s3", "k1s7", "", 0, 33),
		},
		Unused:  []view.Unused{{Number: 25, Operation: "reverse.do"}, {Number: 26, Operation: "reverse.do"}},
		Mermaid: "stateDiagram-v2\n",
	}
	m.Nodes[1].Live = []view.Who{c.who()}
	return m
}

func (c *checkoutRun) rules() view.Rules {
	rule := func(name, does string, armed bool, matched, fired int64) view.Rule {
		return view.Rule{Armed: armed, Source: c.safe("- name: " + name + "\n  op: getOrderStatus*\n"),
			Status: rules.Status{Name: name, Origin: rules.FromFile, File: "rules.yaml", Line: 21,
				Does: does, Matched: matched, Fired: fired}}
	}
	flaky := rule("status-flaky", "getOrderStatus*: 503 after 300 ms", true, 3, 2)
	flaky.Last = c.at(time.Minute)
	held := rule("held-not-paid", "status 2 becomes 1, held", true, 4, 0)
	held.Failed = "amount >= 50000"
	return view.Rules{
		Rules:  []view.Rule{flaky, held, rule("want-challenge", "take the branch with acsUrl", false, 0, 0)},
		Broken: c.safe("rules.yaml:14:9: paymentoder.do is no operation of gateway"),
	}
}

// callbackList is what the API tells of callbacks: the list and the mode.
type callbackList struct {
	callback.List
	Mode string `json:"mode"`
}

func (c *checkoutRun) callbacks() callbackList {
	entry := func(number int, state callback.State, codes ...int) callback.Entry {
		e := callback.Entry{
			Number: number, At: c.at(time.Duration(number) * time.Second), Cassette: "checkout",
			OnTape: 5, Operation: "deposited", State: state, To: c.safe("http://127.0.0.1:3000"),
			Names: []callback.Named{
				{Name: "mdOrder", Value: c.safe("77aa04e1-60fd-72c8-8b14-3ee500c4a1e5")},
				{Name: "orderNumber", Value: c.safe("B-1047")},
			},
		}
		for i, code := range codes {
			e.Attempts = append(e.Attempts, callback.Tried{
				At: e.At.Add(time.Duration(i) * time.Second), Code: code, Took: 14 * time.Millisecond})
		}
		return e
	}
	refused := entry(3, callback.Refused, 500, 500, 500)
	refused.Answer, refused.Expected, refused.Differs = c.safe(`"refund unknown"`), 200, true
	return callbackList{Mode: "hold", List: callback.List{
		Counts: callback.Counts{Events: 3, Held: 1, Accepted: 1, Refused: 1},
		Callbacks: []callback.Entry{entry(1, callback.Accepted, 500, 200), refused,
			entry(5, callback.Held)},
	}}
}

// answers are the answers of the API, by path.
func (c *checkoutRun) answers() map[string]any {
	miss := c.exchange()
	miss.Row = c.miss().Row
	miss.Response.Line = c.safe("501 Not Implemented")
	x := c.exchange()
	answers := map[string]any{
		"status": c.status(), "exchanges": c.window(), "flows/g12": c.flow(),
		"compare": c.comparison(), "exchanges/52": miss, "values": c.value(),
		"why/52": c.miss(), "why/last-miss": c.miss(), "why/42": c.hit(),
		"tapes": []string{"checkout", "cards"}, "tapes/checkout/machine": c.machine(),
		"rows":  map[string]any{"rows": c.flow().Rows[:1], "lost": 0},
		"rules": c.rules(), "callbacks": c.callbacks(), "exchanges/37.har": map[string]any{},
	}
	for _, row := range c.flow().Rows {
		x.Row = row
		answers["exchanges/"+strconv.FormatUint(row.ID, 10)] = x
	}
	return answers
}
