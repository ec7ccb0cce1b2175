package proxy_test

import (
	"fmt"
	"strings"
)

// rawGet, rawPost and rawReply make raw messages of their parts; fields are whole lines.
func rawGet(target string, fields ...string) string { return rawRequest("GET "+target, "", fields) }

func rawPost(body string, fields ...string) string {
	return rawRequest("POST /a", body, append(fields, fmt.Sprintf("Content-Length: %d", len(body))))
}

func rawRequest(line, body string, fields []string) string {
	return line + " HTTP/1.1\r\n" + strings.Join(append(fields, "Host: h.test"), "\r\n") +
		"\r\n\r\n" + body
}

func rawReply(line, body string, fields ...string) string {
	return "HTTP/1.1 " + line + "\r\n" +
		strings.Join(append(fields, fmt.Sprintf("Content-Length: %d", len(body))), "\r\n") +
		"\r\n\r\n" + body
}

// rawChunks is a POST whose body is in chunks, which are given as they are.
func rawChunks(body string, fields ...string) string {
	return rawRequest("POST /a", body, append(fields, chunked))
}

// rawOpen is an answer without a length of its own.
func rawOpen(body string, fields ...string) string {
	return "HTTP/1.1 200 OK\r\n" + strings.Join(append(fields, ""), "\r\n") + "\r\n" + body
}

const chunked = "Transfer-Encoding: chunked"

func talks() []talk {
	rows := append(requestTalks(), answerTalks()...)
	for _, target := range []string{
		"/", "/?", "/a?", "/a?b", "/a?b=c&b=d", "/a?b=c;d=e", "/a?&&=&", "/a?b=%zz", "/a?%",
		"/a?b=%2", "/a?b=c+d%20e", "/a?b={}|^[]`\"<>\\", "/a??b", "/a?b=http://x.test/?y#z",
		"/a#b", "/a;b=c/d", "/a%2Fb%2fb", "/a%2e%2E/b", "/%41%61", "/a//b///", "//", "//a",
		"//a.test/b?c", "///a", "/..", "/a/../b/./c", "/a:b", "/a@b:80", "/a:b://c", "/*", "/a,b!$'()*",
		"/{}|^[]`\"<>\\", "/caf\xc3\xa9", "/\xff\xfe", "/%zz", "/%", "/%4", "/a%zz%2F?b=%zz&c", "/a%",
		"/%%30%30", "/%u0041", "/a%25zz", "/%00", "/%0d%0a", "/" + strings.Repeat("a", 8000),
	} {
		name := target
		if len(name) > 100 {
			name = "a long target"
		}
		rows = append(rows, talk{"target " + name, rawGet(target), rawReply("200 OK", "x")})
	}
	for _, method := range []string{
		"HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS", "TRACE", "PURGE", "get", "M-SEARCH", "X!#$",
	} {
		answer := rawReply("200 OK", "x")
		if method == "HEAD" {
			answer = strings.TrimSuffix(answer, "x")
		}
		rows = append(rows, talk{"method " + method, rawRequest(method+" /a", "", nil), answer})
	}
	for _, line := range []string{
		"200 Fine", "200 ", "200", "200 Alles in Ordnung: sehr gut", "201 Created", "202 Accepted",
		"203 x", "206 Partial Content", "299 Odd", "300 Multiple Choices", "302 Found", "307 x",
		"400 Falsche Anfrage", "401 Unauthorized", "402 Payment Required", "404 not here",
		"418 Teapot", "422 Unprocessable", "429 Slow down", "499 x", "500 oops", "502 Bad Gateway",
		"503 Service Unavailable", "504 x", "599 x", "600 x", "999 x",
	} {
		rows = append(rows, talk{"status " + line, rawGet("/a"), rawReply(line, "x")})
	}
	return rows
}

