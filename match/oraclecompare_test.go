package match_test

import (
	"fmt"
	"maps"
	"os"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"
)

// oracleAnswer is an answer as a client sees it.
type oracleAnswer struct {
	code                  int
	media, location, body string
	from, mark            string           // of replay: the exchange that it was recorded in, and its mark
	deck                  string           // where replay thinks the deck is, if that is not oracleDeck
	told                  []*oracleAnswer  // the callbacks that came with it
	calls                 []oracleCallback // the same, of a stand-in, as they came
}

func (a *oracleAnswer) status() string { return strconv.Itoa(a.code) }

// oracleTriple is the answers of three sides to one request: of the one that is judged, of a
// fresh stand-in, and of another with another seed. What the two stand-ins say differently is
// theirs to choose; everything else the client must find literally in the first.
type oracleTriple struct {
	got, want, other *oracleAnswer
	issues           bool // the call issues a card, whose mask may be that of another by chance
	now              time.Time
	unseen           []oracleGap // when something was done that did not pass the deck
	apart            bool        // the sides have told it at other times
}

// oracleGap is when something was done of which replay knows no more than that it was after the
// client's last call through the deck.
type oracleGap struct{ at, after time.Time }

// oracleDiff is a leaf in which an answer is not what it must be.
type oracleDiff struct{ path, got, want, why string }

func (d oracleDiff) String() string {
	return fmt.Sprintf("%s: got %s, want %s: %s", d.path, hidden(d.got), hidden(d.want), d.why)
}

// oracleBijection pairs the values that a stand-in made with those that the judged side shows
// for them, over a whole playing.
type oracleBijection struct {
	there map[string]string  // kind and the stand-in's value, to the shown one
	back  map[string]string  // and back; not of values so short that they come twice by chance
	born  map[string]string  // dates
	masks map[[2]string]bool // pairs of masks of numbers that the API made

	patterns []*regexp.Regexp // forms of ids that the recording lets one know
}

func newOracleBijection(patterns []*regexp.Regexp) *oracleBijection {
	return &oracleBijection{
		map[string]string{}, map[string]string{}, map[string]string{}, map[[2]string]bool{}, patterns,
	}
}

// oracleComparison is the comparison of one triple. Pairs that it finds are kept if all agrees.
type oracleComparison struct {
	*oracleBijection
	oracleTriple
	new   oracleBijection
	diffs []oracleDiff
	made  [][3]string // minted values of digits: got, want, other
}

// compare compares the answers of a triple. Where they agree, the values that are new are
// paired.
func (b *oracleBijection) compare(t oracleTriple) []oracleDiff {
	c := oracleComparison{
		oracleBijection: b, oracleTriple: t, new: *newOracleBijection(nil),
	}
	got, want, other := oracleLeaves(t.got), oracleLeaves(t.want), oracleLeaves(t.other)
	for _, path := range slices.Sorted(maps.Keys(want)) {
		w, g := want[path], got[path]
		switch {
		case g.path == "":
			c.differ(path, "nothing", w.text, "it is missing")
		case g.kind != w.kind:
			c.differ(path, g.kind.String(), w.kind.String(), "another JSON type")
		default:
			c.leaf(g, w, other[path])
		}
	}
	for _, path := range slices.Sorted(maps.Keys(got)) {
		if want[path].path == "" {
			c.differ(path, got[path].text, "nothing", "the stand-in has no such leaf")
		}
	}
	c.endings()
	if pass := oraclePass(); pass != nil {
		c.diffs = slices.DeleteFunc(c.diffs, func(d oracleDiff) bool {
			return pass.MatchString(d.path)
		})
	}
	if len(c.diffs) == 0 {
		maps.Copy(b.there, c.new.there)
		maps.Copy(b.back, c.new.back)
		maps.Copy(b.masks, c.new.masks)
		maps.Copy(b.born, c.new.born)
	}
	return c.diffs
}

func (c *oracleComparison) differ(path, got, want, why string) {
	c.diffs = append(c.diffs, oracleDiff{path, got, want, why})
}

