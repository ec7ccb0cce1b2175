package match_test

import (
	"fmt"
	"maps"
	"strings"
	"testing"
	"time"
)

// oraclePeriod is the period of the day before to the day after.
const oraclePeriod = `"period":{"start":"${day:-1}","end":"${day:1}"}`

// oracleWordsOf are the words in which scenarios are written by hand: "a pay V" has client a pay
// its order with card V. A word may name the thing that it is about, "pay:x V"; else that is "a".
// ARG in a step is the rest of the line, ID the name of the thing.
var oracleWordsOf = map[string]oracleStep{
	// The gateway.
	"reg": {
		call: "register.do",
		send: "orderNumber=${n}-ID&amount=ARG" + oracleOrder,
		keep: "ID=orderId",
	},
	"pre": {
		call: "registerPreAuth.do",
		send: "orderNumber=${n}-ID&amount=ARG" + oracleOrder,
		keep: "ID=orderId",
	},
	"regc": {
		call: "register.do",
		send: "orderNumber=${n}-ID&amount=ARG" + oracleOrder + "&clientId=${client}",
		keep: "ID=orderId",
	},
	"regb": {
		call: "register.do",
		send: "orderNumber=${n}-ID&amount=ARG" + oracleOrder + oracleBind,
		keep: "ID=orderId",
	},
	"regbad": {
		call: "register.do",
		send: "orderNumber=${n}-ID&amount=ARG" + oracleOrder,
		as:   "bad",
	},
	"regno": {
		call: "register.do",
		send: "orderNumber=${num}&amount=ARG" + oracleOrder,
		keep: "ID=orderId",
	},
	"regd": {
		call: "register.do",
		send: "orderNumber=${n}-ID&amount=ARG&description=${text}" + oracleOrder,
		keep: "ID=orderId",
	},
	"regf": {
		call: "register.do",
		send: "orderNumber=${n}-ID&amount=ARG" + oracleOrder + "&failUrl=${shop}/failed",
		keep: "ID=orderId",
	},
	"pay": {
		call: "paymentorder.do",
		send: "MDORDER=${ID}&$PAN=${card:ARG}" + oracleCard,
		keep: "data=threeDSMethodDataPacked ID1=threeDSServerTransId req=paReq term=termUrl",
	},
	"payf": {
		call: "paymentorder.do",
		send: "MDORDER=${ID}&$PAN=${card:ARG}&threeDSVer2FinishUrl=${shop}/finish" + oracleCard,
		keep: "ID1=threeDSServerTransId",
	},
	"payr":  {call: "paymentorder.do", send: "MDORDER=${ID}&$PAN=${card:ARG}" + oracleTerms + oracleCard},
	"payri": {call: "paymentorder.do", send: "MDORDER=${ID}&$PAN=${card:ARG}&tii=RI" + oracleCard},
	"payci": {call: "paymentorder.do", send: "MDORDER=${ID}&$PAN=${card:ARG}&tii=CI" + oracleTerms + oracleCard},
	"pay2": {
		call: "paymentorder.do",
		send: "MDORDER=${ID}&threeDSServerTransId=${ID2}&$PAN=${card:ARG}" +
			"&threeDSVer2FinishUrl=${shop}/finish" + oracleCard,
		keep: "creq=packedCReq",
	},
	"nopan": {call: "paymentorder.do", send: "MDORDER=${ID}&$PAN=" + oracleCard},
	"badpan": {
		call: "paymentorder.do",
		send: "MDORDER=${ID}&$PAN=4000001111" + "111119" + oracleCard,
	},
	"nocvc": {
		call: "paymentorder.do",
		send: "MDORDER=${ID}&$PAN=${card:ARG}&$EXPIRY=203012&TEXT=${holder}&language=en",
	},
	"late": {
		call: "paymentorder.do",
		send: "MDORDER=${ID}&$PAN=${card:ARG}&$CVC=123&$EXPIRY=${month:-2}" +
			"&TEXT=${holder}&language=en",
	},
	"st": {
		call: oracleStatus,
		send: "orderId=${ID}&language=en",
		keep: "b=bindingInfo.bindingId",
	},
	"stn":    {call: oracleStatus, send: "orderNumber=${n}-ID&language=en"},
	"nobody": {call: oracleStatus, send: "orderNumber=${n}-nobody&language=en"},
	"long":   {call: oracleStatus, send: "orderNumber=${n}-" + strings.Repeat("7", 36) + "&language=en"},
	"brief":  {call: "getOrderStatus.do", send: "orderId=${ID}&language=en"},
	"stas":   {call: oracleStatus, send: "orderId=${ARG:ID}&language=en"},
	"stx":    {call: oracleStatus, send: "orderId=${ID}&language=en", broken: true},
	"dep":    {call: "deposit.do", send: "orderId=${ID}&amount=ARG&language=en"},
	"refund": {call: "refund.do", send: "orderId=${ID}&amount=ARG&language=en"},
	"rev":    {call: "reverse.do", send: "orderId=${ID}&language=en"},
	"params": {
		call: "addParams.do",
		send: "orderId=${ID}&params={%22note%22:%22ARG%22}&language=en",
	},
	"last": {
		call: "getLastOrdersForMerchants.do",
		send: "page=0&size=20&from=${stamp:-1}&to=${stamp:1}" +
			"&transactionStates=CREATED,DEPOSITED,DECLINED,REFUNDED&searchByCreatedDate=true&language=en",
	},
	"lastof": {
		call: "getLastOrdersForMerchants.do",
		send: "page=0&size=20&from=${stamp:-1}&to=${stamp:1}&merchants=ARG" +
			"&transactionStates=CREATED,DEPOSITED&searchByCreatedDate=true&language=en",
	},
	"list": {
		call: "getBindings.do",
		send: "clientId=${client}&bindingType=C&language=en",
		keep: "b=bindings.0.bindingId b1=bindings.1.bindingId",
	},
	"listr": {
		call: "getBindings.do",
		send: "clientId=${client}&bindingType=R&language=en",
		keep: "r=bindings.0.bindingId",
	},
	"bound": {
		call: "paymentOrderBinding.do",
		send: "mdOrder=${ID}&bindingId=${ARG}&tii=U&language=en",
	},
	"unbind": {call: "unBindCard.do", send: "bindingId=${b}&language=en"},
	// 3-D Secure; "off" before a word has the browser visit its bank without the deck.
	"go": {
		call: "3ds/continue.do",
		send: "mdOrder=${ID}&language=en",
		keep: "creq=packedCReq ID2=threeDSServerTransId",
	},
	"acs": {call: "page POST acs/challenge", send: "creq=${creq}", keep: "creq=form.creq"},
	"word": {
		call: "page POST acs/answer",
		send: "creq=${creq}&password=ARG&action=confirm",
		keep: "cres=form.cres",
	},
	"back": {call: "page POST 3ds/notification", send: "cres=${cres}"},
	"end":  {call: "finish3dsVer2Payment.do", send: "threeDSServerTransId=${ARG}&language=en"},
	// Transfers of the gateway.
	"give": {
		call: "p2p registerP2P.do",
		send: `{"orderNumber":"${n}-ID","amount":ARG,` + p2pCommon +
			`,"features":{"feature":["WITHOUT_FROM_CARD"]}}`,
		keep: "ID=orderId",
	},
	"giveas": {
		call: "p2p registerP2P.do",
		send: `{"orderNumber":ARG,"amount":1000,` + p2pCommon +
			`,"features":{"feature":["WITHOUT_FROM_CARD"]}}`,
		keep: "ID=orderId",
	},
	"to": {
		call: "p2p performP2P.do",
		send: `{"orderId":"${ID}","type":"WITHOUT_FROM_CARD","language":"en",` +
			`"toCard":{"pan":"${card:ARG}` + p2pTerm + `}}`,
	},
	"given": {call: "p2p getP2PStatus.do", send: `{"orderId":"${ID}","language":"en"}`},
	// Version 1.
	"customer": {
		call: "v1 registerCustomer",
		send: `{"productName":"CRCU1001","parameters":[` +
			`{"name":"customer_number","value":"${customer}"},{"name":"surname","value":"${surname}"}]}`,
		keep: "acc=accountNumber",
	},
	"customerof": {
		call: "v1 registerCustomer",
		send: `{"productName":"CRCU1001","parameters":[ARG]}`,
		keep: "acc=accountNumber",
	},
	"customerin": {
		call: "v1 registerCustomer",
		send: `{"productName":"CRCU1001","parameters":ARG}`,
	},
	"phoned": {
		call: "v1 registerCustomer",
		send: `{"productName":"CRCU1001","parameters":[` +
			`{"name":"customer_number","value":"${customer}"},{"name":"mobile_phone","value":"${phone}"}]}`,
		keep: "acc=accountNumber",
	},
	"cardof": {
		call: "v1 createVirtualCard",
		send: `{"cardIdentification":{"cardNumber":"4276000000000000","phoneNumber":"ARG"},` +
			`"virtualCardIdentification":{"expDate":"203012","productType":"5C"},"amount":0,` +
			`"currency":978,"accountNumber":"${acc}","deliveryMethod":"WS"}`,
		keep: "ID=virtualCardIdentification.cardNumber",
	},
	"inquire": {
		call: "v1 cardStatusInquiry",
		send: `{"cardIdentification":{"cardNumberMask":"${mask:ID}","phoneNumber":"ARG"}}`,
	},
	"cvc": {
		call: "v1 generateCVC2",
		send: `{"cardIdentification":{"cardNumber":"${ID}","phoneNumber":"ARG"},"deliveryMethod":"SMS"}`,
	},
	"card": {
		call: "v1 createVirtualCard",
		send: `{"cardIdentification":{"cardNumber":"4276000000000000"},` +
			`"virtualCardIdentification":{"expDate":"203012","productType":"5C"},"amount":0,` +
			`"currency":978,` +
			`"accountNumber":"${acc}","deliveryMethod":"WS"}`,
		keep: "ID=virtualCardIdentification.cardNumber",
	},
	"credit": {
		call: "v1 creditCard",
		send: `{"cardIdentification":{"cardNumber":"${ID}"},"currency":978,"amount":ARG}`,
	},
	"creditas": {
		call: "v1 creditCard",
		send: `{"cardIdentification":{"cardNumber":"${ARG:ID}"},"currency":978,"amount":100}`,
	},
	"debit": {
		call: "v1 debitCard",
		send: `{"cardIdentification":{"cardNumber":"${ID}"},"currency":978,"amount":ARG}`,
	},
	"buy": {
		call: "v1 debitCard",
		send: `{"cardIdentification":{"cardNumber":"${ID}"},"currency":978,"amount":ARG,` +
			`"cardAcceptorParameters":{"terminalIdentification":"T1",` +
			`"merchantIdentification":"M-${n}","merchantType":"5411"}}`,
	},
	"bills": {
		call: "v1 getPaymentOrders",
		send: `{"merchantNumber":"M-${n}","institutionId":"1001",` +
			`"period":{"start":"${day:-1}","end":"${day:1}"}}`,
	},
	"sell": {
		call: "v1 debitCard",
		send: `{"cardIdentification":{"cardNumber":"${ID}"},"currency":978,"amount":100,"cardAcceptorParameters":` +
			`{"terminalIdentification":"TERM000ARG","merchantIdentification":"M1","merchantType":"5411"}}`,
	},
	"sales": {call: "v1 getMerchantTransactions", send: `{"merchantId":"M1","institutionId":"1",` + oraclePeriod + `}`},
	"salesat": {
		call: "v1 getMerchantTransactions",
		send: `{"merchantId":"M1","terminalId":"TERM000ARG","institutionId":"1",` + oraclePeriod + `}`,
	},
	"money": {
		call: "v1 getAccountData",
		send: `{"accountNumber":"${acc}","returnCardNumber":true}`,
	},
	"history": {
		call: "v1 getTransactions",
		send: `{"cardIdentification":{"cardNumber":"${ID}"},"period":` +
			`{"start":"${day:-1}","end":"${day:1}"}}`,
	},
	"historyas": {
		call: "v1 getTransactions",
		send: `{"cardIdentification":{"cardNumber":"${ARG:ID}"},"period":` +
			`{"start":"${day:-1}","end":"${day:1}"}}`,
	},
	"yesterday": {
		call: "v1 getTransactions",
		send: `{"cardIdentification":{"cardNumber":"${ID}"},"period":` +
			`{"start":"${day:-1}","end":"${day:-1}"}}`,
	},
	"year2020": {
		call: "v1 getTransactions",
		send: `{"cardIdentification":{"cardNumber":"${ID}"},"period":` +
			`{"start":"2020-01-01","end":"2020-12-31"}}`,
	},
	"send": {call: "v1 p2PTransfer", send: oracleSend + "}",
		keep: "rrn=rrn stan=systemTraceAuditNumber at=localTransactionDate"},
	"sent": {
		call: "v1 p2PTransfer",
		send: oracleSend + `,"originalTransactionParameters":{"rrn":"${rrn}",` +
			`"systemTraceAuditNumber":${stan},"localTransactionDate":"${at}"}}`,
	},
	"sendby": {call: "v1 p2PTransfer",
		send: strings.NewReplacer("${surname}, Alex", "ARG", "ARG", "100").Replace(oracleSend) + "}"},
	"pin": {
		call: "v1 changePin",
		send: `{"cardIdentification":{"cardNumber":"${ID}"},"newPinData":"ARG"}`,
	},
	"setpin": {
		call: "v1 generatePin",
		send: `{"cardIdentification":{"cardNumber":"${ID}"},"pinValue":"ARG","pinDeliveryMethod":"SMS"}`,
	},
	"shop": {
		call: "v1 changeMerchantStatus",
		send: `{"merchantNumber":"M0000001","institutionId":"1001",` +
			`"agentId":"1001","customerNumber":"900001","contractNumber":"800001","status":"ARG"}`,
	},
	// Version 2.
	"holder": {
		call: "v2 POST /cardholders",
		send: `{"firstName":"Alex","lastName":"${surname}",` +
			`"phoneNumber":"${phone}","billingAddress":{"country":"DE","postalCode":"10115"}}`,
		keep: "IDh=id",
	},
	"issue": {
		call: "v2 POST /cards",
		send: `{"productName":"VISA Classic","cardholder":"${IDh}"}`,
		keep: "IDid=id IDx=expiryDate",
	},
	"look": {call: "v2 GET /cards/${IDid}", keep: "ID=number"},
	"topup": {
		call: "v2 POST /topups",
		send: `{"amount":ARG,"currency":"EUR","destinationCard":{"cardNumber":"${ID}"}}`,
	},
	"topupas": {
		call: "v2 POST /topups",
		send: `{"amount":100,"currency":"EUR","destinationCard":{"cardNumber":"${ARG:ID}"}}`,
	},
	"topuplist": {
		call: "v2 POST /topups",
		send: `{"amount":100,"currency":"EUR","destinationCard":{"cardNumber":["${ID}"]}}`,
	},
	"move": {
		call: "v2 POST /transfers",
		send: `{"amount":ARG,"currency":"EUR","sourceCard":{"cardNumber":"${ID}",` +
			`"expiryDate":"${IDx}"},"destinationCard":{"cardNumber":"${d}"}}`,
	},
	"status": {call: "v2 PATCH /cards/${IDid}", send: `{"status":"ARG"}`},
	"moves":  {call: "v2 GET /transfers?cardNumberFltr=${ID}"},
	// The mock APIs.
	"new":  {call: "acme POST /customers", send: `{"name":"ARG Sample"}`, keep: "cus=id"},
	"who":  {call: "acme GET /customers/${cus}"},
	"gone": {call: "acme DELETE /customers/${cus}"},
	"charge": {
		call: "acme POST /payments",
		send: `{"customer":"${cus}","amount":1000,"currency":"EUR",` +
			`"card":"${card:ARG}","reference":"${n}-ID"}`,
		keep: "ID=id",
	},
	"see":     {call: "acme GET /payments/${ID}"},
	"capture": {call: "acme POST /payments/${ID}/capture", send: "{}"},
	"job": {
		call: "acme POST /exports",
		send: `{"customer":"${cus}","speed":"fast"}`,
		keep: "job=id",
	},
	"ask": {call: "acme GET /exports/${job}"},
	"login": {
		call: "ledger login",
		send: `{"user":"ledger-user","password":"ARG"}`,
		keep: "token=result.token",
	},
	"open": {
		call: "ledger account.open",
		send: ledgerToken + `,"name":"ARG Sample","currency":"EUR"}`,
		keep: "ID=result.account",
	},
	"fund":    {call: "ledger account.fund", send: ledgerToken + `,"account":${ID},"amount":ARG}`},
	"balance": {call: "ledger account.get", send: ledgerToken + `,"account":${ID}}`},
	"nonce": {
		call: "ledger transfer.nonce",
		send: ledgerToken + `,"account":${ID}}`,
		keep: "nonce=result.nonce",
	},
	"book": {
		call: "ledger transfer.make",
		send: ledgerToken + `,"from":${ID},"to":${d},"amount":ARG,"nonce":"${nonce}"}`,
	},
}

