package main

import (
	"errors"
	"fmt"
	"io/fs"
	"strings"
	"text/tabwriter"
	"time"

	"github.com/paytape/paytape/proxy"
	"github.com/spf13/cobra"
)

const caLong = `As a proxy a deck shows itself to clients as the hosts that it stands for, by
certificates of an authority of its own. The authority is made once per install,
on first use or by init, and is one file that only its owner can read. Clients
trust it if they are given what export prints; paytape run does so for a command.

It signs for servers alone. Whoever has its key can pose as any host to those who
trust it, unless it was made for some hosts (--limit): clients refuse others then.`

// authorities is the command "ca" with its flags.
type authorities struct {
	*app
	dir   string
	hosts []string
}

func caCommand(a *app) *cobra.Command {
	c := &authorities{app: a}
	cmd := &cobra.Command{
		Use: "ca", Short: "see to the certificates of the proxy",
		Long: caLong,
		Args: knownCommand,
		Example: `  paytape ca init --limit pay.example --limit acs.example
  paytape ca export >paytape-ca.pem`,
		RunE: needsCommand,
	}
	c.below(cmd)
	return cmd
}

// below adds the commands below "ca".
func (c *authorities) below(cmd *cobra.Command) {
	for _, below := range []struct {
		name, short, long string
		limits            bool // takes --limit
		do                func(dir string) error
	}{
		{"init", "make an authority where there is none",
			"init makes an authority, and fails if there is one.", true, c.create},
		{"show", "tell where the authority is, and until when it is good",
			"show tells what there is to know of the authority, except its key.", false, c.show},
		{"export", "print the authority's certificate",
			"export prints the certificate in PEM, without the key, for clients to trust.",
			false, c.export},
		{"rotate", "make a new authority in the place of the old one",
			"rotate makes a new authority. Clients must be made to trust it anew.", true, c.rotate},
	} {
		sub := &cobra.Command{
			Use: below.name, Short: below.short, Long: below.long,
			Example: "  paytape ca " + below.name, Args: arguments(0, 0),
			RunE: func(*cobra.Command, []string) error {
				dir, err := authorityFolder(c.dir)
				if err != nil {
					return err
				}
				return below.do(dir)
			},
		}
		caDirFlag(sub.Flags(), &c.dir)
		if below.limits {
			c.limitFlag(sub)
		}
		cmd.AddCommand(sub)
	}
}

func (c *authorities) limitFlag(cmd *cobra.Command) {
	cmd.Example += " --limit pay.example"
	cmd.Flags().StringSliceVar(&c.hosts, "limit", nil, "`HOST` that it shall be good for, and hosts "+
		"below it; without one it\nis good for all; repeatable")
}

func (c *authorities) create(dir string) error {
	a, err := proxy.CreateAuthority(dir, c.hosts)
	if errors.Is(err, fs.ErrExist) {
		return withHint(errors.New("there is a certificate authority already"), "paytape ca show")
	}
	return c.tell(a, err)
}

func (c *authorities) rotate(dir string) error {
	return c.tell(proxy.ReplaceAuthority(dir, c.hosts))
}

func (c *authorities) show(dir string) error { return c.tell(loadAuthority(dir)) }

// loadAuthority reads the authority, and says how to come by one.
func loadAuthority(dir string) (*proxy.Authority, error) {
	a, err := proxy.LoadAuthority(dir)
	if errors.Is(err, proxy.ErrNoAuthority) {
		err = withHint(err, "paytape ca init")
	}
	return a, err
}

// tell prints what is known of an authority, without its key.
func (c *authorities) tell(a *proxy.Authority, err error) error {
	if err != nil {
		return err
	}
	hosts := strings.Join(a.Hosts(), ", ")
	if hosts == "" {
		hosts = "all that a deck is configured with"
	}
	t := tabwriter.NewWriter(c.out, 0, 0, 2, ' ', 0)
	fmt.Fprintf(t, "name\t%s\n", a.Name())
	fmt.Fprintf(t, "file\t%s\n", a.File())
	fmt.Fprintf(t, "expires\t%s\n", a.Expires().UTC().Format(time.DateOnly))
	fmt.Fprintf(t, "hosts\t%s\n", hosts)
	fmt.Fprintf(t, "sha256\t%s\n", a.Fingerprint())
	return t.Flush()
}

func (c *authorities) export(dir string) error {
	a, err := loadAuthority(dir)
	if err != nil {
		return err
	}
	c.print("%s", a.PEM())
	return nil
}
