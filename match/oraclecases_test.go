package match_test

import (
	"testing"
)

// oracleHands are scenarios that once were answered wrongly, or that show what replay can know and
// what it cannot, in the numbers of the list of sequences that the design was tried with. What is
// not in the list below cannot be told by a client who asks one thing at a time (overlaps, calls
// that were cut) or by replay alone (spy), or is another name for one that is.
var oracleHands = []oracleHand{
	{name: "1 a declined card whose answer looks alike",
		tape: "a reg 1000; a pay V; a st; b reg 1000; b pay X; b st",
		live: "c reg 1000 = ok; c pay X = ok; c st = ok; d reg 1000 = ok; d pay V = ok; d st = ok"},
	{name: "1a a poll before the payment",
		tape: "a reg 1000; a st; a pay V; a st; b reg 1000; b pay X; b st",
		live: "c reg 1000 = ok; c st = ok; c st = ok; c pay X = ok; c st = ok"},
	{name: "1b a description on one order alone",
		tape: "a reg 1000; a pay V; a st; b regd 2500; b pay X; b st; c reg 1000; c pay M; c st",
		live: "d regd 2500 = ok; d pay X = ok; d st = ok; e reg 1000 = ok; e pay M = ok; e st = ok"},
	{name: "2 a balance asked for where the tape did not",
		tape: "a customer; a card; a credit 50000; a debit 100; a money",
		live: `b customer = ok; b card = ok; b money = miss/marked; b credit 50000 = ok
			b money = miss/marked`},
	{name: "3 the shop's list of fewer orders",
		tape: "a reg 1000; a pay V; b reg 1000; b last",
		live: "c reg 1000 = ok; c last = composed/miss/ok"},
	{name: "3a the list of another shop",
		tape: "a reg 1000; a lastof sandbox-api",
		live: "b reg 1000 = ok; b lastof sandbox-api = ok; b lastof another = marked/miss"},
	{name: "3b the list of another shop, which is on tape too",
		tape: "a reg 1000; a lastof sandbox-api; a lastof another",
		live: "b reg 1000 = ok; b lastof sandbox-api; b lastof a-third = marked/miss"},
	{name: "4 one card thrice",
		tape: `a regb 1000; a pay V; a list; a regb:b 1000; a pay:b M; a list; a regb:c 1000
			a pay:c W; a list`,
		live: `d regb 1000 = ok; d pay V = ok; d list = ok; d regb:b 1000; d pay:b V; d list
			d regb:c 1000; d pay:c V; d list`},
	{name: "5 three cards where the tape had one thrice",
		tape: `a regb 1000; a pay V; a list; a regb:b 1000; a pay:b V; a list; a regb:c 1000
			a pay:c V; a list`,
		live: `d regb 1000; d pay V = ok; d list = ok; d regb:b 1000; d pay:b M; d list
			d regb:c 1000; d pay:c W; d list`},
	{name: "6 a card that nobody recorded",
		tape: "a reg 1000; a pay X; a st; b reg 1000; b pay V; b st",
		live: `c reg 1000 = ok; c pay E = marked/miss; c st = marked/miss; d reg 1000; d pay N
			d st`},
	{name: "6a a number of nineteen digits",
		tape: "a reg 1000; a pay V; a st",
		live: "b reg 1000 = ok; b pay N19 = marked/miss; b st = marked/miss"},
	{name: "6b a card number that is none",
		tape: "a reg 1000; a pay V; a st",
		live: `b reg 1000 = ok; b nopan = miss/marked; b badpan = miss/marked
			b nocvc V = miss/marked; b late V = miss/marked; b pay V = right; b st = right`},
	{name: "7 a decline before a success",
		tape: "a reg 1000; a pay X; a pay V; a st",
		live: "b reg 1000 = ok; b pay V = marked/miss; b st = marked/miss"},
	{name: "8 a transfer to a lost card",
		tape: "a give 1000; a to T; a given",
		live: "b give 1000 = ok; b to L = marked/miss; b given = marked/miss"},
	{name: "9 the payer's password",
		tape: "a reg 1000; a pay C; a go; a acs; a word 12345678; a back; a st",
		live: `b reg 1000 = ok; b pay C = ok; b go = ok; b acs = ok; b word 00000000 = marked/miss
			b back; b st`},
	{name: "10 bindings in another order",
		tape: "a regb 1000; a pay V; a regb:b 1000; a pay:b M; a list",
		live: "c regb 1000 = ok; c pay M; c regb:b 1000; c pay:b V; c list"},
	{name: "10a a recurrent binding behind an ordinary one of the same card, in no list",
		tape: "a regb 1000; a pay V; a st; a regb:o 1000; a payr:o V; a st:o",
		live: `c regb 1000 = ok; c pay V = ok; c st = ok; c regb:o 1000 = ok; c payr:o V = ok; c st:o = ok
			d regb:o 1000 = ok; d payr:o V = ok; d st:o = ok; d regb 1000 = ok; d pay V = ok; d st = ok
			d regb:c 1000 = ok; d pay:c V = ok; d st:c = ok`},
	{name: "10b both kinds of binding are paid for before a list shows any",
		tape: "a regb 1000; a payr V; a regb:o 1000; a pay:o V; a listr; a list; a st; a st:o",
		live: `c regb:o 1000 = ok; c pay:o V = ok; c regb 1000 = ok; c payr V = ok; c listr = ok/composed
			c list = ok/composed; c st = ok; c st:o = ok; d regb 1000 = ok; d payr V = ok; d listr = ok/composed
			e regb:o 1000 = ok; e pay:o V = ok; e list = ok/composed`},
	{name: "10c the indicator tells the kind of a binding",
		tape: "a regb 1000; a payci V; a regb:o 1000; a payri:o V; a list; a listr; a st; a st:o",
		live: `c regb 1000 = ok; c payci V = ok; c list = ok/composed; c st = ok; d regb:o 1000 = ok
			d payri:o V = ok; d listr = ok/composed; d st:o = ok`},
	{name: "11 an id spelled otherwise",
		tape: "a reg 1000; a pay V; a st",
		live: `b reg 1000 = ok; b pay V = ok; b stas upper = miss/marked; b stas bare = miss/marked
			b stas blanks = miss/marked; b st = ok`},
	{name: "11a a number that is too long is no unknown number",
		tape: "a nobody",
		live: "b nobody = ok; b long = miss/marked"},
	{name: "11b a card number with something around or between its digits",
		tape: "a customer; a card; a credit 100; a history",
		live: `b customer = ok; b card = ok; b creditas blanks = miss; b creditas behind = miss
			b creditas groups = miss; b credit 100 = right; b historyas blanks = miss
			b historyas behind = miss; b historyas groups = miss; b history = right`},
	{name: "11c a card number with something around its digits, which is on tape too",
		tape: "a holder; a issue; a look; a topup 100; a topupas blanks; a topupas behind",
		live: `b holder; b issue; b look = ok; b topup 100 = ok; b topupas behind = ok
			b topupas blanks = ok; b topupas groups = miss`},
	{name: "11d a card number in groups, which is on tape too",
		tape: "a holder; a issue; a look; a topupas groups; a topup 100",
		live: `b holder; b issue; b look; b topupas groups = ok; b topup 100 = ok
			b topupas blanks = miss/marked`},
	{name: "11e the name of a pair in other letters, or in a list",
		tape: `a customerof {"name":"customer_number","value":"${customer}"},{"name":"surname","value":"Doe"}`,
		live: `b customerof {"name":"CUSTOMER_NUMBER","value":"${customer}"},{"name":"surname","value":"Doe"} = miss
			b customerof {"name":["customer_number"],"value":"${customer}"},{"name":"surname","value":"Doe"} = miss
			b customerof {"name":"customer_number","value":"${customer}"},{"name":["surname"],"value":"Doe"} = miss
			b customerof {"name":"customer_number","value":"${customer}"},{"name":"surname","value":"Doe"} = right`},
	{name: "11h a pair in place of a list of pairs",
		tape: `a customerof {"name":"customer_number","value":"${customer}"}`,
		live: `b customerin {"name":"customer_number","value":"${customer}"} = miss
			b customerof {"name":"customer_number","value":"${customer}"} = right`},
	{name: "11f a list of one in place of a name",
		tape: `a giveas "${n}"; a holder; a issue; a look; a topup 100; b giveas ["${n}"]; b giveas "${n}"`,
		live: `c giveas "${n}" = ok; c holder; c issue; c look; c topuplist = miss; c topup 100 = right
			d giveas ["${n}"] = ok; d giveas "${n}" = ok`},
	{name: "11g a list of one in place of the name of an order",
		tape: `a giveas "${n}"`,
		live: `c giveas ["${n}"] = miss; c giveas "${n}" = right`},
	{name: "12 an order number equal to an amount", same: "num", then: "12500", now: "A-77",
		tape: "a regno 12500; a pay V; a st",
		live: "b regno 12500 = ok; b pay V = ok; b st = ok"},
	{name: "13 the second id of an authentication",
		tape: "a reg 1000; a payf D; a go; a pay2 D; a acs; a word 12345678; a back; a end a2; a st",
		live: `b reg 1000 = ok; b payf D = ok; b go = ok; b pay2 D = ok; b acs = ok
			b word 12345678; b back; b end a1`},
	{name: "14 a refund at a silent edge",
		tape: `a reg 1000; a pay C; a go; a st; a st; a off acs; a off word 12345678; a off back
			a st; a refund 100; b reg 1000; b pay C; b go; b st; b refund 100`,
		live: "c reg 1000 = ok; c pay C = ok; c go = ok; c st = ok; c refund 100"},
	{name: "14a an order that is paid in time, where that of the tape was not",
		tape: "a reg 1000; a st; wait 21m; a st; a pay V; a st",
		live: "b reg 1000 = ok; b pay V = marked; b st = marked"},
	{name: "14b the same where a poll has told",
		tape: "a reg 1000; a st; wait 21m; a st; a pay V",
		live: "b reg 1000 = ok; b st = ok; wait 21m; b st = ok; b pay V = ok"},
	{name: "14c a number again that a missed call would have given",
		tape: "a reg 1000; a pay V; a st",
		live: "b reg 2000 = miss; b reg 1000 = marked; b pay V = marked; b st = marked; c reg 1000 = ok; c pay V = ok"},
	{name: "15 a transfer's partner",
		tape: `a holder; a issue; a look; a holder:d; a issue:d; a look:d; a topup 1000; a move 100
			b holder; b issue; b look; b holder:d; b issue:d; b look:d; b topup 1000
			b status:d blocked; b move 100`,
		live: `c holder = ok; c issue = ok; c look = ok; c holder:d = ok; c issue:d = ok
			c look:d = ok; c topup 1000 = ok; c status:d blocked = ok; c move 100 = ok/marked`},
	{name: "16 a sibling's debit",
		tape: "a customer; a card:c; a card:e; a credit:c 90; a debit:c 50",
		live: `b customer = ok; b card:c = ok; b card:e = ok; b credit:c 90 = ok
			b debit:e 60 = miss/marked; b debit:c 50`},
	{name: "16a a sibling's debit that is on tape too",
		tape: `a customer; a card:c; a card:e; a credit:c 90; a debit:c 50; b customer; b card:c
			b card:e; b credit:c 90; b debit:e 60`,
		live: `c customer; c card:c; c card:e; c credit:c 90; c debit:e 60 = ok
			c debit:c 50 = miss/marked`},
	{name: "16b a sibling's credit, of which two refusals tell nothing",
		tape: `a customer; a card:c; a debit:c 50; b customer; b card:c; b card:e; b credit:e 50
			b debit:e 50; b debit:c 50`,
		live: `c customer = ok; c card:c = ok; c card:e = ok; c credit:e 50 = ok
			c debit:c 50 = miss/marked`},
	{name: "16c a telephone beside a mask",
		tape: "a phoned; a card; a inquire ${phone}; a cvc 4977001; a inquire ${phone}",
		live: `b phoned = ok; b card = ok; b inquire 4977009 = miss/marked; b inquire ${phone} = ok
			b cvc 4977002 = ok; b inquire ${phone} = ok; b inquire 4977002 = miss/marked
			c phoned = ok; c card = ok; c inquire ${phone} = ok`},
	{name: "16d a strange telephone beside a mask, which is on tape too",
		tape: "a phoned; a card; a inquire 4977001; a inquire ${phone}",
		live: "b phoned = ok; b card = ok; b inquire ${phone} = ok; b inquire 4977009 = ok"},
	{name: "16e the telephone of a card, and that of its customer",
		tape: "a phoned; a cardof 4977001; a inquire 4977001; a inquire ${phone}",
		live: `b phoned = ok; b cardof 4977002 = ok; b inquire ${phone} = ok; b inquire 4977002 = ok
			b inquire 4977001 = ok`},
	{name: "17 one clientId, tests in another order", shared: true,
		tape: "a regb 1000; a pay V; a st; a list; b regb 2500; b pay M; b st; b list",
		live: `c regb 2500 = ok; c pay M = ok; c st = ok; c list; d regb 1000 = ok; d pay V = ok
			d st = ok; d list`},
	{name: "19 one clientId, clients side by side on tape", shared: true,
		tape: "a regb 1000; b regb 1000; c regb 1000; b pay M; a pay V; c pay W; a list",
		live: `d regb 1000; d pay V; d list; e regb 1000; e pay M; e list; f regb 1000; f pay W
			f list`},
	{name: "19a one clientId, a card that pays again", shared: true,
		tape: `b regb 1000; a regb 2500; b pay V; c regb 1000; a pay M; c pay V; c list; b st`,
		live: `d regb 2500 = ok; d pay M = ok; e regb 1000 = ok; e pay V = ok; d list = ok/composed`},
	{name: "20 a state that the tape has not",
		tape: `a holder; a issue; a look; a holder:d; a issue:d; a look:d; a topup 10000
			a move 3000; a look:d`,
		live: `b holder; b issue; b look; b holder:d; b issue:d; b look:d; b topup 10000 = ok
			b topup:d 10000; b move 3000; b look:d`},
	{name: "21 the history of a partner",
		tape: `a holder; a issue; a look; a holder:d; a issue:d; a look:d; a topup 10000
			a topup:d 100; a topup:d 100; a move 3000; a status blocked`,
		live: `b holder; b issue; b look; b holder:d; b issue:d; b look:d; b topup 10000
			b topup:d 100; b move 3000; b status blocked`},
	{name: "22 a write left out that does not matter",
		tape: "a reg 1000; a params x; a pay V; a st",
		live: "b reg 1000 = ok; b pay V = miss/marked; b st"},
	{name: "23 a refund of the other card",
		tape: "a reg 1000; a pay V; a refund 100; a st; b reg 1000; b pay M; b st",
		live: "c reg 1000 = ok; c pay M = ok; c st = ok; c refund 100; c st"},
	{name: "24 a write repeated",
		tape: "a holder; a issue; a status blocked; a look",
		live: "b holder; b issue; b status blocked = ok; b status blocked; b look"},
	{name: "24a an order registered twice",
		tape: "a reg 1000; a pay V; a st",
		live: "b reg 1000 = ok; b reg 1000 = miss/marked; b pay V; b st"},
	{name: "24b a deposit before the payment",
		tape: "a pre 1000; a pay V; a dep 0; a st",
		live: "b pre 1000 = ok; b dep 0 = miss/marked; b pay V = right; b st"},
	{name: "25 writes that commute",
		tape: "a holder; a issue; a look; a topup 100; a topup 200; a look",
		live: "b holder; b issue; b look = ok; b topup 200; b topup 100; b look"},
	{name: "26 refunds with nothing read between",
		tape: "a reg 1000; a pay V; a st; a refund 100; a refund 100; a refund 100; a st",
		live: `b reg 1000; b pay V; b st = ok; b refund 100 = ok; b st; b refund 100; b refund 100
			b st; b refund 100; b st`},
	{name: "27 a post that asks",
		tape: `a login ledger-password; a open Ada; a balance; a balance; a balance; a fund 100
			a balance`,
		live: `b login ledger-password; b open Ada = ok; b balance; b balance; b balance; b balance
			b balance; b fund 100; b balance; b balance`},
	{name: "27a a transfer that asks for another",
		tape: "a customer; a card; a card:d; a credit 5000; a send 100; a sent 100; a sent 100; a money",
		live: `b customer; b card; b card:d; b credit 5000; b send 100 = ok; b sent 100 = ok; b sent 100
			b sent 100; b money`},
	{name: "27b a sender whose name has no comma",
		tape: "a customer; a card; a card:d; a credit 5000; a sendby Doe, Jo",
		live: `b customer; b card; b card:d; b credit 5000; b sendby Jo Doe = miss/marked
			c customer; c card; c card:d; c credit 5000; c sendby Doe,Ann Jo = ok`},
	{name: "27c a PIN of two digits",
		tape: "a customer; a card; a pin 1234; a setpin 1234; b customer; b card; b pin BBI//ty6mHYA",
		live: `c customer; c card; c pin 12 = miss/marked; c setpin 12 = miss/marked
			c setpin 04123FFEDCBA9876 = miss/marked; c pin 5678 = right; c setpin 5678 = right
			d customer; d card; d pin AAAA/ty6mHYA = ok; d setpin 4321 = ok`},
	{name: "28 a volatile leaf",
		tape: "a new Ada; a charge V; a capture; a see; b new Ada; b charge R; b see",
		live: `c new Ada; c charge R = ok/marked/miss; c see
			d new Ada; d charge V = ok/marked/miss; d capture; d see`},
	{name: "29 secrets in alike answers",
		tape: "a reg 1000; a pay S; a st; b reg 1000; b pay S; b st",
		live: "c reg 1000 = ok; c pay S = ok; c st = ok; d reg 1000; d pay S = ok; d st = ok"},
	{name: "30 a declined transfer",
		tape: `a holder; a issue; a look; a holder:d; a issue:d; a look:d; a topup 1000
			a move 99999; a move 500; a moves`,
		live: `b holder; b issue; b look; b holder:d; b issue:d; b look:d; b topup 1000; b move 500
			b moves`},
	{name: "31 configuration by two clients",
		tape: "a shop ACTIVE; b shop BLOCKED; a shop ACTIVE; b shop ACTIVE",
		live: "c shop ACTIVE; c shop ACTIVE; d shop BLOCKED; d shop ACTIVE"},
	{name: "33 a job beside another customer's payment",
		tape: "a new Ada; a job; a ask; b new Ben; b charge V; a ask; b capture; a ask; a ask",
		live: `c new Ada; c job; c ask = ok/marked; c ask = ok/marked; c ask = ok/marked
			c ask = ok/marked`},
	{name: "34 polls of different length",
		tape: `a new Ada; a job; a ask; a ask; a ask; b new Ada; b job; b ask; c new Ada; c job
			c ask; c ask; c ask; c ask`,
		live: `d new Ada; d job; d ask = ok/marked; d ask = ok/marked; d ask = ok/marked
			d ask = ok/marked; d ask = ok/marked`},
	{name: "35 polls in two ways around a silent edge",
		tape: `a reg 1000; a pay C; a go; a stn; a st; a off acs; a off word 12345678; a off back
			a stn; a st`,
		live: `b reg 1000; b pay C; b go; b stn = ok; b st = ok; b off acs; b off word 12345678
			b off back; b st = ok; b stn = ok/marked/miss`},
	{name: "35a another poll behind a silent edge than before",
		tape: `a reg 1000; a pay C; a go; a brief; a off acs; a off word 12345678; a off back; a st
			a refund 100`,
		live: `b reg 1000; b pay C; b go; b brief = ok; b off acs; b off word 12345678; b off back
			b st = ok; b refund 100 = ok; c reg 1000; c pay C; c go; c st = marked/miss`},
	{name: "35b another poll that tells the same",
		tape: "a reg 1000; a pay V; a brief; a st; a refund 100",
		live: "b reg 1000; b pay V; b st = ok; b brief = ok; b refund 100 = ok"},
	{name: "36 bindings first seen in a list",
		tape: `a regb 1000; a pay V; a regb:b 1000; a pay:b M; a list; a regc:c 1000; a bound:c b1
			a st:c`,
		live: `c regb 1000; c pay V; c regb:b 1000; c pay:b M; c list = ok; c regc:c 1000
			c bound:c b1; c st:c`},
	{name: "37 a list after the binding is off",
		tape: "a regb 1000; a pay V; a list; a unbind; a list",
		live: "b regb 1000; b list; b pay V; b list; b unbind; b list"},
	{name: "38 a refused login",
		tape: "a login wrong-secret-1; a login ledger-password; a open Ada",
		live: "b login ledger-password = right/marked; b open Ada"},
	{name: "38a a refused password of the gateway",
		tape: "a regbad 1000; a reg 1000; a pay V; a st",
		live: "b reg 1000 = right; b pay V = right; b st = right; c regbad 1000 = marked/ok/miss"},
	{name: "39 an id born again",
		tape: "a new Ada; a who; a gone; a who; a new Ada; a who",
		live: "b new Ada; b who = ok; b gone; b who; b new Ada; b who = ok/marked"},
	{name: "39a an id that one client asked about and another did not",
		tape: `a login ledger-password; a open Ada; a balance; b login ledger-password; b open Ada`,
		live: `c login ledger-password; c open Ada = ok; c balance = ok; d login ledger-password
			d open Ada = ok; d balance = ok`},
	{name: "40 a nonce of every page",
		tape: `a login ledger-password; a open Ada; a open:d Ben; a fund 500; a nonce; a book 100
			a balance`,
		live: `b login ledger-password; b open Ada; b open:d Ben; b fund 500; b nonce; b nonce
			b nonce; b nonce; b nonce; b book 100; b balance`},
	{name: "42 two cassettes that contradict each other",
		tape: "a reg 1000; a pay V; a st",
		more: "b reg 1000; b pay X; b st",
		live: `c reg 1000; c pay X = right; c st = ok/marked; d reg 1000; d pay V = right
			d st = ok/marked`},
	{name: "42a two cassettes that begin alike",
		tape: "a reg 1000; a pay C; a go; a acs; a word 12345678; a back; a st",
		more: "b reg 1000; b pay V; b st",
		live: `c reg 1000; c pay V = ok; c st = ok; d reg 1000; d pay C = ok; d go = ok; d acs = ok
			d word 12345678 = right; d back; d st`},
	{name: "43 out of order, once",
		tape: "a reg 1000; a pay V; a st; a stx; a st",
		live: "b reg 1000; b pay V; b st = ok; b st = ok; b st = ok"},
	{name: "46 a period of one day",
		tape: "a customer; a card; a credit 100; a history",
		live: `b customer; b card; b credit 100 = ok; b history = ok
			b yesterday = composed/miss/ok; b year2020 = composed/miss/ok`},
	{name: "46a a period without any of the tape's days",
		tape: "a customer; a card; a credit 100; a history; a year2020",
		live: `b customer; b card; b credit 100; b year2020 = ok; b yesterday = ok/composed/miss
			b history = ok`},
	{name: "46b a day in a text that the sandbox composes",
		tape: "a customer; a card; a credit 9000; a buy 100; a bills",
		live: "b customer; b card; b credit 9000; b buy 100 = ok; b bills = ok; b buy 100; b bills"},
	{name: "46c the sales of a terminal",
		tape: "a customer; a card; a credit 500; a sell 1; a sales; a salesat 1; a salesat 2",
		live: `b customer = ok; b card = ok; b credit 500 = ok; b sell 1 = ok; b sales = ok; b salesat 1 = ok
			b salesat 2 = ok`},
	{name: "46d the sales of another terminal",
		tape: "a customer; a card; a credit 500; a sell 1; a sales; a salesat 1; a salesat 2",
		live: `b customer = ok; b card = ok; b credit 500 = ok; b sell 2 = ok; b sales = ok; b salesat 2 = ok
			b salesat 1 = ok`},
	{name: "47 a token in every call",
		tape: `a login ledger-password; a open Ada; a fund 100; a open:d Ben; a fund:d 200
			a balance; a balance:d`,
		live: `b login ledger-password; b open:d Ben; b fund:d 200; b balance:d; b open Ada
			b fund 100; b balance`},
}

// TestOracleCases plays the scenarios that were written by hand.
func TestOracleCases(t *testing.T) {
	t.Parallel()
	for _, h := range oracleHands {
		t.Run(h.name, func(t *testing.T) {
			t.Parallel()
			c, want := h.newCase(t)
			run := c.run(t)
			if run.fault != "" {
				t.Fatal(run.fault)
			}
			for i, v := range run.verdicts {
				if !v.may(want[i]) {
					run.verdicts = run.verdicts[:i+1]
					t.Fatalf("%s is %v, not %q\n%s", v.turn, v, want[i], c.report(run))
				}
			}
		})
	}
}

// TestOracleCasesAgainstItself plays them to a stand-in.
func TestOracleCasesAgainstItself(t *testing.T) {
	t.Parallel()
	for _, h := range oracleHands {
		c, _ := h.newCase(t)
		run := c.runItself(t)
		if run.fault != "" {
			t.Errorf("%s: %s", h.name, run.fault)
		}
		for _, v := range run.verdicts {
			if v.outcome == "wrong" || v.outcome == "miss" {
				t.Errorf("%s: %s: %v: %v", h.name, v.turn, v, v.diffs)
			}
		}
	}
}
