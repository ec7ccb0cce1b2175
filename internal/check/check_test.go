package check

import (
	"bufio"
	"bytes"
	"compress/gzip"
	"encoding/base64"
	"encoding/binary"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"unicode/utf16"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
	"github.com/paytape/paytape/internal/profile"
	"github.com/paytape/paytape/redact"
)

// paidCard is a published test number.
const paidCard = "411111" + "1111111111"

// newChecker returns a Checker that knows the profiles.
func newChecker(t testing.TB, edit ...func(*redact.Options)) *Checker {
	t.Helper()
	set, err := profile.Builtin()
	if err != nil {
		t.Fatal(err)
	}
	o := redact.Options{Profiles: set}
	for _, e := range edit {
		e(&o)
	}
	return New(o, 2)
}

// harOf is an archive of entries, each of which ends with a comma.
func harOf(entries string) []byte {
	return []byte(`{"log":{"version":"1.2","entries":[` + strings.TrimSuffix(entries, ",") + `]}}`)
}

// harPolls is an entry of an archive without secrets.
const harPolls = `{"startedDateTime":"2026-03-01T10:00:00.000Z","time":12,` +
	`"request":{"method":"POST","url":"https://sandbox.example/payment/rest/getOrderStatus.do",` +
	`"headers":[{"name":"Content-Type","value":"application/x-www-form-urlencoded"}],"postData":` +
	`{"mimeType":"application/x-www-form-urlencoded","text":"userName=u&orderId=06cf5599-3f17"}},` +
	`"response":{"status":200,"statusText":"OK","headers":[],"content":{"size":30,` +
	`"mimeType":"application/json","text":"{\"errorCode\":\"0\",\"orderStatus\":2}"}},` +
	`"timings":{"send":1,"wait":10,"receive":1}},`

// auditing looks into a file of a name and a content.
func auditing(t testing.TB, c *Checker, name, data string) []Finding {
	t.Helper()
	file := filepath.Join(t.TempDir(), name)
	if err := os.WriteFile(file, []byte(data), 0o600); err != nil {
		t.Fatal(err)
	}
	found, err := c.file(file)
	if err != nil {
		t.Fatal(err)
	}
	for i := range found {
		found[i].File = ""
	}
	return found
}

var ignoreOffsets = cmpopts.IgnoreUnexported(Finding{})

// at makes a finding.
func at(line, exchange int, field, kind string) Finding {
	return Finding{Line: line, Exchange: exchange, Field: field, Kind: kind}
}

const cardKind = "card number"

