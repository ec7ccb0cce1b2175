// Soak puts a deck under load and watches it from outside; see .ci/soak, which runs it. It also
// writes the recordings and serves the servers that such runs need.
package main

import (
	"flag"
	"fmt"
	"net"
	"net/http"
	"os"
	"strings"
	"time"

	"github.com/paytape/paytape/internal/workload"
)

const usage = `usage:
  soak tape  [-kind KIND,...] [-n EXCHANGES] [-seed N]     a recording, to standard output
  soak serve [-addr ADDRESS]                               the servers that the flows talk to
  soak play  -url URL [-kind KIND,...] [-h]               load, and what came of it

kinds:
`

func main() {
	commands := map[string]func([]string) error{"tape": tape, "serve": serve, "play": play}
	if len(os.Args) < 2 || commands[os.Args[1]] == nil {
		fmt.Fprint(os.Stderr, usage)
		for _, k := range workload.Kinds {
			fmt.Fprintf(os.Stderr, "  %-10s %s\n", k.Name, k.Summary)
		}
		os.Exit(2)
	}
	if err := commands[os.Args[1]](os.Args[2:]); err != nil {
		fmt.Fprintln(os.Stderr, "soak:", err)
		os.Exit(1)
	}
}

// kinds reads a list of kinds; "all" is all of them.
func kinds(list string) ([]workload.Kind, error) {
	if list == "all" {
		return workload.Kinds, nil
	}
	var found []workload.Kind
	for _, name := range strings.Split(list, ",") {
		k, ok := workload.KindOf(name)
		if !ok {
			return nil, fmt.Errorf("there is no kind %q", name)
		}
		found = append(found, k)
	}
	return found, nil
}

func tape(args []string) error {
	flags := flag.NewFlagSet("tape", flag.ExitOnError)
	names := flags.String("kind", "alike", "KIND of the flows; several in turns")
	size := flags.Int("n", 1000, "exchanges")
	seed := flags.Uint64("seed", 1, "of what the server mints")
	if err := flags.Parse(args); err != nil {
		return err
	}
	ks, err := kinds(*names)
	if err != nil {
		return err
	}
	flows, err := workload.Recording{Kinds: ks, Size: *size, Seed: *seed, Start: time.Now()}.Write(os.Stdout)
	fmt.Fprintln(os.Stderr, flows)
	return err
}

func serve(args []string) error {
	flags := flag.NewFlagSet("serve", flag.ExitOnError)
	address := flags.String("addr", "127.0.0.1:0", "ADDRESS to listen on")
	if err := flags.Parse(args); err != nil {
		return err
	}
	listener, err := net.Listen("tcp", *address)
	if err != nil {
		return err
	}
	fmt.Println("http://" + listener.Addr().String())
	return http.Serve(listener, workload.NewServer(1, nil))
}
