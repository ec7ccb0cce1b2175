package cassettes_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/paytape/paytape/cassettes"
	"github.com/paytape/paytape/internal/raced"
	"github.com/paytape/paytape/redact"
)

// The size of a long recording.
const benchExchanges = 10_000

// benchmarkExchange is of the size of a getOrderStatusExtended.do: an answer of 1 kB.
func benchmarkExchange(b testing.TB, number int) redact.Clean {
	x := sample(number)
	var body strings.Builder
	fmt.Fprintf(&body, `{"orderNumber":"n%d","attributes":[`, number)
	for i := range 16 {
		fmt.Fprintf(&body, `{"name":"attribute%d","value":"%032d"},`, i, i)
	}
	body.WriteString(`{"name":"mdOrder","value":"70906e55-7114-41d6-8332-4609dc6590f4"}]}`)
	x.Response.Body = body.String()
	return cleaned(b, x)
}

// longTape records a tape of benchExchanges.
func longTape(b *testing.B, l *cassettes.Library) *cassettes.Recorder {
	c := record(b, l, "a")
	for range benchExchanges {
		if err := c.Append(benchmarkExchange(b, c.Next())); err != nil {
			b.Fatal(err)
		}
	}
	return c
}

func BenchmarkAppend(b *testing.B) {
	l, _ := library(b)
	c := record(b, l, "a")
	x := benchmarkExchange(b, c.Next())
	b.ReportAllocs()
	for b.Loop() {
		if err := c.Append(x); err != nil {
			b.Fatal(err)
		}
	}
}

// TestAppendReusesItsRoom counts allocations: the text of an entry and its frame, some kilobytes
// for each exchange, lie where those of an entry before lay.
func TestAppendReusesItsRoom(t *testing.T) {
	if raced.Enabled {
		t.Skip("the race detector has pools drop what is put there")
	}
	l, _ := library(t)
	c := record(t, l, "a")
	x := benchmarkExchange(t, c.Next())
	got := testing.AllocsPerRun(200, func() {
		if err := c.Append(x); err != nil {
			t.Error(err)
		}
	})
	if got > 7 {
		t.Errorf("%.0f allocations for an entry", got)
	}
}

// BenchmarkSave folds a journal of 10,000 exchanges.
func BenchmarkSave(b *testing.B) {
	b.ReportAllocs()
	for b.Loop() {
		b.StopTimer()
		l, _ := library(b)
		c := longTape(b, l)
		b.StartTimer()
		finish(b, c)
	}
}

// BenchmarkLoad loads a tape of 10,000 exchanges.
func BenchmarkLoad(b *testing.B) {
	l, dir := library(b)
	finish(b, longTape(b, l))
	b.SetBytes(int64(len(readFile(b, dir, "a.yaml"))))
	b.ReportAllocs()
	for b.Loop() {
		load(b, l, "a")
	}
}
