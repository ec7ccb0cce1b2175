package tour

var v1Money = []step{
	{
		call:  "creditCard",
		send:  byCard + `,"amount":50000,"currency":978` + atTerminal + `}`,
		fresh: []string{"creditRrn rrn", "creditDate localTransactionDate"},
		agree: []string{`responseCode "00"`, `authorizationIdResponse "${creditRrn:six}"`},
	},
	{
		call: "debitCard",
		send: byCard + `,"amount":12000,"currency":978,"preAuthorization":false,` +
			`"fee":{"feeType":"FEE","feeValue":150},"tds":{"xid":"x","cavv":"c",` +
			`"authenticationIndicator":"TDS_PERFORMED"}` + atTerminal + `}`,
		fresh: []string{"debitRrn rrn", "debitDate localTransactionDate"},
		agree: []string{`responseCode "00"`, `authorizationIdResponse "${debitRrn:six}"`,
			"issuerFeeAmount 150"},
	},
	{ // above the limit
		call:  "debitCard",
		send:  byCard + `,"amount":20000,"currency":978}`,
		fresh: []string{"declinedRrn rrn"},
		agree: []string{`responseCode "61"`, "authorizationIdResponse "},
	},
	{ // above the balance
		call:  "debitCard",
		send:  `{"cardIdentification":{"cardNumber":"${card2}"},"amount":100,"currency":978}`,
		agree: []string{`responseCode "51"`},
	},
	{
		call: "creditCard",
		send: byCard + `,"amount":500,"currency":840}`,
		code: 500, agree: []string{`responseCode "12"`},
	},
	{
		call:  "p2PTransfer",
		send:  transferV1 + `}`,
		fresh: []string{"transferRrn rrn", "transferDate localTransactionDate"},
		plain: []string{"transferStan systemTraceAuditNumber"},
		agree: []string{`responseCode "00"`, `authorizationIdResponse "${transferRrn:six}"`},
	},
	{
		call: "p2PTransfer",
		send: transferV1 + `,"originalTransactionParameters":{"rrn":"${transferRrn}",` +
			`"systemTraceAuditNumber":${transferStan},"localTransactionDate":"${transferDate}"}}`,
		agree: []string{`rrn "${transferRrn}"`, "systemTraceAuditNumber ${transferStan}",
			`localTransactionDate "${transferDate}"`},
	},
}

const transferV1 = `{"sourceCardIdentification":{"cardNumber":"${card}","expDate":"${expiry}"},
 "destinationCardIdentification":{"cardNumber":"${card2}"},"amount":2500,"currency":978,
 "sourceAccountNumber":"${account}","destinationAccountNumber":"${account2}",
 "senderReceiverInfo":{"senderName":"${surname}, Alex","senderAddress":"Main 7",
 "senderCity":"Berlin","senderCountry":"276","senderPostalCode":"10115","receiverName":"${payee}"},
 "pointOfServiceConditionCode":"59","pointOfServiceDataCode":"810"`

var v1Histories = []step{
	{
		call: "getTransactions",
		send: byCard + `,` + inPeriod,
		agree: []string{
			"transactions.#(utrnno==${creditRrn:number}).amount 50000",
			"transactions.#(utrnno==${debitRrn:number}).amount 12000",
			`transactions.#(utrnno==${debitRrn:number}).authorizationDate "${debitDate}"`,
			`transactions.#(utrnno==${debitRrn:number}).merchantId "${merchant}"`,
			`transactions.#(utrnno==${transferRrn:number}).operationDirection "DEBIT"`,
			`transactions.#(operationDirection=="NOOP").authorizationDate "${limitDate}"`,
		},
	},
	{
		call: "getTransactions",
		send: `{"cardIdentification":{"cardNumber":"${card2}"},` + inPeriod,
		agree: []string{"transactions.# 1", "transactions.0.utrnno ${transferRrn:number}",
			`transactions.0.operationDirection "CREDIT"`},
	},
	{
		call: "getTransactionDetails",
		send: `{"utrnno":${debitRrn:number}}`,
		agree: []string{"transaction.utrnno ${debitRrn:number}", "transaction.amount 12000",
			`transaction.operationDirection "debit"`, "transaction.feIssuerFeeAmount 150",
			`transaction.authorizationIdResponse "${debitRrn:six}"`},
	},
	{
		call: "getTransactionDetails",
		send: `{"utrnno":${debitRrn:number},"reversal":true}`,
		code: 500, agree: []string{`responseCode "25"`},
	},
	{
		call:  "getMerchantTransactions",
		send:  `{"merchantId":"${merchant}","terminalId":"T-1","institutionId":"1001",` + inPeriod,
		fresh: []string{"order transactions.0.orderId"},
		plain: []string{"orderNumber transactions.0.orderNumber"},
		agree: []string{"transactions.# 1", "transactions.0.utrnno ${debitRrn:number}",
			`transactions.0.merchantId "${merchant}"`, `transactions.0.cardNumber "${card}"`,
			`transactions.0.cardNumberMask "${card:mask}"`, "transactions.0.transactionAmount 12000",
			`transactions.0.transactionDate "${debitDate}"`,
			`transactions.0.authorizationCode "${debitRrn:six}"`},
	},
	{
		call: "getPaymentOrders",
		send: `{"merchantNumber":"${merchant}","institutionId":"1001",` + inPeriod,
		agree: []string{"orderList.# 1", "orderList.0.id ${order}", "orderList.0.amount 12000",
			`orderList.0.orderNumber "${orderNumber}"`, `orderList.0.eventDate "${debitDate}"`},
	},
	{
		call: "getOrderDetails",
		send: `{"orderId":${order}}`,
		agree: []string{`transactionList.0.merchantId "${merchant}"`,
			`transactionList.0.cardNumber "${card}"`, "transactionList.0.transactionAmount 12000",
			`transactionList.0.orderNumber "${orderNumber}"`,
			`transactionList.0.authorizationCode "${debitRrn:six}"`},
	},
}
