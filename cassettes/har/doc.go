// Package har reads HTTP archives (HAR 1.2), as browsers and proxies save them, into exchanges.
//
// An archive holds exchanges as a program has seen them and not as they were on the wire: bodies
// are decoded, forms may be lists of parameters, cookies may stand beside the headers. Read makes
// of an entry what would have been recorded. In
//
//	{"log": {"entries": [{
//	  "startedDateTime": "2026-03-01T10:00:00.000+03:00",
//	  "request": {"method": "POST", "url": "https://gw.example/payment/rest/register.do",
//	    "postData": {"mimeType": "application/x-www-form-urlencoded",
//	      "params": [{"name": "orderNumber", "value": "A-1"}, {"name": "amount", "value": "12500"}]}},
//	  "response": {"status": 200, "content": {"text": "eyJlcnJvckNvZGUiOjB9", "encoding": "base64"}}}]}}
//
// the request has the body orderNumber=A-1&amount=12500, and the answer has the status "200 OK"
// and the body {"errorCode":0}.
//
// Nothing is cleaned here: whoever reads an archive cleans its exchanges, or looks into them for
// secrets.
package har
