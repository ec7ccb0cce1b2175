// Package drawing draws the machine of a cassette: what people see of it (view.Machine), where each
// state is drawn, and a picture as SVG.
//
// A state has a column and a row. The column is how many steps it is away from a birth. A state stands
// in the row of the state before it if that is free, and below if it is not; the states of one kind
// stand below those of the kind before:
//
//	order    [1 registered] -> [2 paid] -> [3 refunded]
//	                        -> [4 declined]
//	binding  [1 made]       -> [2 switched off]
//
// So no two states overlap, equal tapes look equal, and nothing needs to be solved.
package drawing