// oracleKinds are keys whose values are no matter of equality.
var oracleKinds = map[string]string{
	// Secrets, which cleaning takes out: only that there is one matters.
	"cvc": "secret", "cvc2": "secret", "cvv2": "secret", "pinValue": "secret",
	"encryptedPinValue": "secret", "xid": "secret", "cavv": "secret", "keyValue": "secret",
	"checksum": "secret", "checkValue": "secret", "lmkHsmKeyValue": "secret", "token": "secret",
	// The address of the payer, which nobody has sent, is a person's for cleaning.
	"ip": "secret", "Ip": "secret",
	// Values that are another in each answer and come back in no request, and one that a client
	// gets only to send it back.
	"trace": "volatile", "nonce": "volatile",
	// Values so short that two stand-ins may make the same.
	"approvalCode": "approval", "authCode": "approval", "authorizationIdResponse": "approval",
	"authorizationCode": "approval", "systemTraceAuditNumber": "stan",
	"account": "account", "from": "account", "to": "account", "transfer": "transfer",
}

// oraclePass matches the paths of leaves that are not compared: PAYTAPE_ORACLE_PASS is for looking
// past a fault that is known.
var oraclePass = sync.OnceValue(func() *regexp.Regexp {
	if text := os.Getenv("PAYTAPE_ORACLE_PASS"); text != "" {
		return regexp.MustCompile(text)
	}
	return nil
})

// leaf compares one leaf.
func (c *oracleComparison) leaf(got, want, other oracleLeaf) {
	kind := oracleKinds[want.key]
	if kind == "" && got.text == want.text && want.text == other.text {
		return // nobody made it
	}
	if kind == "secret" {
		if got.text == "" && want.text != "" {
			c.differ(want.path, got.text, want.text, "a secret is missing")
		}
		return
	}
	g, w, o := opened(got.text), opened(want.text), opened(other.text)
	if c.got.deck != "" {
		g = strings.ReplaceAll(g, c.got.deck, oracleDeck)
	}
	if want.key == "page" {
		// Cleaning takes the password of the test page out of its prose, too.
		g, w, o = oracleSecret(g), oracleSecret(w), oracleSecret(o)
	}
	gotWords, gotBetween := oracleWords(g)
	words, between := oracleWords(w)
	others, _ := oracleWords(o)
	if !slices.Equal(gotBetween, between) {
		if want.key == "page" {
			g, w = "a page", "another page"
		}
		c.differ(want.path, g, w, "not equal")
		return
	}
	if len(others) != len(words) {
		others = words
	}
	for i := range words {
		if why := c.word(want, kind, gotWords[i], words[i], others[i]); why != "" {
			c.differ(want.path, gotWords[i], words[i], why)
			return
		}
	}
}

// oracleMark is what cleaning leaves of a secret in prose.
var oracleMark = regexp.MustCompile(`REDACTED-[a-z]+-[0-9]+`)

// oracleSecret takes the passwords that test pages show out of a page.
func oracleSecret(page string) string {
	page = oracleMark.ReplaceAllString(page, "SECRET")
	return strings.ReplaceAll(page, "12345678", "SECRET")
}

// word compares one word of a leaf, and returns what is wrong with it.
func (c *oracleComparison) word(leaf oracleLeaf, kind, got, want, other string) string {
	if at, ok := oracleDate(want, c.now, c.now.Location()); ok && want == other {
		return c.date(leaf.key, got, want, at)
	}
	if kind == "volatile" {
		return c.shape(got, want, other)
	}
	if want == other && kind == "" && !strings.HasPrefix(want, "427600*") {
		if got != want {
			return "not equal"
		}
		return ""
	}
	if kind == "stan" && numeric(got) && len(got) <= 6 {
		return c.pair(leaf.key, kind, got, want) // a number without padding
	}
	if why := c.shape(got, want, other); why != "" {
		return why
	}
	if why := c.hour(got, want, other); why != "" {
		return why
	}
	if strings.Contains(want, "*") {
		return c.mask(got, want)
	}
	c.made = append(c.made, [3]string{got, want, other})
	return c.pair(leaf.key, kind, got, want)
}

