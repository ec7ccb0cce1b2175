// Package storetest starts real servers that tapes are stored in, for tests: a container registry, the
// program docker-registry of Debian's package of that name, and a gateway that speaks S3, versitygw
// (github.com/versity/versitygw). Both keep what they get in a folder of the test, listen on loopback at
// free ports, want credentials, and end with the test. Where a program is not installed the test is
// skipped; .ci/run installs both.
package storetest

import (
	"encoding/base64"
	"fmt"
	"net"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"testing"
	"time"
)

// Server is a server that runs.
type Server struct {
	URL     string   // of a store in it
	Environ []string // where the credentials of its user are found: NAME=VALUE
}

// What the users of the servers are called, and their passwords. They protect nothing.
const (
	user     = "shop"
	password = "password-of-a-test"
	hashed   = "$2a$04$lmy.Ppv52HQaGSet6bKSTelXtnTXI.25Z63CJZAXt/dBnA/4ZCJte" // of the password, as htpasswd -B makes it
)

// Registry starts a container registry.
func Registry(t testing.TB) Server {
	t.Helper()
	program := need(t, "docker-registry")
	dir, address := t.TempDir(), freeAddress(t)
	users := filepath.Join(dir, "htpasswd")
	write(t, users, user+":"+hashed+"\n")
	config := filepath.Join(dir, "registry.yml")
	write(t, config, fmt.Sprintf("version: 0.1\nlog: {level: error, accesslog: {disabled: true}}\n"+
		"storage: {filesystem: {rootdirectory: %q}}\nhttp: {addr: %q}\n"+
		"auth: {htpasswd: {realm: tapes, path: %q}}\n", filepath.Join(dir, "data"), address, users))
	start(t, "http://"+address+"/v2/", exec.Command(program, "serve", config))
	login := base64.StdEncoding.EncodeToString([]byte(user + ":" + password))
	write(t, filepath.Join(dir, "config.json"),
		fmt.Sprintf(`{"auths": {%q: {"auth": %q}}}`, address, login))
	return Server{"oci://" + address + "/shop/tapes", []string{"DOCKER_CONFIG=" + dir}}
}

// Gateway starts a gateway that speaks S3.
func Gateway(t testing.TB) Server {
	t.Helper()
	program := need(t, "versitygw")
	dir, address := t.TempDir(), freeAddress(t)
	if err := os.Mkdir(filepath.Join(dir, "tapes"), 0o700); err != nil { // the bucket
		t.Fatal(err)
	}
	cmd := exec.Command(program, "--port", address, "--quiet", "posix", "--nometa", dir)
	cmd.Env = append(os.Environ(), "ROOT_ACCESS_KEY_ID="+user, "ROOT_SECRET_ACCESS_KEY="+password)
	start(t, "http://"+address+"/", cmd)
	return Server{"s3://tapes/shop?region=us-east-1&endpoint=http://" + address, []string{
		"AWS_ACCESS_KEY_ID=" + user, "AWS_SECRET_ACCESS_KEY=" + password,
	}}
}

// need returns the path of a program, or skips the test.
func need(t testing.TB, program string) string {
	t.Helper()
	path, err := exec.LookPath(program)
	if err != nil {
		t.Skipf("%s is not installed: .ci/run says how it is", program)
	}
	return path
}

// freeAddress returns an address at which nobody listens.
func freeAddress(t testing.TB) string {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	return l.Addr().String()
}

func write(t testing.TB, file, text string) {
	t.Helper()
	if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
}

// patience is how long a server may take to begin.
const patience = 30 * time.Second

// start starts a server and waits until it answers.
func start(t testing.TB, url string, cmd *exec.Cmd) {
	t.Helper()
	said, err := os.Create(filepath.Join(t.TempDir(), "said"))
	if err != nil {
		t.Fatal(err)
	}
	cmd.Stdout, cmd.Stderr = said, said
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		_ = cmd.Process.Kill() // it may have ended
		_ = cmd.Wait()
		_ = said.Close()
	})
	for until := time.Now().Add(patience); ; {
		res, err := http.Get(url)
		if err == nil {
			_ = res.Body.Close()
			return
		}
		if time.Now().After(until) {
			text, _ := os.ReadFile(said.Name())
			t.Fatalf("%s does not answer: %v: %s", cmd.Path, err, text)
		}
		time.Sleep(10 * time.Millisecond) // another process is waited for
	}
}