func requestTalks() []talk {
	ok := rawReply("200 OK", "x")
	with := func(name, request string) talk { return talk{name, request, ok} }
	return []talk{
		with("repeated fields", rawGet("/a", "X-A: 1", "X-B: 2", "X-A: 3", "X-A:")),
		with("fields in lower case", rawGet("/a", "x-lower: 1", "accept: */*")),
		with("a list in one field", rawGet("/a", "X-A: 1, 2,,3")),
		with("spaces around a value", rawGet("/a", "X-A:   a  b  ", "X-B:\tc\t")),
		with("a value that is no ASCII", rawGet("/a", "X-A: caf\xc3\xa9 \xff")),
		with("odd characters in a name", rawGet("/a", "X!#$%&'*+-.^_`|~: 1")),
		with("an underscore in a name", rawGet("/a", "X_A: 1", "X-A: 2")),
		with("a long field", rawGet("/a", "X-Token: "+strings.Repeat("t", 60<<10))),
		with("many fields",
			rawGet("/a", strings.Split(strings.Repeat("X-A: 1\n", 499)+"X-A: 1", "\n")...)),
		with("a User-Agent", rawGet("/a", "User-Agent: x/1 (y)")),
		with("no User-Agent", rawGet("/a")),
		with("an empty User-Agent", rawGet("/a", "User-Agent:")),
		with("two User-Agents", rawGet("/a", "User-Agent: a", "User-Agent: b")),
		with("Pragma alone", rawGet("/a", "Pragma: no-cache")),
		with("Pragma and Cache-Control", rawGet("/a", "Pragma: no-cache", "Cache-Control: max-age=1")),
		with("content codings", rawGet("/a", "Accept-Encoding: gzip, br;q=0.5")),
		with("credentials", rawGet("/a", "Authorization: Basic eDp5", "Cookie: a=b; c=d", "Cookie: e=f")),
		with("addresses of other proxies", rawGet("/a", "X-Forwarded-For: 192.0.2.1",
			"X-Forwarded-Proto: https", "Forwarded: for=192.0.2.1", "Via: 1.0 x", "X-Real-Ip: 192.0.2.2")),
		with("a condition",
			rawGet("/a", "If-None-Match: \"e\"", "If-Modified-Since: x", "Range: bytes=0-1")),
		with("trailers are welcome", rawGet("/a", "Te: trailers")),
		with("an Idempotency-Key", rawPost("a", "Idempotency-Key: k", "X-Idempotency-Key: l")),
		with("an Origin", rawPost("a", "Origin: https://shop.test", "Referer: https://shop.test/x?y")),
		with("an empty line before the request", "\r\n"+rawGet("/a")),

		with("a body", rawPost("a=b&c=d", "Content-Type: application/x-www-form-urlencoded")),
		with("an empty body", rawPost("")),
		with("an empty body of a GET", rawRequest("GET /a", "", []string{"Content-Length: 0"})),
		with("an empty body of a DELETE", rawRequest("DELETE /a", "", []string{"Content-Length: 0"})),
		with("an empty body of a PUT", rawRequest("PUT /a", "", []string{"Content-Length: 0"})),
		{
			"an empty body of a HEAD", rawRequest("HEAD /a", "", []string{"Content-Length: 0"}),
			rawOpen("", "Content-Length: 9"),
		},
		with("a PUT without a body", rawRequest("PUT /a", "", nil)),
		with("a body of odd bytes", rawPost("\x00\xff\r\n\r\nGET / HTTP/1.1\r\n\r\n")),
		with("a body of a GET", rawRequest("GET /a", "abc", []string{"Content-Length: 3"})),
		with("a body of a DELETE", rawRequest("DELETE /a", "abc", []string{"Content-Length: 3"})),
		with("a body of an OPTIONS", rawRequest("OPTIONS *", "abc", []string{"Content-Length: 3"})),
		with("a large body", rawPost(strings.Repeat("0123456789", 100<<10))),
		with("a coded body", rawPost("\x1f\x8b\x08\x00", "Content-Encoding: gzip")),
		with("a type in capitals", rawPost("{}", "CONTENT-TYPE: Application/JSON; Charset=UTF-8")),
		with("no type", rawPost("{}")),
		with("a body in chunks", rawChunks("3\r\nabc\r\n4\r\ndefg\r\n0\r\n\r\n")),
		with("a body in one-byte chunks", rawChunks("1\r\na\r\n1\r\nb\r\n0\r\n\r\n")),
		with("an empty body in chunks", rawChunks("0\r\n\r\n")),
		with("chunks of a GET", rawRequest("GET /a", "1\r\na\r\n0\r\n\r\n", []string{chunked})),
		with("chunks with extensions", rawChunks("1;x=y\r\na\r\n0;z\r\n\r\n")),
		with("a trailer", rawChunks("1\r\na\r\n0\r\nX-Sum: 7\r\n\r\n", "Trailer: X-Sum")),
		with("a trailer that was not announced", rawChunks("1\r\na\r\n0\r\nX-Sum: 7\r\n\r\n")),
		with("a repeated trailer", rawChunks("1\r\na\r\n0\r\nX-Sum: 7\r\nX-Sum: 8\r\n\r\n",
			"Trailer: X-Sum")),
		{
			"a body after 100 Continue", rawPost("abc", "Expect: 100-continue"),
			continued + rawReply("200 OK", "x"),
		},
		{
			"100 Continue twice", rawPost("abc", "Expect: 100-continue"),
			continued + continued + rawReply("200 OK", "x"),
		},
	}
}

