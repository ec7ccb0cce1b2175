package deck

import (
	"crypto/tls"
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/paytape/paytape/cassettes"
	"github.com/paytape/paytape/internal/leaf"
	"github.com/paytape/paytape/match"
	"github.com/paytape/paytape/proxy"
	"github.com/paytape/paytape/proxy/admin"
	"github.com/paytape/paytape/redact"
)

// Mode says what a deck does with requests.
type Mode string

// The modes. The words are those of the commands, and of the metrics.
const (
	Replay Mode = "replay" // answers from tape; there is no way to the network
	Record Mode = "record" // asks the sandbox and records what it answers
	Spy    Mode = "spy"    // answers from tape, and records what the tape lacks
	Pass   Mode = "pass"   // asks the sandbox and records nothing
)

// Builtin in place of the URL of an upstream, alone or behind NAME=, stands for the built-in
// sandbox, which the deck starts and stops then.
const Builtin = "sandbox"

// DefaultDir is the folder of cassettes where Options.Dir names none.
const DefaultDir = "cassettes"

// Options say what a deck is. A field that is left out has a meaning that suits a test on this
// machine; Replay needs Cassettes or a Tape, Record and Spy need one cassette and Upstreams, and
// Pass needs Upstreams. A mode does not look at what is of no use to it.
type Options struct {
	// Mode says what the deck does. Empty: Replay.
	Mode Mode
	// Cassettes are names, without ".yaml": one or more to Replay, which makes one tape of them,
	// and one to Record or Spy, which continue a cassette that exists and begin one that does not.
	Cassettes []string
	// Dir is the folder of the cassettes. Empty: DefaultDir. Only a deck that records makes it.
	Dir string
	// Tape replays what Load has made, in place of Cassettes: many decks may share it. Dir,
	// Knowledge and Play are then those that it was loaded with. Nil: the deck loads Cassettes.
	Tape *Tape

	// Index is a folder in which the deck keeps what it has made of large sealed cassettes, so that
	// they are loaded many times faster again. It is made if it is not there. Files in it are as
	// sensitive as the cassettes, and may be deleted at any time. What is wrong with it is no error:
	// the cassettes are read. Empty: nothing is kept.
	Index string

	// Upstreams are the sandboxes: URL for all paths, PROFILE=URL for those of one API. The URL
	// may be Builtin.
	Upstreams []string
	// Hosts are other hosts of a flow, as NAME=URL, such as the pages of an issuer. Clients find
	// one at /_host/NAME/, and through Authority by its name.
	Hosts []string
	// UpstreamTLS is what TLS to the sandboxes is agreed on with; certificates are always
	// verified. Nil: what the system has.
	UpstreamTLS *tls.Config

	// Knowledge is what is known of the APIs and of what is secret in them. Nil: the built-in
	// profiles.
	Knowledge *Knowledge
	// Play says how the deck answers from tape.
	Play Play
	// RuleFiles are names of rules files: what this run does beside its mode, in this order. The
	// deck reads them again when they change. Their rows for fields ("rewrite") are compiled with
	// the tape: a Tape has those of the files that Load was given.
	RuleFiles []string
	// Cluster makes the deck one of several that share their sessions, or with JoinRecording one
	// recording. Nil: it has all its sessions alone.
	Cluster *Cluster
	// Callbacks say what the deck does about what the sandbox says to the shop by itself.
	Callbacks Callbacks

	// Listen is HOST:PORT. Empty: a free port that only this machine reaches.
	Listen string
	// Certificate has clients speak TLS with the deck. Nil: they speak plain HTTP.
	Certificate *tls.Certificate
	// Authority makes the deck a forward proxy too, which shows clients certificates of this
	// authority. Nil: it is none.
	Authority *proxy.Authority
	// Admin is where the deck is looked after. Nil: nowhere.
	Admin *Admin
	// Inspect is where people look at the deck: a page, and its API. Nil: it has no address of its own,
	// and is below that of Admin alone.
	Inspect *Inspect

	// MaxBody is the largest body that is recorded or compared, in bytes. 0: proxy.DefaultLimit.
	MaxBody int64
	// Sync says when the disk confirms what is recorded: "none", "interval" (once a second) or
	// "always" (before the client has its answer). Empty: "interval".
	Sync string
	// Stable makes what is recorded a stable tape when recording ends: its text depends on what was
	// said and not on when (package match/stable).
	Stable bool

	// Keep is how many exchanges are held for whoever looks at them: Deck.Events, with 4 KiB of memory
	// for each, between 16 MiB and 256 MiB in all. 0: hub.DefaultEvents.
	Keep int

	// Observe is told of every request, by many goroutines, and the request waits for it: it is
	// for what must not miss any and only counts. Deck.Events is for what may be slow, such as a
	// log. Nil: nobody is told.
	Observe func(proxy.Event)
	// Withheld is told what the last search before writing kept off the tape, by many
	// goroutines, and the request waits for it. Nil: nobody is told.
	Withheld func(redact.Safe)
	// Tell is told what an operator should know, while Start or Load run. Nil: nobody is told.
	Tell func(Notice)

	// Alone says that this process is a deck and nothing else. Its garbage collector is set for that:
	// tighter while a tape is loaded, and less eager from then on. So are its threads. Whoever has set
	// GOGC or GOMAXPROCS has that.
	Alone bool

	// clockBegan tells when the clock of the replay began to run. Nil: when the deck starts.
	clockBegan func() time.Time
	// owner is what a deck has from a SharedRecording. Nil: it is a deck alone.
	owner *ownerOptions
}

