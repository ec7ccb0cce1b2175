package leaf_test

import (
	"encoding/base64"
	"net/http"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/paytape/paytape/internal/leaf"
)

// bodyOf joins the lines of a multipart body and gives it its header.
func bodyOf(lines ...string) leaf.Message {
	return leaf.Message{
		Header: http.Header{"Content-Type": {`multipart/form-data; boundary="B"`}},
		Body:   strings.Join(lines, "\r\n"),
	}
}

// field is the header of a part.
func field(name string, more ...string) string {
	head := append([]string{`Content-Disposition: form-data; name="` + name + `"`}, more...)
	return "--B\r\n" + strings.Join(head, "\r\n") + "\r\n"
}

// TestMultipart reads parts; and writes each of their values again.
func TestMultipart(t *testing.T) {
	pack := base64.StdEncoding.EncodeToString
	gz, err := leaf.Encode("gzip", []byte("a note"))
	if err != nil {
		t.Fatal(err)
	}
	tests := []struct {
		name string
		in   leaf.Message
		want string
	}{
		{"fields", bodyOf(field("$PAN"), "4111", field("note"), "a", "", "b", "--B--", ""), `
form $PAN "4111"
form note "a\r\n\r\nb"
`},
		{"bare line ends, nothing declared, no end", leaf.Message{
			Body: "--x\nContent-Disposition: form-data; name=a\n\n1\n--x\nContent-Disposition: form-data; name=b\n\n2"}, `
form a "1"
form b "2"
`},
		{"a file with its header", bodyOf(`--B`, `content-disposition: form-data; name="f";`,
			` filename="4111.pdf"`, "Content-Type: text/plain", "X-Note: n", "", "text", "--B--"), `
part f@Content-Disposition "form-data; name=\"f\";\r\n filename=\"4111.pdf\""
part f@Content-Type "text/plain"
part f@X-Note "n"
form f "text"
`},
		{"documents", bodyOf(field("j"), `{"a":"x"}`, field("x"), `<a b="c"/>`, field("q"),
			pack([]byte(`{"a":"y"}`)), "--B--"), `
form j>a "x"
form x>a.@b "c"
form q>a "y"
`},
		{"a form", bodyOf(field("f", "Content-Type: application/x-www-form-urlencoded"), "a=%31&b=2",
			"--B--"), `
part f@Content-Type "application/x-www-form-urlencoded"
form f>a "1"
form f>b "2"
`},
		{"a multipart in one", bodyOf(field("m", "Content-Type: multipart/mixed; boundary=C"),
			"--C", "Content-Type: text/plain", "", "one", "--C", "", "two", "--C--", "--B--"), `
part m@Content-Type "multipart/mixed; boundary=C"
part m>@Content-Type "text/plain"
form m>[1] "one"
form m>[2] "two"
`},
		{"base64", bodyOf(field("b", "Content-Transfer-Encoding: base64"), pack([]byte("a note")),
			"--B--"), `
part b@Content-Transfer-Encoding "base64"
form b "a note"
`},
		{"base64 of gzip", bodyOf(field("b", "Content-Transfer-Encoding: BASE64"), pack(gz), "--B--"), `
part b@Content-Transfer-Encoding "BASE64"
form b "a note"
`},
		{"base64 of a document", bodyOf(field("b", "Content-Transfer-Encoding: base64"),
			pack([]byte(`["x"]`)), "--B--"), `
part b@Content-Transfer-Encoding "base64"
form b>[0] "x"
`},
		{"base64 of a picture", bodyOf(field("b", "Content-Transfer-Encoding: base64"), "/9j/4AAQ",
			"--B--"), `
part b@Content-Transfer-Encoding "base64"
form b "/9j/4AAQ" closed
`},
		{"quoted-printable", bodyOf(field("b", "Content-Transfer-Encoding: quoted-printable"),
			"4=31=\r\n11 =C3=A9", "--B--"), `
part b@Content-Transfer-Encoding "quoted-printable"
form b "4111 é"
`},
		{"quoted-printable in a charset", bodyOf(field("b",
			"Content-Transfer-Encoding: quoted-printable",
			"Content-Type: text/plain; charset=koi8-r"), "=F0", "--B--"), `
part b@Content-Transfer-Encoding "quoted-printable"
part b@Content-Type "text/plain; charset=koi8-r"
form b "П"
`},
		{"text outside", bodyOf("before", field("a"), "1", "--B--", "after"), `
form [0] "before\r\n"
form a "1"
form [2] "after"
`},
		{"a part without header, and one without end of it", bodyOf("--B", "", "x", "--B",
			"Content-Type: a/b"), `
form [1] "x"
part @Content-Type "a/b"
`},
		{"a delimiter inside a line", bodyOf(field("a"), "1 --B", "--Bx", "--B--"), `
form a "1 --B\r\n--Bx"
`},
		{"a name in other letters", bodyOf("--B",
			"Content-Disposition: form-data; name*=utf-8''p%C3%A4n", "", "1", "--B--"), `
part pän@Content-Disposition "form-data; name*=utf-8''p%C3%A4n"
form pän "1"
`},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			m := leaf.Read(tt.in)
			if diff := cmp.Diff(tt.want[1:], parts(m)); diff != "" {
				t.Fatalf("leaves (-want +got):\n%s", diff)
			}
			for i := range m.Leaves {
				if m.Leaves[i].Place != leaf.Header {
					checkRewrite(t, m, i)
				}
			}
		})
	}
}

