package main

import (
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"text/tabwriter"
	"time"

	"github.com/paytape/paytape/cassettes"
	"github.com/paytape/paytape/cassettes/store/lockfile"
	"github.com/paytape/paytape/internal/count"
	"github.com/paytape/paytape/internal/leaf"
	"github.com/paytape/paytape/match"
	"github.com/paytape/paytape/match/stable"
	"github.com/spf13/cobra"
)

const listLong = `list prints the cassettes of a folder: how many exchanges and flows each has, of which
APIs, how old its last exchange is (a stable cassette does not tell), and whether the
file is as paytape wrote it (sealed), was changed since (edited), or is another program's
(foreign). An edited or foreign file is cleaned again whenever it is loaded: paytape seal
does it once. What a recording that is running or was killed has left beside a file is
counted too (unfinished). A cassette that paytape.lock names and the folder lacks is
listed with what the lock tells of it, and with the command that brings it (absent).

To count flows a cassette is compiled, which takes seconds where it is large. The flows
of cassettes of more than 4 MB are counted only with --flows.`

// shelf is the command "list" with its flags.
type shelf struct {
	*app
	knowledge
	dir    string
	asJSON bool
	flows  bool // of large cassettes too
	now    func() time.Time
}

func listCommand(a *app) *cobra.Command {
	s := &shelf{app: a, now: time.Now}
	cmd := &cobra.Command{
		Use:   "list",
		Short: "list the cassettes of a folder",
		Long:  listLong,
		Example: `  paytape list
  paytape list --dir testdata/cassettes
  paytape list --json | jq -r '.[] | select(.seal != "sealed").name'`,
		Args: arguments(0, 0),
		RunE: func(cmd *cobra.Command, _ []string) error {
			return interruptibly(cmd.Context(), s.run)
		},
	}
	fs := cmd.Flags()
	fs.BoolVar(&s.asJSON, "json", false, "print JSON")
	fs.BoolVar(&s.flows, "flows", false, "count the flows of large cassettes too")
	dirFlag(fs, &s.dir)
	s.knowledge.flags(fs)
	return cmd
}

// shelved is a cassette in the list.
type shelved struct {
	Name      string    `json:"name"`
	Exchanges int       `json:"exchanges"`
	Callbacks int       `json:"callbacks"` // of the exchanges
	Flows     *int      `json:"flows"`     // nil: nobody has counted
	Profiles  []string  `json:"profiles"`
	Last      time.Time `json:"last,omitzero"`   // when its last exchange began; zero: nobody knows
	Stable    bool      `json:"stable"`          // its times tell nothing of the recording
	Seal      string    `json:"seal"`            // one of the words below
	Left      int       `json:"left,omitempty"`  // exchanges that are in no file yet
	Error     string    `json:"error,omitempty"` // why it cannot be read; the rest is empty then
}

// What a cassette is as a file.
const (
	sealed     = "sealed"
	edited     = "edited"     // no seal, or one that does not agree
	foreign    = "foreign"    // another program wrote it
	unfinished = "unfinished" // a recording is running or was killed
	absent     = "absent"     // only paytape.lock knows it
)

func (s *shelf) run() error {
	if err := s.check(); err != nil {
		return err
	}
	library, err := cassettes.OpenExisting(s.dir)
	if err != nil {
		return hintFolder(err)
	}
	defer library.Close()
	names, err := library.List()
	if err != nil {
		return err
	}
	all := make([]shelved, 0, len(names))
	broken := 0
	for _, name := range names {
		c := s.look(library, name)
		if c.Error != "" {
			broken++
		}
		all = append(all, c)
	}
	all = s.addLocked(library, all)
	if s.asJSON {
		err = writeJSON(s.out, all)
	} else {
		s.print("%s", printable(s.text(all)))
	}
	if err == nil && broken > 0 {
		err = fmt.Errorf("%s cannot be read", count.Of(broken, "cassette"))
	}
	return err
}

// addLocked adds the cassettes that only paytape.lock knows. A lock that cannot be read hides no cassette.
func (s *shelf) addLocked(library *cassettes.Library, all []shelved) []shelved {
	lock, err := lockfile.Read(library)
	if err != nil {
		s.voice.warn(err.Error())
		return all
	}
	byName := func(a, b shelved) int { return strings.Compare(a.Name, b.Name) }
	for _, t := range lock.Tapes() {
		c := shelved{
			Name: t.Name, Exchanges: t.Exchanges, Profiles: append([]string{}, t.Profiles...),
			Last: t.Recorded, Seal: absent,
		}
		if at, here := slices.BinarySearchFunc(all, c, byName); !here {
			all = slices.Insert(all, at, c)
		}
	}
	return all
}

