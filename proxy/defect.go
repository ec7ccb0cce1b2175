package proxy

import (
	"path"
	"runtime"
	"strconv"
	"strings"
)

// origin returns the file and line in which the panic now being handled began. A stack of
// Go's own would show arguments, and so addresses of traffic.
func origin() string {
	var callers [32]uintptr
	frames := runtime.CallersFrames(callers[:runtime.Callers(2, callers[:])])
	panicking := false
	for {
		frame, more := frames.Next()
		inRuntime := strings.HasPrefix(frame.Function, "runtime.")
		if panicking && !inRuntime {
			return path.Base(frame.File) + ":" + strconv.Itoa(frame.Line)
		}
		panicking = panicking || inRuntime
		if !more {
			return ""
		}
	}
}