// parts lists the leaves of a multipart body; of plain headers of fields there are too many.
func parts(m *leaf.Message) string {
	var b strings.Builder
	for line := range strings.Lines(listing(m)) {
		plain := strings.Contains(line, `"form-data; name=`) && !strings.Contains(line, "filename")
		if strings.HasPrefix(line, "header ") || plain {
			continue
		}
		b.WriteString(strings.Replace(line, ` 0 "`, ` "`, 1))
	}
	for i := range m.Leaves {
		if m.Leaves[i].Closed {
			return strings.TrimSuffix(b.String(), "\n") + " closed\n"
		}
	}
	return b.String()
}

// TestDecodeRequest makes text of the parts that are none.
func TestDecodeRequest(t *testing.T) {
	gz, err := leaf.Encode("gzip", []byte(`{"a":1}`))
	if err != nil {
		t.Fatal(err)
	}
	const picture = "\xff\xd8\xff\xe0"
	m := bodyOf(field("text"), "1", field("packed"), string(gz), field("coded",
		"Content-Encoding: gzip"), string(gz),
		field("page", "Content-Type: text/html; charset=windows-1251"), "\xcf", field("wide"),
		wide("\ufeffx", false, 2),
		field("p; filename=\xe9"), picture, "--B--")
	want := bodyOf(field("text"), "1", field("packed"), `{"a":1}`, field("coded",
		"Content-Encoding: gzip"), `{"a":1}`,
		field("page", "Content-Type: text/html; charset=windows-1251"), "П", field("wide"), "\ufeffx",
		field("p; filename=\ufffd"), "[paytape: part of 4 bytes withheld: not UTF-8 text]", "--B--")
	text, charset, err := leaf.DecodeRequest(m.Header.Get("Content-Type"), m.Body)
	if err != nil || charset != "" {
		t.Fatalf("charset %q, error %v", charset, err)
	}
	if diff := cmp.Diff(want.Body, text); diff != "" {
		t.Errorf("body (-want +got):\n%s", diff)
	}
	if _, _, err := leaf.DecodeRequest("image/jpeg", picture); err == nil {
		t.Error("a picture was taken for text")
	}
	if _, _, err := leaf.DecodeText(m.Header.Get("Content-Type"), m.Body); err == nil {
		t.Error("what could not be encoded again was decoded")
	}
}

// FuzzMultipart checks that reading ends, and that parts which are written anew are read again.
func FuzzMultipart(f *testing.F) {
	f.Add(bodyOf(field("a"), "1", field("b", "Content-Transfer-Encoding: quoted-printable"), "=41",
		"--B--").Body)
	f.Add(bodyOf("x", field("a", "Content-Type: multipart/mixed; boundary=B"), "--B", "", "1",
		"--B--").Body)
	f.Add(bodyOf("--B", "Content-Type : a", " b", "", "--B", "--B--", "").Body)
	f.Add(bodyOf("--B", "Content-Disposition: for\x80-data; name=").Body)
	f.Fuzz(func(t *testing.T, body string) {
		m := bodyOf(body)
		text, _, err := leaf.DecodeRequest(m.Header.Get("Content-Type"), m.Body)
		if err == nil {
			m.Body = text
		}
		read := leaf.Read(m)
		for i := range read.Leaves {
			l := &read.Leaves[i]
			if from, to := read.Span(l, 0, len(l.Value)); from > to {
				t.Fatalf("leaf %q ends before it begins", l.Path)
			}
		}
		if out := read.Splice(nil); out.Body != m.Body {
			t.Fatal("splicing nothing changed the body")
		}
	})
}