// pair pairs two values.
func (c *oracleComparison) pair(key, kind, got, want string) string {
	if numeric(got) && numeric(want) && len(want) > 6 {
		got, want = strings.TrimLeft(got, "0"), strings.TrimLeft(want, "0")
	}
	if key == "Location" {
		key = "id" // of what was made there
	}
	byChance := kind == "approval" || kind == "stan"
	if len(want) >= 8 {
		kind = "long" // the same thing wherever it stands
	} else if kind == "" {
		kind = key
	}
	if old, known := c.find(c.there, c.new.there, kind+" "+want); known && old != got {
		return "this was " + hidden(old) + " before"
	}
	if old, known := c.find(c.back, c.new.back, kind+" "+got); known && old != want && !byChance {
		return "this is something else's, here " + hidden(old)
	}
	c.new.there[kind+" "+want], c.new.back[kind+" "+got] = got, want
	about := func(pair [2]string) bool { return fits(pair[0], want) }
	right := func(pair [2]string) bool { return fits(pair[1], got) }
	if isCardNumber(want) && !c.issues && !c.masked(about, right) {
		return "it does not fit the mask that was shown before"
	}
	return ""
}

func (*oracleComparison) find(kept, new map[string]string, key string) (string, bool) {
	if v, ok := new[key]; ok {
		return v, true
	}
	v, ok := kept[key]
	return v, ok
}

// masked reports whether some of the pairs of masks that are about one card are also right about
// it, or none is about it.
func (c *oracleComparison) masked(about, right func(pair [2]string) bool) bool {
	none := true
	for _, pairs := range []map[[2]string]bool{c.masks, c.new.masks} {
		for pair := range pairs {
			if about(pair) {
				if none = false; right(pair) {
					return true
				}
			}
		}
	}
	return none
}

// mask compares masks of a number that the API made: they must fit the number, if it is known.
// Two numbers may have one mask.
func (c *oracleComparison) mask(got, want string) string {
	known, fitting := false, false
	for _, pairs := range []map[string]string{c.there, c.new.there} {
		for number, shown := range pairs {
			if _, number, _ = strings.Cut(number, " "); isCardNumber(number) && fits(want, number) {
				known, fitting = true, fitting || fits(got, shown)
			}
		}
	}
	if known && !fitting && !c.issues {
		return "it is no mask of that card"
	}
	c.new.masks[[2]string{want, got}] = true
	return ""
}

// oracleRounding is by how much a date may be off: forms without fractions of a second round.
const oracleRounding = 1100 * time.Millisecond

// date compares dates with a time of day. Each tells the same event on both sides, and one that was
// shown before stays.
func (c *oracleComparison) date(key, got, want string, at time.Time) string {
	shown, ok := oracleDate(got, c.now, c.now.Location())
	if !ok || len(got) != len(want) && !strings.Contains(want, "T") {
		return "no date of this form"
	}
	unseen := slices.ContainsFunc(c.unseen, func(g oracleGap) bool {
		return at.Sub(g.at).Abs() < oracleRounding && !shown.Before(g.after) && !shown.After(c.now)
	})
	if off := shown.Sub(at); off.Abs() > oracleRounding && !unseen && !c.apart {
		return "the date is off by " + off.String()
	}
	if old, known := c.find(c.born, c.new.born, key+" "+want); known && old != got {
		return "the date was " + old + " before"
	}
	c.new.born[key+" "+want] = got
	return ""
}

// hour compares reference numbers that begin with the hour, YDDDHHnnnnnn.
func (c *oracleComparison) hour(got, want, other string) string {
	begin := fmt.Sprintf("%d%03d%02d", c.now.Year()%10, c.now.YearDay(), c.now.Hour())
	if len(want) == 12 && strings.HasPrefix(want, begin) && strings.HasPrefix(other, begin) &&
		!strings.HasPrefix(got, begin) {
		return "it does not begin with the hour " + begin
	}
	return ""
}

// endings compares the ties of digits in one answer: an approval that is the end of a reference
// number at both stand-ins must be its end here.
func (c *oracleComparison) endings() {
	for _, short := range c.made {
		for _, long := range c.made {
			tied := true
			for side := 1; side < 3; side++ {
				tied = tied && len(short[side]) < len(long[side]) && numeric(long[side]) &&
					strings.HasSuffix(long[side], short[side])
			}
			if tied && !strings.HasSuffix(long[0], short[0]) {
				c.differ("", short[0], "the end of "+long[0], "the tie of two numbers is lost")
			}
		}
	}
}
