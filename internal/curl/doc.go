// Package curl writes an exchange as a command of curl that can be pasted into a POSIX shell and sends
// the request again.
//
// A tape holds no secrets, so the command has variables of the shell in their place, which whoever
// pastes it sets before: from the form userName=shop&password=REDACTED-token-1 comes
//
//	curl 'https://pay.example/payment/rest/register.do' \
//	  -H 'Content-Type: application/x-www-form-urlencoded' \
//	  --data-raw 'userName=shop' --data-urlencode "password=$PASSWORD"
//
// A variable is named after the field, and equal values of one name are one variable. Card numbers of
// a tape are surrogates, which no payment system takes, so they are variables as well. Values of
// forms are escaped by curl. In JSON, in addresses and in headers a value stands as the variable has
// it.
//
// Everything else is sent as it was recorded, byte by byte: what is no printable text goes through
// printf. Headers of the connection, and those that curl sets by itself, are left out. A message
// inside a packed 3-D Secure message keeps its markers.
package curl