func TestAudit(t *testing.T) {
	t.Parallel()
	tape := "version: 1\ninteractions:\n" +
		"- request:\n    url: /x\n    method: POST\n    body: pan=" + paidCard +
		"\n  paytape:\n    number: 7\n" +
		"- request:\n    body: |\n      a\n      b " + paidCard + "\n"
	wide := func(s string, order binary.AppendByteOrder) string {
		var b []byte
		for _, u := range utf16.Encode([]rune(s)) {
			b = order.AppendUint16(b, u)
		}
		return string(b)
	}
	for _, test := range []struct {
		name, file, data string
		want             []Finding
	}{
		{"nothing", "f", "an order of 12500", nil},
		{"an empty file", "f", "", nil},
		{"two in one line", "f", paidCard + " " + paidCard, []Finding{at(1, 0, "", cardKind)}},
		{"lines count from 1", "f", "\n\n" + paidCard + "\n", []Finding{at(3, 0, "", cardKind)}},
		{"lines of a DOS file", "f", "a\r\n" + paidCard + "\r\n", []Finding{at(2, 0, "", cardKind)}},
		{"exchanges by number, or else by place", "f", tape, []Finding{
			at(6, 7, "request form pan", cardKind), at(12, 2, "request text", cardKind)}},
		{"a tape that is no YAML is text", "f", strings.Replace(tape, "body: |", "body: \"", 1),
			[]Finding{at(6, 0, "", cardKind), at(12, 0, "", cardKind)}},
		{"a value that YAML escapes", "f",
			"interactions:\n- request:\n    body: \"\\u0034" + paidCard[1:] + "\"\n",
			[]Finding{at(3, 1, "request text", cardKind)}},
		{"a value in base64", "f", "interactions:\n- response:\n    body: !!binary " +
			base64.StdEncoding.EncodeToString([]byte(paidCard)) + "\n",
			[]Finding{at(3, 1, "response text", cardKind)}},
		{"before the first exchange", "f", "title: " + paidCard + "\ninteractions:\n- request: {}\n",
			[]Finding{at(1, 0, "", cardKind)}},
		{"the word alone makes no tape", "f", "interactions: " + paidCard,
			[]Finding{at(1, 0, "", cardKind)}},
		{"a field that a profile knows", "f", "interactions:\n- request:\n    method: POST\n" +
			"    url: https://h/payment/rest/paymentorder.do\n    body: seToken=c2VjcmV0&MDORDER=1\n",
			[]Finding{at(5, 1, "request form seToken", "credential")}},
		{"a header", "f", "interactions:\n- request:\n    url: /x\n    headers:\n" +
			"      Cookie: [sid=a1b2c3]\n", []Finding{at(4, 1, "request header Cookie", "credential")}},
		{"the copy of a form", "f", "interactions:\n- request:\n    body: a=1\n    form:\n" +
			"      pan: [\"" + paidCard + "\"]\n", []Finding{at(5, 1, "request form", cardKind)}},
		{"JSON", "f.json", "{\n \"a\": {\n  \"cvc2\": \"73" + "9\"}}",
			[]Finding{at(3, 0, "a.cvc2", "cvc")}},
		{"a list of names and values", "f.json", `[{"name":"password","value":"a1b2"}]`,
			[]Finding{at(1, 0, "[0].value", "credential")}},
		{"JSON in lines", "f", "{\"a\":1}\n{\"pin\":\"48" + "15\"}\n",
			[]Finding{at(2, 0, "[1].pin", "pin")}},
		{"YAML settings", "f.yml", "db:\n  password: a1b2c3\n  user: x\n  token: ${TOKEN}\n",
			[]Finding{at(2, 0, "db.password", "credential")}},
		{"YAML over lines", "f.yaml", "note: card\n  " + paidCard[:8] + "\n  " + paidCard[8:] + "\n",
			[]Finding{at(1, 0, "note", cardKind)}},
		{"UTF-16", "f", "\xff\xfe" + wide("a\n"+paidCard, binary.LittleEndian),
			[]Finding{at(2, 0, "", cardKind)}},
		{"UTF-16 without a mark", "f", wide("line one\nhas "+paidCard, binary.BigEndian),
			[]Finding{at(2, 0, "", cardKind)}},
		{"compressed", "f", zipped("a\n" + paidCard), []Finding{at(2, 0, "", cardKind)}},
		{"a binary file", "f", "P\x00\x01" + paidCard + "\x00\x02", []Finding{at(1, 0, "", cardKind)}},
		{"UTF-16 in a binary file", "f", "P\x00\x01\x7f\xff" + wide(paidCard, binary.LittleEndian) +
			"\x01\xff", []Finding{at(1, 0, "", cardKind)}},
		{"a source", "f.go", "password := \"hunter\"\ncvc := \"73" + "9\"\n", nil},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			got := auditing(t, newChecker(t), test.file, test.data)
			if diff := cmp.Diff(test.want, got, ignoreOffsets, cmpopts.EquateEmpty()); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
		})
	}
}

// zipped is a text in gzip.
func zipped(s string) string {
	var b bytes.Buffer
	w := gzip.NewWriter(&b)
	// Writes to memory do not fail.
	_, _ = w.Write([]byte(s))
	_ = w.Close()
	return b.String()
}

func TestAuditPersonalData(t *testing.T) {
	t.Parallel()
	tape := "interactions:\n- request:\n    method: POST\n" +
		"    url: https://h/payment/rest/paymentorder.do\n    body: TEXT=IVAN+IVANOV\n"
	want := []Finding{at(5, 1, "request form TEXT", "name")}
	if diff := cmp.Diff(want, auditing(t, newChecker(t), "f", tape), ignoreOffsets); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	keep := newChecker(t, func(o *redact.Options) { o.KeepPII = true })
	if got := auditing(t, keep, "f", tape); len(got) > 0 {
		t.Errorf("with personal data kept: %v", got)
	}
}