func answerTalks() []talk {
	ask := func(name, answer string) talk { return talk{name, rawGet("/a"), answer} }
	return []talk{
		ask("repeated fields in an answer", rawReply("200 OK", "x", "X-A: 1", "X-A: 2", "X-A:")),
		ask("cookies keep their order",
			rawReply("200 OK", "x", "Set-Cookie: b=1; Path=/", "Set-Cookie: a=2",
				"Set-Cookie: b=3, c")),
		ask("no type in an answer", rawReply("200 OK", "<html><body>x")),
		ask("an empty type", rawReply("200 OK", "x", "Content-Type:")),
		ask("no Date", rawReply("200 OK", "x")),
		ask("a Date", rawReply("200 OK", "x", "Date: Thu, 01 Jan 2026 00:00:00 GMT")),
		ask("a Server", rawReply("200 OK", "x", "Server: s/1", "Via: 1.1 y", "X-Powered-By: z")),
		ask("values that are no ASCII", rawReply("200 OK", "x", "X-A: caf\xe9 \xff")),
		ask("many fields in an answer", rawReply("200 OK", "x",
			strings.Split(strings.Repeat("X-A: 0123456789\n", 999)+"X-B: 1", "\n")...)),
		ask("a redirect", rawReply("302 Found", "", "Location: https://elsewhere.test/a%2F?b#c")),
		ask("a relative redirect", rawReply("303 See Other", "", "Location: /b")),
		ask("Proxy-like fields", rawReply("200 OK", "x", "Alt-Svc: h3=\":443\"", "X-Cache: HIT")),
		ask("a cache control",
			rawReply("200 OK", "x", "Cache-Control: no-store, private", "Pragma: no-cache")),
		ask("a challenge", rawReply("401 Unauthorized", "", "WWW-Authenticate: Basic realm=\"x\"",
			"WWW-Authenticate: Bearer")),
		ask("a part", rawReply("206 Partial Content", "b", "Content-Range: bytes 1-1/3")),

		ask("a coded answer", rawReply("200 OK", "\x1f\x8b\x08\x00", "Content-Encoding: gzip")),
		ask("a coding that nobody knows", rawReply("200 OK", "zzz", "Content-Encoding: zzz")),
		ask("odd bytes in an answer", rawReply("200 OK", "\x00\xff\r\n\r\nHTTP/1.1 200 OK\r\n\r\n")),
		ask("an empty answer", rawReply("200 OK", "")),
		ask("one byte", rawReply("200 OK", "x")),
		ask("a large answer", rawReply("200 OK", strings.Repeat("0123456789", 200<<10))),
		ask("chunks", rawOpen("3\r\nabc\r\n4\r\ndefg\r\n0\r\n\r\n", chunked)),
		ask("a byte in each chunk", rawOpen("1\r\na\r\n1\r\nb\r\n0\r\n\r\n", chunked)),
		ask("chunks with extensions in an answer", rawOpen("1;x=y\r\na\r\n0\r\n\r\n", chunked)),
		ask("an answer up to the end of the connection", rawOpen("abc", "Connection: close")),
		ask("trailers", rawOpen("1\r\na\r\n0\r\nX-Sum: 7\r\n\r\n", chunked, "Trailer: X-Sum")),
		ask("trailers that were not announced",
			rawOpen("1\r\na\r\n0\r\nX-Sum: 7\r\nX-Late: 8\r\n\r\n", chunked)),
		ask("events",
			rawOpen("9\r\ndata: 1\n\n\r\n0\r\n\r\n", chunked, "Content-Type: text/event-stream")),
		{"the length of a HEAD", rawRequest("HEAD /a", "", nil), rawOpen("", "Content-Length: 9")},
		{"no length of a HEAD", rawRequest("HEAD /a", "", nil), rawOpen("", "X-A: b")},
		{"a HEAD of chunks", rawRequest("HEAD /a", "", nil), rawOpen("", chunked)},
		{
			"a HEAD that is not found", rawRequest("HEAD /a", "", nil),
			"HTTP/1.1 404 No\r\nContent-Length: 2\r\n\r\n",
		},
		ask("204", "HTTP/1.1 204 No Content\r\nX-A: b\r\n\r\n"),
		ask("204 in other words", "HTTP/1.1 204 Done\r\n\r\n"),
		ask("304", "HTTP/1.1 304 Not Modified\r\nETag: \"e\"\r\n\r\n"),
		ask("304 with a length",
			"HTTP/1.1 304 Not Modified\r\nContent-Length: 9\r\nContent-Type: x/y\r\n\r\n"),
		ask("304 in other words", "HTTP/1.1 304 Same\r\nContent-Length: 9\r\n\r\n"),
		ask("205", rawReply("205 Reset Content", "")),

		ask("early hints",
			"HTTP/1.1 103 Early Hints\r\nLink: </a>\r\nLink: </b>\r\n\r\n"+rawReply("200 Fine", "x")),
		ask("100 that nobody asked for",
			"HTTP/1.1 100 Continue\r\nX-A: b\r\n\r\n"+rawReply("200 OK", "x")),
		ask("100 twice and 102", strings.Repeat("HTTP/1.1 100 Continue\r\nX-A: b\r\n\r\n", 2)+
			"HTTP/1.1 102 Processing\r\n\r\n"+rawReply("200 OK", "x")),
		ask("102 twice", strings.Repeat("HTTP/1.1 102 Processing\r\n\r\n", 2)+rawReply("201 Yes", "x")),

		ask("an answer that is cut", rawOpen("abc", "Content-Length: 9")),
		ask("an answer that is reset", rawOpen("abc", "Content-Length: 9")+resetting),
		ask("chunks that are cut", rawOpen("3\r\nabc\r\n", chunked)),
		ask("chunks cut in the middle", rawOpen("9\r\nabc", chunked)),
		ask("chunks without their end", rawOpen("3\r\nabc\r\n0\r\n", chunked)),
		ask("events that are cut",
			rawOpen("9\r\ndata: 1\n\n\r\n", chunked, "Content-Type: text/event-stream")),
	}
}
