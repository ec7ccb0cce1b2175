package proxy

import "sync"

// copySize is how many bytes of an answer are copied at a time.
const copySize = 32 << 10

// buffers lends the buffers through which answers are copied: without it every answer, however
// short, would be given one of its own. The zero value is ready to use.
type buffers struct{ pool sync.Pool }

// Get returns a buffer.
func (b *buffers) Get() []byte {
	if buf, ok := b.pool.Get().(*[copySize]byte); ok {
		return buf[:]
	}
	return make([]byte, copySize)
}

// Put takes a buffer back. What an answer left in it is overwritten by the next.
func (b *buffers) Put(buf []byte) {
	if len(buf) == copySize {
		b.pool.Put((*[copySize]byte)(buf))
	}
}