// Play says how a deck answers from tape. The zero Play mints fresh ids, moves dates to today,
// takes no more time than it needs, and serves answers with a mark.
type Play struct {
	leaf.Unprinted
	// Now is the clock of the replay, called by many goroutines. Nil: that of this machine.
	Now func() time.Time
	// RecordedClock starts the clock when the tape began, in place of Now.
	RecordedClock bool
	// RecordedIDs leaves the ids that the sandbox made as they are on tape.
	RecordedIDs bool
	// Seed makes fresh values repeatable. 0: a random one.
	Seed uint64
	// KeepDates leaves the dates of an API that no profile knows as they are on tape.
	KeepDates bool
	// RefuseMarked makes misses of answers that have a mark: see match.Marks.
	RefuseMarked bool
	// Credentials say which logins and passwords are good. Nil: all are taken for good.
	Credentials match.Credentials
	// Failures replays failures of the sandbox too, and AtOnce has its time-outs take no time.
	Failures, AtOnce bool
	// Latency has answers take the time that they took.
	Latency bool
	// Quiet leaves Paytape-Served out of the answers.
	Quiet bool
}

// Admin is an address at which a deck is looked after: health, metrics and reset. Package admin
// says what can be asked there.
type Admin struct {
	leaf.Unprinted
	// Listen is HOST:PORT. Empty: a free port that only this machine reaches.
	Listen string
	// Hosts are names, beside localhost, under which it may be asked.
	Hosts []string
	// Token is what it takes to ask, 16 letters, digits, dashes or underscores at least. Empty:
	// one is made, which is then part of Deck.Admin.
	Token string
	// Version is that of the program, as metrics tell it. Empty: none is told.
	Version string
}

// Inspect is an address at which people look at a deck. Package inspect says what there is.
type Inspect struct {
	leaf.Unprinted
	// Listen is HOST:PORT. Empty: a free port that only this machine reaches.
	Listen string
	// Hosts are names, beside localhost, under which it may be asked.
	Hosts []string
	// Token is what it takes to ask, as that of Admin. Empty: one is made, which is then part of
	// Deck.Inspector.
	Token string
	// Version is that of the program, as the page tells it. Empty: none is told.
	Version string
}

// Notice is a sentence for the operator, in lower case and without a full stop. It names options
// by the flags of the command, and holds values of the tape, names of files and addresses, but
// nothing secret other than the token that was made for Admin.
type Notice struct {
	// Warning says that the operator should look at something. Other notices tell what goes on.
	Warning bool
	Text    string
}

// OptionError says which option is wrong, or cannot be had. Whoever took the option from a flag
// shows Err beside the name of that flag.
type OptionError struct {
	Option string // the name of the field: "Upstreams", "Admin.Token"
	Err    error
}

// Error names the option.
func (e *OptionError) Error() string { return "option " + e.Option + ": " + e.Err.Error() }

// Unwrap returns what is wrong with the option.
func (e *OptionError) Unwrap() error { return e.Err }

// wrong returns an OptionError; nil stays nil.
func wrong(option string, err error) error {
	if err == nil {
		return nil
	}
	return &OptionError{option, err}
}

// Check tells what is wrong with options, by an OptionError or cassettes.ErrName, before anything
// is started or made. Start and Load check them too.
func (o Options) Check() error {
	_, err := o.checked()
	return err
}

