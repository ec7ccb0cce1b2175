//go:build unix

package main

import (
	"bufio"
	"bytes"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"
)

// TestNothingSecretGetsOut puts a secret in every place of requests and answers, good, bad and
// broken ones, and searches all that the commands write while and after they see them: output,
// logs at the highest level, tapes, journals, locks, temporary files, misses, and the dump of a
// process that is told to quit.
func TestNothingSecretGetsOut(t *testing.T) {
	t.Parallel()
	c := newRunSecrets()
	h := newWorkspace(t, c)
	upstreams := h.upstreams()

	deck := h.start(append([]string{"record", "tape"}, upstreams...)...)
	h.visit(deck, false)
	h.search("while recording")
	deck.end(syscall.SIGKILL)
	h.search("after the recorder was killed")

	deck = h.start(append([]string{"record", "tape"}, upstreams...)...)
	h.visit(deck, false)
	deck.end(syscall.SIGINT)
	h.search("after recording")

	deck = h.start(append([]string{"record", "forwarded", "--forward", "--ca-dir",
		filepath.Join(h.dir, "ca")}, upstreams...)...)
	h.visit(deck, false)
	deck.end(syscall.SIGINT)
	h.search("after recording as a forward proxy")

	deck = h.start(append([]string{"pass", "--pii", "fake"}, upstreams...)...)
	h.visit(deck, false)
	deck.end(syscall.SIGQUIT)

	deck = h.start(append([]string{"spy", "tape"}, upstreams...)...)
	h.visit(deck, false)
	deck.end(syscall.SIGINT)
	h.search("after spying")

	deck = h.start("replay", "tape")
	h.visit(deck, true)
	hung := h.hang(deck)
	deck.end(syscall.SIGQUIT)
	_ = hung.Close()

	h.run("show", "tape")
	for n := 1; n <= len(h.requests()); n++ {
		h.run("show", "tape", fmt.Sprint(n))
	}
	for _, how := range []string{"--json", "--pretty", "--curl", "--har"} {
		h.run("show", how, "tape")
	}
	h.run("list")
	h.run("list", "--json")
	h.run("check", "cassettes")
	h.run("record", "--upstream", "https://shop:"+c["absolute"]+"@sandbox.example", "other")
	h.run("record", "--upstream", "https://sandbox.example/%zz?token="+c["query"], "other")
	h.search("in the end")
}

// workspace is a working directory and what processes in it have written.
type workspace struct {
	*testing.T
	runSecrets
	dir     string
	outputs int
	// unheeding has processes start as a script starts what it puts into the background: SIGINT ignored.
	unheeding bool
}

func newWorkspace(t *testing.T, c runSecrets) *workspace {
	h := &workspace{T: t, runSecrets: c, dir: t.TempDir()}
	if err := os.Mkdir(filepath.Join(h.dir, "tmp"), 0o700); err != nil {
		t.Fatal(err)
	}
	return h
}

// command makes a command whose output goes to a file of the workspace.
func (ws *workspace) command(args ...string) (*exec.Cmd, *os.File) {
	ws.outputs++
	out, err := os.Create(filepath.Join(ws.dir, fmt.Sprintf("output-%d-%s", ws.outputs, args[0])))
	if err != nil {
		ws.Fatal(err)
	}
	cmd := exec.Command("paytape", args...)
	cmd.Dir, cmd.Stdout, cmd.Stderr = ws.dir, out, out
	cmd.Env = append(os.Environ(), "TMPDIR="+filepath.Join(ws.dir, "tmp"), "GORACE=atexit_sleep_ms=0")
	return cmd, out
}

// run runs a command to its end, which need not be a good one.
func (ws *workspace) run(args ...string) {
	cmd, out := ws.command(args...)
	defer out.Close()
	if err := cmd.Run(); err != nil && cmd.ProcessState == nil {
		ws.Fatal(err)
	}
}

// search searches all files of the workspace.
func (ws *workspace) search(when string) {
	ws.Helper()
	before := ws.Failed()
	if files := ws.searchFiles(ws.T, ws.dir); files < ws.outputs {
		ws.Errorf("%s: %d files", when, files)
	}
	if ws.Failed() && !before {
		ws.Errorf("the above was found %s", when)
	}
}

// deckProcess is a deck that serves.
type deckProcess struct {
	*workspace
	cmd     *exec.Cmd
	out     *os.File
	address string
	admin   string // URL
}

