// Package filter is the language in which people say which rows of the traffic they want to see. It
// is one language for the page, the API and the terminal.
//
//	op:refund served:miss                    refunds that nothing on tape agreed with
//	order:B-1048 -op:status                  what was done to an order, without its polls
//	( outcome:declined or status:5xx )       what went wrong
//	card:4000*1118 amount:>=100 since:5m     payments of a card in the last five minutes
//	"insufficient funds"                     words, wherever a row shows them
//
// A filter is terms. All of them must hold; "-" in front of a term turns it round; terms between
// parentheses with "or" between them hold where one of them does, and "and" binds more tightly than
// "or". A term is KEY:VALUE, or words alone. A value with spaces or parentheses stands in quotes, in
// which a backslash takes the meaning from a quote and from a backslash.
//
// A value is found as a whole word or as several, in any case: "op:register" is the operation
// register.do, and not registerPreAuth.do. "*" stands for anything, and a value with "*" is the
// whole text: "order:B-10*". Numbers are compared with ">", ">=", "<" and "<=".
//
// A full card number in a filter becomes its mask before anything else is done with the text, so
// that neither an error nor an address nor a log can repeat it. The mask finds what the number
// would have found, because a row has masks alone.
package filter
