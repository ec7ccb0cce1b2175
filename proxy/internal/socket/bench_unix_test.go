//go:build unix

package socket_test

import (
	"crypto/sha256"
	"io"
	"net"
	"sync"
	"syscall"
	"testing"

	"github.com/paytape/paytape/proxy/internal/socket"
)

// BenchmarkEcho has eight clients ask a server that works for some ten microseconds before each answer,
// with connections of both packages. It tells how often threads were switched for one message.
func BenchmarkEcho(b *testing.B) {
	for name, of := range map[string]func(net.Conn) net.Conn{
		"net": func(c net.Conn) net.Conn { return c }, "socket": socket.Of,
	} {
		b.Run(name, func(b *testing.B) {
			const clients = 8
			before := switches(b)
			var all sync.WaitGroup
			for range clients {
				near, far := pair(b)
				server, client := of(far), of(near)
				all.Go(func() { echo(server) })
				all.Go(func() {
					p := make([]byte, message)
					for range b.N / clients {
						_, _ = client.Write(p)
						_, _ = io.ReadFull(client, p)
					}
					_ = near.CloseWrite()
				})
			}
			all.Wait()
			b.ReportMetric(float64(switches(b)-before)/float64(b.N), "switches/op")
		})
	}
}

// switches returns how often a thread of this process has given its processor away by itself.
func switches(b *testing.B) int64 {
	var used syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &used); err != nil {
		b.Fatal(err)
	}
	return int64(used.Nvcsw)
}

const message = 512 // bytes

// echo answers messages with what they hold, until there are no more.
func echo(conn net.Conn) {
	p := make([]byte, message)
	for {
		if _, err := io.ReadFull(conn, p); err != nil {
			return
		}
		for range 60 {
			sha256.Sum256(p[:64])
		}
		_, _ = conn.Write(p)
	}
}
