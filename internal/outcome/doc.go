// Package outcome says in words what an exchange came to: "declined: insufficient funds",
// "registered 125.00 EUR". It also finds who the exchange is about and how much money it moves.
//
// What codes mean, which fields are amounts, and which words fit which answer are rows of the
// profiles (see the section "outcome" at the head of gateway.yaml). This package reads a message,
// finds the first row whose conditions hold, and fills its words in. For example the gateway answers
// a question for the status of an order with
//
//	{"errorCode":"0","orderNumber":"B-1046","orderStatus":6,"actionCode":116,"amount":99900,
//	 "currency":"978"}
//
// The profile has a row for orderStatus 6 that says "declined[: ${actionCode}]", a table in which
// actionCode 116 is "insufficient funds", and the fields orderStatus and actionCode to be shown as
// they are. So the words are "declined: insufficient funds", the codes are "6/116", the amount is
// 999.00 EUR, and the exchange is about order B-1046.
//
// An exchange must have been cleaned, and texts that are made here are as clean as it is: a card
// number appears as a mask with six and four digits at most, also where it is a surrogate, and the
// value of a field that is a secret in a profile is never part of any words.
//
// An exchange of no profile has the words of its HTTP status, if that tells of an error. Of a body
// of more than MaxBody bytes nothing is read.
package outcome
