// Package live shows the traffic of a deck on a terminal while it flows: a line an exchange, and
// the status in a line that stays at the bottom.
//
//	traffic.Follow --Row--> Follow --lines.Writer--> Screen --> stderr
//	                          ^                        |
//	                  once a second                    +-- the last lines of a terminal:
//	                                                       11:25:21   31 status  B-1045 . at the ACS
//	                                                       replay  72 requests  3 misses       04:47
//
// An example. A shop asks five times for the status of an order. Follow writes the first answer as a
// line, and the other four as that line anew, "asked 5 times", because nothing came between. Then
// 2000 requests a second come: of each second Follow writes the first fifty lines, counts the hits
// among the others, and writes one line with their number. Misses, failures, callbacks and whatever
// the operator should know are written whole.
//
// A request waits for none of that. Follow is a subscriber, which traffic overtakes if it is slower,
// and it writes into a lines.Writer, whose memory is bounded and which waits for the terminal alone.
// So what Screen has to know stands in the lines themselves, behind a control character that no
// other line can have (package line and the voice of the command escape them all): a line that may
// replace the last one has a key, and the line at the bottom is marked as such.
package live