const oracleSend = `{"sourceCardIdentification":{"cardNumber":"${ID}","expDate":"203012"},` +
	`"destinationCardIdentification":{"cardNumber":"${d}"},"amount":ARG,"currency":978,` +
	`"senderReceiverInfo":{"senderName":"${surname}, Alex","senderAddress":"Main 7"},` +
	`"pointOfServiceConditionCode":"59"`

// oracleScript reads turns written in words, and what may come out of each: "a reg 1000; a pay V;
// a st = ok/miss". Clients are shared with those that played before.
func oracleScript(
	t testing.TB, text string, actor func(name string) *oracleActor,
) (turns []oracleTurn, want []string) {
	t.Helper()
	for line := range strings.SplitSeq(strings.ReplaceAll(text, "\n", ";"), ";") {
		line, may, _ := strings.Cut(line, "=")
		fields := strings.Fields(line)
		if len(fields) == 0 {
			continue
		}
		by := actor(fields[0])
		off := len(fields) > 1 && fields[1] == "off"
		if off {
			fields = fields[1:]
		}
		if fields[0] == "wait" {
			pause := oracleStep{call: strings.Join(fields, " ")}
			turns, want = append(turns, oracleTurn{by, pause}), append(want, "")
			continue
		}
		if len(fields) < 2 {
			t.Fatalf("%q is no line of a script", line)
		}
		word, id, named := strings.Cut(fields[1], ":")
		if !named {
			id = "a"
		}
		step, known := oracleWordsOf[word]
		if !known {
			t.Fatalf("%q is no word of scripts", word)
		}
		arg := strings.Join(fields[2:], " ")
		for _, part := range []*string{&step.call, &step.send, &step.keep} {
			*part = strings.NewReplacer("ARG", arg, "ID", id).Replace(*part)
		}
		step.off = off
		turns, want = append(turns, oracleTurn{by, step}), append(want, strings.TrimSpace(may))
	}
	return turns, want
}

