package http1

import (
	"testing"

	"github.com/paytape/paytape/internal/leaf/leaftest"
)

// What holds live traffic while it passes prints as a marker.
func TestUnprinted(t *testing.T) {
	t.Parallel()
	leaftest.Unprinted(t, &Conn{}, &head{}, &chunks{}, &exchange{}, &plainBody{}, &servedConn{Conn: &Conn{}},
		&fields{}, &KeptHeader{})
}
