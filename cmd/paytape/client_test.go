package main

import (
	"fmt"
	"io"
	"net/http"
	"os"
	"os/signal"
	"strings"
	"syscall"
)

// Exit codes of the program client.
const (
	clientRefused   = 4 // the status was one of an error
	clientUnserved  = 5 // there was no answer
	clientSignalled = 6 // it waited, and a signal came
)

// client is a program for scripts that knows nothing of paytape and heeds what Go's programs
// do heed: client METHOD URL [FORM] sends a request, client wait FILE writes a file and waits
// for a signal, client print NAME... prints variables.
func client() {
	switch os.Args[1] {
	case "wait":
		signals := make(chan os.Signal, 1)
		signal.Notify(signals, os.Interrupt, syscall.SIGTERM)
		if err := os.WriteFile(os.Args[2], nil, 0o600); err != nil {
			os.Exit(1)
		}
		fmt.Println("got", <-signals)
		os.Exit(clientSignalled)
	case "print":
		for _, name := range os.Args[2:] {
			fmt.Printf("%s=%s\n", name, os.Getenv(name))
		}
	default:
		os.Exit(ask(os.Args[1], os.ExpandEnv(os.Args[2]), strings.Join(os.Args[3:], "&")))
	}
}

// ask sends a request as any program would whose host is hard-coded.
func ask(method, url, form string) int {
	req, err := http.NewRequest(method, url, strings.NewReader(form))
	if err != nil {
		return clientUnserved
	}
	if form != "" {
		req.Header.Set("Content-Type", "application/x-www-form-urlencoded")
	}
	res, err := http.DefaultClient.Do(req)
	if err != nil {
		fmt.Println("no answer")
		return clientUnserved
	}
	defer res.Body.Close()
	body, err := io.ReadAll(res.Body)
	fmt.Println(res.Proto, res.Status, res.Header.Get("Paytape-Served"))
	fmt.Println(string(body))
	switch {
	case err != nil:
		return clientUnserved
	case res.StatusCode >= http.StatusBadRequest:
		return clientRefused
	}
	return 0
}

// plainTransport returns a transport that takes no proxy from the environment.
func plainTransport() *http.Transport { return &http.Transport{} }
