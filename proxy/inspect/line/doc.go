// Package line writes what people see of a deck as text for a terminal: one line an exchange, an
// explanation, a flow. It takes the values of package view and knows nothing else.
//
//	view.Row ----Row----> 11:26:17   52 refund    B-1048 ..1118 ! miss: field amount          nothing
//	                                    sent 5000, on tape 2500 (checkout#4); order: registered, paid
//	                                    why 52
//
// An example. The row above is that of a refund whose amount is not on tape. Row puts its time, its
// number, its operation, what it is about, its sign, its outcome and its recording into columns. The
// place of a column depends on Options.Columns alone, so lines that were written at any time stand
// below each other. What is too long for its column is cut at its end, with "..". What a miss, a
// mark or a rule has to tell beside that stands in the column of the outcome if there is room, and
// otherwise in a line of its own below.
//
// Every sign is a letter, so nothing is lost without colour:
//
//	(blank) answered   x declined or failed   ! miss       ~ marked
//	* rule             < callback             . waits      i note
//
// Values come from traffic and may be hostile. Whatever a terminal would obey, or would draw outside
// of its cell, is written as an escape such as \u001b (see plain). Colour is written by this package
// alone: the only control sequences in a text are SGR, and there are none without Options.Color.
package line