// leastLarge is from how many bytes on a cassette is large. Smaller ones are compiled in half a second or
// less.
const leastLarge = 4 << 20

// aroundBodies is how many bytes of an exchange are not in its bodies, as far as a list goes.
const aroundBodies = 1 << 10

// look reads a cassette. What is large is neither held nor compiled.
func (s *shelf) look(library *cassettes.Library, name string) shelved {
	c := shelved{Name: name, Profiles: []string{}}
	if err := s.read(library, &c); err != nil {
		return shelved{Name: name, Profiles: c.Profiles[:0], Error: err.Error()}
	}
	slices.Sort(c.Profiles)
	return c
}

func (s *shelf) read(library *cassettes.Library, c *shelved) (err error) {
	tape, err := library.Read(c.Name, s.redactor())
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, tape.Close()) }()
	tape.Formless = true // nothing is shown of it
	c.Left = tape.Left()
	c.noteProfiles(tape.HeadProfiles()...)
	size, counted := 0, true
	cassette := match.Cassette{Name: c.Name}
	for clean := range tape.All {
		x := clean.Exchange()
		c.note(x)
		size += len(x.Request.Body) + len(x.Response.Body) + aroundBodies
		if counted = counted && (s.flows || size < leastLarge); !counted {
			cassette.Exchanges = nil
			continue
		}
		cassette.Exchanges = append(cassette.Exchanges, x)
	}
	if err := tape.Err(); err != nil {
		return err
	}
	if counted {
		n := match.Compile(match.Options{Profiles: s.profiles()}, cassette).FlowCount()
		c.Flows = &n
	}
	switch {
	case c.Left > 0:
		c.Seal = unfinished
	case tape.Sealed():
		c.Seal = sealed
	case tape.Foreign():
		c.Seal = foreign
	default:
		c.Seal = edited
	}
	return nil
}

// note counts an exchange.
func (c *shelved) note(x *leaf.Exchange) {
	m := &x.Meta
	c.Exchanges++
	switch {
	case stable.Clocked(x):
		c.Stable = true
	case m.At.After(c.Last):
		c.Last = m.At
	}
	if m.Callback != nil {
		c.Callbacks++
	}
	c.noteProfiles(m.Profile)
	c.noteProfiles(m.Profiles...)
}

// noteProfiles notes profiles by their names or editions: "mine@98fe76dc54ba on gateway@1a2b3c4d5e6f".
func (c *shelved) noteProfiles(editions ...string) {
	for _, edition := range editions {
		name, _, _ := strings.Cut(edition, "@")
		if name != "" && !slices.Contains(c.Profiles, name) {
			c.Profiles = append(c.Profiles, name)
		}
	}
}

func (s *shelf) text(all []shelved) string {
	if len(all) == 0 {
		return "no cassettes\n"
	}
	var b strings.Builder
	t := tabwriter.NewWriter(&b, 0, 0, 2, ' ', 0)
	fmt.Fprintln(t, "NAME\tEXCHANGES\tFLOWS\tPROFILES\tAGE\tSEAL")
	for _, c := range all {
		if c.Error != "" {
			fmt.Fprintf(t, "%s\t%s\n", c.Name, c.Error)
			continue
		}
		profiles := strings.Join(c.Profiles, ", ")
		if profiles == "" {
			profiles = "-"
		}
		flows := "-"
		if c.Flows != nil {
			flows = strconv.Itoa(*c.Flows)
		}
		fmt.Fprintf(t, "%s\t%d\t%s\t%s\t%s\t%s\n", c.Name, c.Exchanges, flows, profiles,
			c.age(s.now()), c.state())
	}
	_ = t.Flush() // a strings.Builder takes everything
	return b.String()
}

// state says what the file is.
func (c *shelved) state() string {
	if c.Seal == absent {
		return "not here: paytape pull " + shellWord(c.Name)
	}
	return c.Seal
}

// age says how old the last exchange is. The clock of a stable tape is its own.
func (c *shelved) age(now time.Time) string {
	if c.Stable && c.Last.IsZero() {
		return "stable"
	}
	return age(c.Last, now)
}

// age says how long ago something was, in the largest unit of which there are two at least.
func age(then, now time.Time) string {
	const day = 24 * time.Hour
	d := now.Sub(then)
	switch {
	case then.IsZero():
		return "-"
	case d < 2*time.Minute:
		return "now"
	case d < 2*time.Hour:
		return count.Of(int64(d/time.Minute), "minute")
	case d < 2*day:
		return count.Of(int64(d/time.Hour), "hour")
	}
	return count.Of(int64(d/day), "day")
}
