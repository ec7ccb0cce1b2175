//go:build unix

package kinds

import (
	"errors"
	"syscall"
)

// isFull reports whether a disk or a quota has no room left, or may only be read.
func isFull(err error) bool {
	return errors.Is(err, syscall.ENOSPC) || errors.Is(err, syscall.EDQUOT) ||
		errors.Is(err, syscall.EROFS)
}
