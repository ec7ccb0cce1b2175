package deck

import (
	"cmp"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"

	"github.com/paytape/paytape/proxy"
	"github.com/paytape/paytape/proxy/cluster"
)

// facts are what decks must have in common, because answers depend on it, or what is recorded.
type facts []cluster.Fact

// add adds a fact that is told by values.
func (f *facts) add(name string, of ...any) {
	sum := sha256.New()
	for _, v := range of {
		enter(sum, fmt.Sprint(v))
	}
	*f = append(*f, cluster.Fact{Name: name, Digest: hex.EncodeToString(sum.Sum(nil)[:16])})
}

// facts returns the facts of a deck that replays or records.
func (o *Options) facts() (facts, error) {
	program, err := programID()
	if err != nil {
		return nil, fmt.Errorf("identifying the program: %w", err)
	}
	var f facts
	f.add("the mode", o.Mode) // decks of one key that replay do not mix with those that record
	f.add("the program", program)
	known := []any{o.Knowledge.prefixes, o.Knowledge.keepPII}
	for _, p := range o.Knowledge.profiles.Profiles() {
		known = append(known, p.Name, p.Digest)
	}
	f.add("the profiles", known...)
	rules, err := o.rulesSum()
	if err != nil {
		return nil, err
	}
	f.add("the rules", rules)
	f.add("--seed", o.Play.Seed)
	f.add("--host", o.Hosts)
	f.add("--max-body", cmp.Or(o.MaxBody, proxy.DefaultLimit))
	c := &o.Callbacks
	called := []any{c.Mode, c.To, c.PublicURL}
	for _, k := range c.Keys {
		called = append(called, k.Profile, k.Text)
	}
	f.add("the options for callbacks", called...)
	if o.Mode == Record {
		o.recordingFacts(&f)
		return f, nil
	}
	return f, o.replayFacts(&f)
}

// replayFacts are those of decks that replay.
func (o *Options) replayFacts(f *facts) error {
	tapes, err := o.tapesSum()
	if err != nil {
		return err
	}
	p := &o.Play
	f.add("the tapes", tapes)
	f.add("--ids", p.RecordedIDs)
	f.add("--clock", p.RecordedClock, p.Now != nil)
	f.add("--marked", p.RefuseMarked)
	f.add("--unknown-dates", p.KeepDates)
	f.add("--failures", p.Failures, p.AtOnce)
	f.add("--latency", p.Latency)
	f.add("--quiet-headers", p.Quiet)
	credentials := []any{len(p.Credentials)}
	for _, one := range p.Credentials {
		credentials = append(credentials, one.Name, one.Value, one.Bad)
	}
	f.add("--credentials", credentials...)
	return nil
}

// recordingFacts are those of decks that record one cassette together. TLS ends at the owner, so clients
// of all decks see its certificates.
func (o *Options) recordingFacts(f *facts) {
	f.add("the cassette", o.Cassettes)
	f.add("--upstream", o.Upstreams)
	f.add("--sync", o.Sync)
	f.add("--stable", o.Stable)
	var certificate, authority []byte
	if o.Certificate != nil && len(o.Certificate.Certificate) > 0 {
		certificate = o.Certificate.Certificate[0]
	}
	if o.Authority != nil {
		authority = o.Authority.PEM()
	}
	f.add("--tls-cert", certificate)
	f.add("the certificate authority of --forward", authority)
	f.add("--admin", o.Admin != nil)
	f.add("--inspect", o.Inspect != nil)
	token := ""
	if o.Admin != nil {
		token = o.Admin.Token
	}
	f.add("--admin-token", token)
}

// rulesSum sums up the rules files.
func (o *Options) rulesSum() (string, error) {
	read, err := readRules(o.Knowledge.profiles, o.RuleFiles)
	if err != nil {
		return "", wrong("RuleFiles", err)
	}
	return fmt.Sprint(len(o.RuleFiles), read.sum), nil
}

// tapesSum sums up the cassettes as they lie in their folder, with what was left in a journal.
func (o *Options) tapesSum() (string, error) {
	sum := sha256.New()
	for _, name := range o.Cassettes {
		for _, ending := range []string{".yaml", ".journal"} {
			file := filepath.Join(o.Dir, filepath.FromSlash(name)+ending)
			f, err := os.Open(file)
			if errors.Is(err, fs.ErrNotExist) {
				enter(sum, name, ending, "none") // loading tells if it had to be there
				continue
			}
			if err != nil {
				return "", fmt.Errorf("summing up a cassette: %w", err)
			}
			own := sha256.New()
			_, err = io.Copy(own, f)
			if err = errors.Join(err, f.Close()); err != nil {
				return "", fmt.Errorf("summing up a cassette: %w", err)
			}
			enter(sum, name, ending, string(own.Sum(nil)))
		}
	}
	return string(sum.Sum(nil)), nil
}
