// Package pretty lays out a body for people: JSON is indented, a form has one parameter a line, markup
// one element a line. Behind a value stands what it means, where people do not read it at once, and
// below a packed message, such as those of 3-D Secure, stands the message:
//
//	{
//	  "orderStatus": 6,  # declined
//	  "amount": 99900,  # 999.00 EUR
//	  "date": 1795777521000,  # 27 Nov 2026 11:05:21 UTC
//	  "packedCReq": "eyJ0aHJlZURTU2Vydm...",
//	    | {
//	    |   "transStatus": "Y"  # authenticated
//	    | }
//	}
//
// Layout changes white space alone: keys keep their order, also where one is there twice, and numbers
// and escapes stay as they were sent. Parameters of a form are shown without their escapes. What is
// none of these stays as it is.
//
// What comes out is text and no JSON, and as clean as the exchange is. Of a body of more than MaxBody
// bytes the beginning is laid out. Markup in a value is opened as well, and is text for whoever
// shows it.
package pretty