// TestAuditLargeFiles puts a card into each place where one window ends and the next begins. Of
// one line only the first is told.
func TestAuditLargeFiles(t *testing.T) {
	t.Parallel()
	line := strings.Repeat("0123 abc ", 11) + "\n"
	filler := strings.Repeat(line, 3*windowSize/len(line))
	places := []int{0, windowSize - 8, windowSize + overlap - 8, 2*windowSize - 8}
	auditCardsAt(t, filler, places...)
	for _, place := range places {
		auditCardsAt(t, strings.ReplaceAll(filler, "\n", " "), place)
	}
}

// auditCardsAt writes a card over a text at some places and wants it found there.
func auditCardsAt(t *testing.T, text string, places ...int) {
	t.Helper()
	data := []byte(text)
	var want []Finding
	for _, place := range places {
		copy(data[place:], " "+paidCard+" ")
		want = append(want, at(1+bytes.Count(data[:place], []byte("\n")), 0, "", cardKind))
	}
	got := auditing(t, newChecker(t), "f", string(data))
	if diff := cmp.Diff(want, got, ignoreOffsets); diff != "" {
		t.Errorf("at %d (-want +got):\n%s", places, diff)
	}
}

func TestUnpackIsBounded(t *testing.T) {
	t.Parallel()
	file := filepath.Join(t.TempDir(), "bomb.gz")
	if err := os.WriteFile(file, []byte(zipped(strings.Repeat("a", 1<<20))), 0o600); err != nil {
		t.Fatal(err)
	}
	f, err := os.Open(file)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	u := unpacker{Checker: newChecker(t), left: 1 << 16}
	if _, err := u.content(file, f, 0); err == nil {
		t.Error("a file that unpacks to more than the bound was taken as read")
	}
}

func TestArchiveFields(t *testing.T) {
	t.Parallel()
	entry := strings.Replace(harPolls, "userName=u&", "userName=u&password=a1b2&", 1)
	data := string(harOf(harPolls + "\n" + entry))
	want := []Finding{at(2, 2, "request form password", "credential")}
	if diff := cmp.Diff(want, auditing(t, newChecker(t), "a.har", data), ignoreOffsets); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

func TestBinary(t *testing.T) {
	t.Parallel()
	far := strings.Repeat("a", 8000) + "\x00"
	for name, test := range map[string]struct {
		data string
		want bool
	}{
		"empty": {"", false}, "text": {"order", false}, "a NUL": {"P\x00", true},
		"a NUL far on": {far, false}, "a NUL just near": {far[1:], true},
	} {
		if got := isBinary([]byte(test.data)); got != test.want {
			t.Errorf("%s: got %v", name, got)
		}
	}
}

func FuzzAudit(f *testing.F) {
	f.Add("interactions:\n- request:\n    body: " + paidCard + "\n")
	f.Add("interactions: &a\n- *a\n- paytape: {number: x}\n")
	f.Add(string(harOf(harPolls + fmt.Sprintf(`{"request":{"method":"GET","url":"/%s"}},`, paidCard))))
	f.Add("{\"a\":\"" + paidCard + "\"}\n{")
	a := newChecker(f)
	f.Fuzz(func(t *testing.T, data string) {
		for _, name := range []string{"f", "f.yaml", "f.json"} {
			d := newDocument(a, name)
			plain := d.look(window{data, 0, len(data), 1, 0})
			found, err := d.read(bufio.NewReaderSize(strings.NewReader(data), nearHead))
			if err != nil {
				t.Fatal(err)
			}
			for i, got := range found {
				if got.Line < 1 || got.Kind == "" || i > 0 && got.Line < found[i-1].Line {
					t.Errorf("finding %d: %+v", i, got)
				}
			}
			if len(plain) > 0 && len(found) == 0 && !isBinary([]byte(data)) {
				t.Error("a reading as what it is hides what stands in the text")
			}
		}
	})
}

// TestData wants what is to become a file to be looked into as the file is.
func TestData(t *testing.T) {
	t.Parallel()
	c := newChecker(t)
	text := "a: 1\nnumber: " + paidCard + "\n"
	file := auditing(t, c, "x.yaml", text)
	data, err := c.Data("x.yaml", []byte(text))
	if err != nil || len(data) != 1 || len(file) != 1 || data[0].Line != file[0].Line || data[0].Kind != file[0].Kind {
		t.Errorf("got %v, %v, want %v", data, err, file)
	}
}