func (ws *workspace) start(args ...string) *deckProcess {
	ready := filepath.Join(ws.dir, "ready.json")
	_ = os.Remove(ready) // a killed process leaves its own
	args = append(args, "--listen", "127.0.0.1:0", "--ready-file", ready,
		"--log-level", "debug", "--log-format", "json", "--admin", "127.0.0.1:0")
	d := &deckProcess{workspace: ws}
	d.cmd, d.out = ws.command(args...)
	if ws.unheeding {
		d.cmd.Args = append([]string{"sh", "-c", `trap "" INT; exec "$0" "$@"`, d.cmd.Path}, d.cmd.Args[1:]...)
		d.cmd.Path = "/bin/sh"
	}
	if err := d.cmd.Start(); err != nil {
		ws.Fatal(err)
	}
	came := eventually(func() bool {
		data, err := os.ReadFile(ready)
		var at struct{ Proxy, Admin string }
		if err == nil && json.Unmarshal(data, &at) == nil {
			d.address, d.admin = strings.TrimPrefix(at.Proxy, "http://"), at.Admin
		}
		return d.address != ""
	})
	if !came {
		ws.Fatalf("%s did not come to serve", args[0])
	}
	return d
}

// ask returns what the admin address answers.
func (d *deckProcess) ask(path string) string {
	d.Helper()
	client := &http.Client{Transport: plainTransport(), Timeout: time.Minute}
	defer client.CloseIdleConnections()
	res, err := client.Get(d.admin + path)
	if err != nil {
		d.Fatal(err)
	}
	defer res.Body.Close()
	body, err := io.ReadAll(res.Body)
	if err != nil {
		d.Fatal(err)
	}
	return string(body)
}

// end ends the process by a signal.
func (d *deckProcess) end(s syscall.Signal) {
	d.Helper()
	if err := d.cmd.Process.Signal(s); err != nil {
		d.Error(err)
	}
	_ = d.cmd.Wait() // the code is the signal's
	_ = d.out.Close()
}

// visit sends all requests to a deck. What it answers by itself to those that miss is searched
// too; other answers are the sandbox's own words for the client.
func (ws *workspace) visit(d *deckProcess, replay bool) {
	ws.Helper()
	missed := 0
	for i, request := range ws.requests() {
		answer := ws.send(d, request)
		if replay && bytes.Contains(answer, []byte("\r\nPaytape-Miss: ")) {
			missed++
			ws.runSecrets.search(ws.T, fmt.Sprintf("the miss of request %d", i+1), answer)
		}
	}
	counted := d.ask("/metrics")
	if !strings.Contains(counted, `operation="getOrderStatusExtended.do"`) {
		ws.Error("the metrics do not tell of the visit")
	}
	ws.runSecrets.search(ws.T, "the metrics", []byte(counted))
	if replay && missed < 3 {
		ws.Errorf("%d requests missed", missed)
	}
}

// send writes a request as it is, and returns what comes until the connection ends.
func (ws *workspace) send(d *deckProcess, request string) []byte {
	ws.Helper()
	conn := ws.dial(d)
	defer conn.Close()
	// Of a request that is refused early the deck does not read the rest.
	_, _ = io.WriteString(conn, request)
	answer, err := io.ReadAll(conn)
	if err != nil && len(answer) == 0 && !strings.Contains(err.Error(), "reset") {
		ws.Error(err)
	}
	return answer
}

func (ws *workspace) dial(d *deckProcess) net.Conn {
	conn, err := net.Dial("tcp", d.address)
	if err == nil {
		err = conn.SetDeadline(time.Now().Add(patience))
	}
	if err != nil {
		ws.Fatal(err)
	}
	return conn
}

// hang leaves a request half sent, so that a handler holds its secrets when the process ends.
func (ws *workspace) hang(d *deckProcess) net.Conn {
	conn := ws.dial(d)
	head, body, _ := strings.Cut(ws.requests()[0], "\r\n\r\n")
	head = strings.Replace(head, "Content-Length: ", "Content-Length: 1", 1)
	if _, err := io.WriteString(conn, head+"\r\n\r\n"+body[:len(body)/2]); err != nil {
		ws.Fatal(err)
	}
	return conn
}

// rawRequest writes a request. Header lines stand after the target, apart by line ends.
func rawRequest(method, target, header, body string) string {
	text := method + " " + target + " HTTP/1.1\r\nHost: deck\r\nConnection: close\r\n"
	if header != "" {
		text += strings.ReplaceAll(header, "\n", "\r\n") + "\r\n"
	}
	if body != "" {
		text += fmt.Sprintf("Content-Length: %d\r\n", len(body))
	}
	return text + "\r\n" + body
}

