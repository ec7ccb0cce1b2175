// Package socket has TCP connections whose system calls cost no switch of threads.
//
// Go announces a system call to its scheduler, because it may block. If a call takes longer than some
// 20 microseconds the scheduler takes the place of its thread and wakes another thread for it, and the
// first one has to look for a place when the call returns. But a socket is in non-blocking mode: what
// cannot be done at once is EAGAIN, and then the goroutine waits for the poller and not in the system.
// So a call is no longer than what it does, which is 8 microseconds for a write on the loopback device,
// where a write brings the bytes to the other side and wakes it; and longer where that process takes the
// processor, which is what makes the scheduler act. The connections of this package do not announce
// such calls, as code of Go that runs as long does not:
//
//	deck    write 8 us | other requests, on the same thread
//	net     write 8 us ... another thread is woken for the other requests, and this one looks for work
//
// Where a client has the same two processors, a deck that replays switches threads 0.12 times a request in
// place of 0.34 times, and takes a tenth less processor time.
//
// Other systems have the connections of package net, and so have builds with the race detector: it learns
// from the calls of package syscall what happens before what. The mode of a socket must stay as it is:
// File of a connection and Fd of that file would have its calls block.
package socket