// oracleHand is a scenario written by hand.
type oracleHand struct {
	name       string
	tape, more string // in words; more is a second tape, "" for none
	live       string // the same, with what may come out
	shared     bool   // all clients have one clientId
	same       string // a name for which all have one text, such as "num"
	then, now  string // that text, on tape and live
}

// newCase makes a case of a scenario, and returns what may come out of the live turns.
func (h oracleHand) newCase(t testing.TB) (*oracleCase, []string) {
	t.Helper()
	c := &oracleCase{
		seed: 1, how: h.name, recorded: oracleDays[0], played: oracleDays[1],
		recTick: 1301 * time.Millisecond, liveTick: 1703 * time.Millisecond,
	}
	actors := func(word, text string, number int) func(string) *oracleActor {
		all := map[string]*oracleActor{}
		return func(name string) *oracleActor {
			if name == "wait" {
				name = "clock"
			}
			if all[name] == nil {
				cast := chosenNames(word, number, len(all))
				for letter := range oracleCards {
					cast["card:"+letter] = letter
				}
				if h.shared {
					cast["client"] = "client-" + word
				}
				if h.same != "" {
					cast[h.same] = text
				}
				all[name] = &oracleActor{name: name, rigid: true, cast: maps.Clone(cast)}
			}
			return all[name]
		}
	}
	recorded := actors("rec", h.then, 1000)
	for _, text := range []string{h.tape, h.more} {
		if text != "" {
			turns, _ := oracleScript(t, text, recorded)
			c.tapes = append(c.tapes, turns)
		}
	}
	turns, want := oracleScript(t, h.live, actors("live", h.now, 2000))
	c.live = turns
	return c, want
}

// may reports whether a verdict is one of those that a script allows: ok (right, no mark), right
// (with any mark or none), marked (right or wrong), miss, dropped, or a mark by its name. Nothing
// allows all but a wrong answer without a mark.
func (v oracleVerdict) may(want string) bool {
	if v.bad() {
		return false
	}
	if want == "" {
		return true
	}
	for one := range strings.SplitSeq(want, "/") {
		switch {
		case one == v.outcome && v.outcome != "wrong",
			one == "ok" && v.outcome == "right" && v.mark == "",
			one == "marked" && v.mark != "",
			v.mark != "" && strings.HasPrefix(v.mark, one):
			return true
		}
	}
	return false
}

// String is what came out, as a script says it.
func (v oracleVerdict) String() string {
	if v.outcome == "right" && v.mark == "" {
		return "ok"
	}
	return strings.TrimSpace(fmt.Sprint(v.outcome, " ", v.mark))
}