// requests are those of one visit. The paths choose upstream and answer.
func (ws *workspace) requests() []string {
	const (
		gw   = "/payment/rest/"
		form = "Content-Type: application/x-www-form-urlencoded"
	)
	c := ws.runSecrets
	pay := "userName=u&password=" + c["form"] + "&$PAN=" + c["card in a field"] + "&$CVC=" + c["CVC"] +
		"&MDORDER=06cf5599-3f17-7c86-bdbc-bd7d00a8b38b&orderNumber=A-1"
	pair := base64.StdEncoding.EncodeToString([]byte("shop:" + c["basic"]))
	return []string{
		rawRequest("POST", gw+"paymentorder.do", form, pay),
		rawRequest("POST", gw+"paymentorder.do", form, strings.Replace(pay, "A-1", "A-2", 1)+"&amount=1"),
		rawRequest("GET", gw+"getOrderStatusExtended.do?password="+c["query"]+"&orderId=x#token="+
			c["fragment"], "Authorization: Bearer "+c["bearer"], ""),
		rawRequest("POST", "/payment/json", "Content-Type: application/json\nAuthorization: Basic "+pair+
			"\nX-API-KEY: "+c["key"]+"\nCookie: a=b; sid="+c["cookie"],
			`{"password":"`+c["JSON"]+`","pin":"`+c["PIN"]+`","cardNumber":`+c["card as a number"]+`}`),
		rawRequest("GET", "/payment/"+c["card in a path"]+"/x", "Proxy-Authorization: Bearer "+c["proxy"]+
			"\nReferer: https://shop:"+c["referer"]+"@shop.example/?access_token="+c["referer query"], ""),
		rawRequest("POST", "/payment/parts", "Content-Type: multipart/form-data; boundary=B",
			"--B\r\nContent-Disposition: form-data; name=\"password\"\r\n\r\n"+c["part"]+"\r\n--B--\r\n"),
		rawRequest("POST", "/payment/xml", "Content-Type: text/xml",
			"<r><token>"+c["XML"]+"</token></r>"),
		rawRequest("POST", "/payment/text", "Content-Type: text/plain",
			"PIN is "+c["PIN"]+", CVV "+c["CVC"]+", secret="+c["text"]+"\n"),
		rawRequest("GET", "/payment/x;jsessionid="+c["session"],
			"X-"+c["card in a header's name"]+": 1", ""),
		"POST /payment/trailer HTTP/1.1\r\nHost: deck\r\nConnection: close\r\n" +
			"Transfer-Encoding: chunked\r\nTrailer: X-Auth-Token\r\n\r\n3\r\na=b\r\n0\r\nX-Auth-Token: " +
			c["trailer"] + "\r\n\r\n",
		rawRequest("GET", "http://shop:"+c["absolute"]+"@deck/x", "", ""),
		rawRequest("GET", "/payment/%zz?password="+c["bad escape"], "", ""),
		rawRequest("GET", "/payment/\x01\xff?password="+c["odd bytes"], "", ""),
		rawRequest("GET", "/payment/malformed", "", ""),
		rawRequest("GET", "/payment/cut", "", ""),
		rawRequest("POST", "/v1/apigate/ws/rest/blockCard", "", `{"password":"`+c["refused"]+`"}`),
		rawRequest("GET", "/v2/cards/"+c["card in a path"]+"?token="+c["no TLS"], "", ""),
		rawRequest("CONNECT", c["absolute"]+":443", "", ""),
	}
}

// upstreams starts a sandbox that says secrets and breaks off, one that refuses connections, and
// one that speaks no TLS, and returns their flags.
func (ws *workspace) upstreams() []string {
	says := httptest.NewServer(http.HandlerFunc(ws.answer))
	ws.Cleanup(says.Close)
	refuses := httptest.NewServer(nil)
	refuses.Close()
	plain := httptest.NewServer(http.NotFoundHandler())
	ws.Cleanup(plain.Close)
	return []string{
		"--upstream", "gateway=" + says.URL, "--upstream", "cardv1=" + refuses.URL,
		"--upstream", "cardv2=" + strings.Replace(plain.URL, "http:", "https:", 1),
	}
}

// answer answers a request with secrets of its own and those of the client.
func (ws *workspace) answer(w http.ResponseWriter, req *http.Request) {
	c := ws.runSecrets
	switch req.URL.Path {
	case "/payment/malformed":
		ws.say(w, "HTTP/1.1 200 OK\r\nX-Token "+c["malformed"]+"\r\n\r\n")
		return
	case "/payment/cut":
		ws.say(w, "HTTP/1.1 200 OK\r\nContent-Length: 999\r\n\r\n"+`{"password":"`+c["cut"]+`", "x`)
		return
	}
	body, err := io.ReadAll(req.Body)
	if err != nil {
		ws.Error(err)
	}
	head := w.Header()
	head.Set("Trailer", "X-Session-Id")
	head.Set("Set-Cookie", "session="+c["set-cookie"]+"; Path=/")
	head.Set("Location", "https://a:"+c["location"]+"@h.example/?access_token="+c["location query"])
	head.Set("Content-Type", "application/json")
	said, err := json.Marshal(map[string]string{
		"seToken": c["answer"], "errorMessage": "refused: " + req.RequestURI + " " + string(body),
	})
	if err != nil {
		ws.Error(err)
	}
	_, _ = w.Write(said) // the deck may have gone
	head.Set("X-Session-Id", c["answer's trailer"])
}

// say writes bytes in place of an answer and ends the connection.
func (ws *workspace) say(w http.ResponseWriter, text string) {
	conn, buf, err := http.NewResponseController(w).Hijack()
	if err != nil {
		ws.Error(err)
		return
	}
	defer conn.Close()
	say(buf, text)
}

// say writes to a peer that may have gone.
func say(buf *bufio.ReadWriter, text string) {
	_, _ = buf.WriteString(text)
	_ = buf.Flush()
}
