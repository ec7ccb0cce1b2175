// Package web is the page of the inspector: a shell of HTML, the modules and styles that it loads,
// and the headers that keep everything else out. All of it is part of the program: there is no step
// that builds it, and the page loads nothing from elsewhere.
//
// The shell holds no data. Whatever the page shows it asks from the API with a token in a header, so
// that the shell and its modules may be served to anybody who reaches the listener.
//
// The modules under assets have a noun each:
//
//	app.js      starts the page: address to screen, one stream of events for all screens
//	api.js      calls of the API, and the stream with its reconnecting
//	token.js    where the token is kept, and the form that asks for it
//	dom.js      elements and SVG from strings that are always text
//	keys.js     keys of the screens, and the dialog that lists them
//	filters.js  filters that the page leads to; masks for card numbers
//	copy.js     what is copied; mermaid.js draws a flow as text
//	parts.js    shapes, verdicts, tags and buttons that several screens show
//	format.js   times, durations and masks in words
//	screens/    a module for each screen
//	traffic/    the parts of the first screen: list, filter, pane
//
// Content of the traffic reaches the document as text nodes and attributes only. A policy of the
// browser (trusted types) refuses everything else.
package web