// checked returns checked options, in which empty fields have got their meaning.
func (o Options) checked() (Options, error) {
	if o.Mode == "" {
		o.Mode = Replay
	}
	if o.Dir == "" {
		o.Dir = DefaultDir
	}
	if o.Sync == "" {
		o.Sync = string(cassettes.SyncInterval)
	}
	if o.Mode == Replay && o.Tape != nil {
		o.Knowledge, o.Play = o.Tape.knowledge, o.Tape.play
	}
	var err error
	if o.Knowledge == nil {
		if o.Knowledge, err = NewKnowledge(KnowledgeOptions{}); err != nil {
			return o, err
		}
	}
	if err = o.checkRules(); err != nil {
		return o, err
	}
	if err = o.checkMode(); err != nil {
		return o, err
	}
	if o.MaxBody < 0 {
		return o, wrong("MaxBody", errors.New("expected a number of bytes, found one below 0"))
	}
	if o.Keep < 0 {
		return o, wrong("Keep", errors.New("expected a number of exchanges, found one below 0"))
	}
	if err := o.Callbacks.check(o.Knowledge.profiles); err != nil {
		return o, err
	}
	if err := o.checkCluster(); err != nil {
		return o, err
	}
	if o.Admin != nil && o.Admin.Token != "" {
		if err := admin.CheckToken(o.Admin.Token); err != nil {
			return o, wrong("Admin.Token", err)
		}
	}
	if o.Inspect != nil && o.Inspect.Token != "" {
		if err := admin.CheckToken(o.Inspect.Token); err != nil {
			return o, wrong("Inspect.Token", err)
		}
	}
	specs, _ := upstreamSpecs(o.Hosts, nowhere)
	return o, wrong("Hosts", (&proxy.Upstreams{}).AddHosts(specs))
}

// checkRules reads the rules files, whose rows become a part of what is known.
func (o *Options) checkRules() error {
	if len(o.RuleFiles) == 0 {
		return nil
	}
	known, _, err := o.Knowledge.WithRules(o.RuleFiles...)
	if err == nil && o.Mode == Replay && o.Tape != nil && known != o.Knowledge {
		err = errors.New("rows under \"rewrite\" are compiled with the tape: give the files to Load too")
	}
	o.Knowledge = known
	return wrong("RuleFiles", err)
}

// checkMode looks at what a mode needs.
func (o *Options) checkMode() error {
	switch o.Mode {
	case Replay:
		return o.checkNames()
	case Record, Spy:
		if err := o.checkNames(); err != nil {
			return err
		}
		if _, err := cassettes.ParseSync(o.Sync); err != nil {
			return wrong("Sync", err)
		}
	case Pass:
	default:
		return wrong("Mode", fmt.Errorf("expected replay, record, spy or pass, found %q", o.Mode))
	}
	specs, _ := upstreamSpecs(o.Upstreams, nowhere)
	_, err := proxy.ParseUpstreams(o.Knowledge.profiles, specs)
	return wrong("Upstreams", err)
}

// checkNames looks at the names of cassettes.
func (o *Options) checkNames() error {
	switch {
	case o.Mode == Replay && o.Tape != nil:
		return nil
	case o.Mode == Replay && len(o.Cassettes) == 0:
		return wrong("Cassettes", errors.New("no cassette is named"))
	case o.Mode != Replay && len(o.Cassettes) != 1:
		return wrong("Cassettes", fmt.Errorf("expected the name of one cassette to %s, found %d",
			o.Mode, len(o.Cassettes)))
	}
	for i, name := range o.Cassettes {
		if err := cassettes.CheckName(name); err != nil {
			return err
		}
		// Each of two would have entities of its own.
		if slices.Contains(o.Cassettes[:i], name) {
			return wrong("Cassettes", fmt.Errorf("cassette %q is named twice", name))
		}
	}
	return nil
}

// What the exchanges that are held may have together, in bytes: an exchange of a card API has 3 KiB
// or so beside its headers. However many are wanted, a few large ones are held too.
const keepBytes, leastKeepBytes, mostKeepBytes = 4 << 10, 16 << 20, 256 << 20

// kept returns how much memory the exchanges may take that are held.
func (o *Options) kept() int64 {
	return min(max(int64(min(o.Keep, mostKeepBytes))*keepBytes, leastKeepBytes), mostKeepBytes)
}

// tell tells what goes on.
func (o *Options) tell(format string, args ...any) {
	o.notify(Notice{Text: fmt.Sprintf(format, args...)})
}

// warn tells of what the operator should look at.
func (o *Options) warn(text string) { o.notify(Notice{Warning: true, Text: text}) }

func (o *Options) notify(n Notice) {
	if o.Tell != nil {
		o.Tell(n)
	}
}
