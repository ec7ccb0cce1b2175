package main
import ("testing";"time";"sync/atomic")
func TestDbg(t *testing.T) {
	o := tours[0]
	tape, _ := recorded(t, o)
	var n atomic.Int64
	start := later()
	d := replayed(t, tape, func() time.Time { return start.Add(time.Duration(n.Add(1)) * 700*time.Millisecond) })
	teller := tourist(own(d.url, 1), 1, later())
	_, err := o.tell(teller, t.Context())
	t.Log(err)
	for _, x := range tape.Exchanges { e := x.Exchange(); if e.Meta.Operation=="getTransactions" || e.Meta.Operation=="changeCardLimit" { t.Log(e.Meta.Number, e.Meta.At, string(e.Response.Body)) } }
}
