// Package codec writes a graph of structs into a file from which the graph is read again faster than it
// could be made anew, and reads it.
//
// The file is derived: whoever reads it can do without. So it has no versions and mends nothing. A file
// that differs in one bit from what was written is an error (ErrDamaged) and so is one with another
// key, and the reader makes the graph anew.
//
// One function of the caller serves each type, for writing and for reading, so that a field is named
// once:
//
//	func (g *graph) order(c *codec.Coder, o *Order) {
//		codec.Text(c, &o.ID)
//		codec.Int(c, &o.Amount)
//		g.cards.Ref(c, &o.Card)
//	}
//
// A pointer is the number of what it points to, in the table of its type. So what was shared is shared
// again, and cycles are no matter. All of a table lies in one piece of memory after reading. The
// functions must only store while they read, and not look at what pointers point to: the parts of a
// file are read by several goroutines, in no order.
//
// A file is sections, each with its checksum (SHA-256), a directory of them with the key, and the
// place and the checksum of the directory:
//
//	[texts, a part] [texts, a part] ... [table 3, objects 0-4095] ... [directory] [trailer]
//
// Every byte of a file lies under some checksum. The checksums find damage. They do not prove who has
// written the file: whoever may write in the folder may write a file that passes.
package codec
