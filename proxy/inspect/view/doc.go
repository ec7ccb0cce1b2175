// Package view holds what people see of a deck: the shapes of a page, of a line in the terminal and
// of "--json", which are one thing. Each is made once, in the process of the deck, and every reader
// shows the same words.
//
// A text that can hold something of the traffic is a redact.Safe: a value of these types can be made
// of cleaned values alone. A plain string is a word of ours, of a profile, or of a rules file.
//
// The types are read from outside as JSON under /api/ (see package inspect), and as text that the
// deck has written (package line): nobody reads the JSON back into these types.
package view
