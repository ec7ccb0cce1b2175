package main

import (
	"bytes"
	"errors"
	"fmt"
	"os"
	"runtime"
	"time"

	"github.com/spf13/pflag"

	"github.com/paytape/paytape/proxy/cluster"
	"github.com/paytape/paytape/proxy/deck"
)

// clusterFlags make a deck one of several that share their sessions, or that record together.
type clusterFlags struct {
	servers     string
	keyFile     string
	credentials string
	lease       time.Duration
	replicas    int

	key []byte // made by check
}

// flags declares the flags for a mode. Those that cannot share anything say why.
func (f *clusterFlags) flags(fs *pflag.FlagSet, mode deck.Mode) {
	does, after := "share sessions", "the sessions of a deck that has died\ngo on at others"
	if mode == deck.Record {
		does, after = "record together", "another deck goes on with the recording of one\nthat has died"
	}
	fs.StringVar(&f.servers, "cluster", "", does+" with other decks over NATS at `ADDRESS`:\n"+
		"nats://HOST, or several separated by commas; see paytape help scale")
	markSecret(fs.Lookup("cluster")) // an address may hold a password
	if deck.CanShare(mode) != nil {
		fs.Lookup("cluster").Hidden = true
		return
	}
	fs.StringVar(&f.keyFile, "cluster-key-file", "", "`FILE` with 32 random bytes or more that all "+
		"these decks have:\nit seals what they say to each other")
	markSecretFile(fs.Lookup("cluster-key-file"))
	fs.StringVar(&f.credentials, "cluster-credentials", "", "`FILE` with credentials for NATS")
	markSecretFile(fs.Lookup("cluster-credentials"))
	fs.DurationVar(&f.lease, "cluster-lease", cluster.DefaultLease, "`TIME` after which "+after)
	fs.IntVar(&f.replicas, "cluster-replicas", 1, "keep everything on `N` servers of NATS")
}

// check looks at the flags for a mode and reads the key.
func (f *clusterFlags) check(mode deck.Mode) error {
	if f.servers == "" {
		return nil
	}
	if err := deck.CanShare(mode); err != nil {
		return withHint(misused(fmt.Errorf("--cluster: %w", err)), "paytape help scale")
	}
	if err := cluster.CheckServers(f.servers); err != nil {
		return misused(fmt.Errorf("--cluster: %w", err))
	}
	if f.replicas < 1 || f.replicas > 5 {
		return misused(fmt.Errorf("--cluster-replicas: expected 1 to 5, found %d", f.replicas))
	}
	var err error
	f.key, err = readClusterKey(f.keyFile)
	return err
}

// options are what the flags say to a deck; nil for a deck of its own.
func (f *clusterFlags) options() *deck.Cluster {
	if f.servers == "" {
		return nil
	}
	return &deck.Cluster{
		Servers: f.servers, Credentials: f.credentials, Key: f.key, Lease: f.lease,
		Replicas: f.replicas,
	}
}

// maxClusterKey bounds the file of a key, in bytes.
const maxClusterKey = 4 << 10

// readClusterKey reads the file of --cluster-key-file. Errors tell neither what is in it nor its name:
// who gives the key itself by mistake shall not read it in a log. The group may read it: so does
// Kubernetes hand out files to who is not root.
func readClusterKey(file string) ([]byte, error) {
	const hint = "umask 077; openssl rand -hex 32 > cluster.key"
	wrong := func(err error) error { return misused(fmt.Errorf("--cluster-key-file: %w", err)) }
	if file == "" {
		return nil, withHint(wrong(errors.New("--cluster needs the key of these decks")), hint)
	}
	info, err := os.Stat(file)
	switch {
	case err != nil:
		return nil, wrong(fmt.Errorf("reading the file it names: %w", withoutFileName(err)))
	case !info.Mode().IsRegular() || info.Size() > maxClusterKey:
		return nil, wrong(errors.New("expected the name of a small file"))
	case runtime.GOOS != "windows" && info.Mode().Perm()&0o037 != 0:
		return nil, withHint(wrong(fmt.Errorf("others may read the file: it has mode %04o",
			info.Mode().Perm())), "chmod 600 FILE")
	}
	data, err := os.ReadFile(file)
	if err != nil {
		return nil, wrong(fmt.Errorf("reading the file it names: %w", withoutFileName(err)))
	}
	key := bytes.TrimSuffix(bytes.TrimSuffix(data, []byte("\n")), []byte("\r")) // random bytes may end in blanks
	if len(key) < cluster.LeastKey {
		return nil, withHint(wrong(fmt.Errorf("expected %d bytes or more, found %d",
			cluster.LeastKey, len(key))), hint)
	}
	return key, nil
}
