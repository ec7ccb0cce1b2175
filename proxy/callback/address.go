package callback

import (
	"crypto/hmac"
	"crypto/rand"
	"crypto/sha256"
	"encoding/base64"
	"errors"
	"fmt"
	"io/fs"
	"net/url"
	"path/filepath"
	"strings"

	"github.com/paytape/paytape/internal/leaf"
	"github.com/paytape/paytape/proxy/internal/authority"
)

// Addresses makes the addresses that stand in requests in place of a shop's, and reads them again
// when a sandbox calls there:
//
//	https://shop.example/paid?tenant=7                     the shop's address, in a request
//	https://deck.example/cb/pt1.Wm9v...?tenant=7           that of the deck, which the sandbox gets
//	https://deck.example/cb/pt1.Wm9v...?tenant=7&mdOrder=3f...   what the sandbox asks for
//
// The token behind "pt1." packs the name of the profile and the shop's address, behind a MAC by a
// key of this install: a deck that was started again knows it, and nobody else can have a deck call
// anything. The shop's own query stays in the open too, because a sandbox may sign it along, and so
// does a user and password, which a client of HTTP sends as a header.
type Addresses struct {
	leaf.Unprinted
	public string // "https://deck.example/cb", without a slash at its end
	path   string // of public: "/cb", or empty
	key    []byte

	// Local says that sandboxes on this machine alone reach the public URL.
	Local bool
}

// tokenMark begins the path segment that is a token. No other path of the address begins so.
const tokenMark = "pt1."

// macSize is how many bytes of the MAC a token has (RFC 2104, section 5: half of it at least).
const macSize = 16

// NewAddresses returns the addresses below a public URL of the deck, under a key that NewKey or
// InstallKey has made.
func NewAddresses(public string, key []byte) (*Addresses, error) {
	to, err := url.Parse(public)
	switch {
	case err != nil, to.Scheme != "http" && to.Scheme != "https", to.Host == "":
		return nil, errors.New("expected a URL with http:// or https:// and a host")
	case to.User != nil, to.RawQuery != "", to.ForceQuery, strings.Contains(public, "#"):
		return nil, errors.New("expected a URL without user, query and fragment")
	case len(key) < keySize:
		return nil, errors.New("the key of relay addresses is too short")
	}
	path := strings.TrimRight(to.EscapedPath(), "/")
	return &Addresses{public: to.Scheme + "://" + to.Host + path, path: path, key: key}, nil
}

// Public returns the URL under which sandboxes reach the deck: the static address.
func (a *Addresses) Public() string { return a.public }

// Reaches reports whether a sandbox on this machine, or elsewhere, reaches the deck there.
func (a *Addresses) Reaches(here bool) bool { return here || !a.Local }

// Relay returns the address of the deck that stands for a shop's. It returns false for a text that
// is no address of the web, and for an address that leads to the deck already.
func (a *Addresses) Relay(profile, shop string) (string, bool) {
	s, ok := parseShop(shop)
	if !ok || strings.ContainsRune(profile, '\n') || a.leadsHere(shop) {
		return "", false
	}
	shop, _, _ = strings.Cut(shop, "#") // a fragment is never sent
	payload := profile + "\n" + shop
	token := base64.RawURLEncoding.EncodeToString(append(a.mac(payload), payload...))
	scheme, rest, _ := strings.Cut(a.public, "://")
	address := scheme + "://" + s.user + rest + "/" + tokenMark + token
	if strings.HasSuffix(s.path, "/") {
		address += "/" // a sandbox appends to it what it would append to the shop's
	}
	if s.hasQuery {
		address += "?" + s.query
	}
	return address, true
}

// Shop returns the address of a shop for which an address of the deck stands, and how many bytes of
// the text that is: all up to its query.
func (a *Addresses) Shop(text string) (n int, shop string, ok bool) {
	s, isURL := parseShop(text)
	if !isURL || !a.leadsHere(text) {
		return 0, "", false
	}
	t, err := a.target(s.path)
	if err != nil || !t.relayed || t.extra != "" {
		return 0, "", false
	}
	n = len(text)
	if end := strings.IndexAny(text, "?#"); end >= 0 {
		n = end
	}
	path, _, _ := strings.Cut(t.shop, "?")
	return n, path, true
}

// leadsHere reports whether an address begins with that of the deck.
func (a *Addresses) leadsHere(address string) bool {
	s, ok := parseShop(address)
	if !ok {
		return false
	}
	rest, found := strings.CutPrefix(s.origin+s.path, a.public)
	return found && (rest == "" || rest[0] == '/')
}

// target is what the path of a callback names.
type target struct {
	leaf.Unprinted
	relayed bool   // there is a token; else it is the static address
	profile string // empty for the static address
	shop    string // the address that the token stands for
	extra   string // what the sandbox put behind it: "" or "/paid"
}

// errToken is returned for a token that this install did not make.
var errToken = errors.New("the address is none that this deck has given out")

// target reads the raw path of a callback. A way to the deck may take off the path of the public
// URL, as some tunnels do.
func (a *Addresses) target(path string) (target, error) {
	if rest, found := strings.CutPrefix(path, a.path); found && (rest == "" || rest[0] == '/') {
		path = rest
	}
	first, extra, more := strings.Cut(strings.TrimPrefix(path, "/"), "/")
	if more {
		extra = "/" + extra
	}
	token, found := strings.CutPrefix(first, tokenMark)
	if !found {
		if path == "/" {
			path = ""
		}
		return target{extra: path}, nil
	}
	t, err := a.open(token)
	if err != nil {
		return target{}, err
	}
	t.extra = extra
	if s, _ := parseShop(t.shop); strings.HasSuffix(s.path, "/") {
		t.extra = strings.TrimPrefix(extra, "/")
	}
	return t, nil
}

// open reads a token. Only the very text that Relay has made is a token: the decoder passes over ends
// of lines, wherever they stand.
func (a *Addresses) open(token string) (target, error) {
	packed, err := base64.RawURLEncoding.Strict().DecodeString(token)
	if err != nil || len(packed) < macSize || strings.ContainsAny(token, "\r\n") {
		return target{}, errToken
	}
	payload := string(packed[macSize:])
	if !hmac.Equal(packed[:macSize], a.mac(payload)) {
		return target{}, errToken
	}
	name, shop, found := strings.Cut(payload, "\n")
	if _, ok := parseShop(shop); !found || !ok {
		return target{}, errToken
	}
	return target{relayed: true, profile: name, shop: shop}, nil
}

func (a *Addresses) mac(payload string) []byte {
	m := hmac.New(sha256.New, a.key)
	m.Write([]byte(payload)) // it never fails
	return m.Sum(nil)[:macSize]
}

// shopURL is an address of a shop taken apart, each part as raw as it is.
type shopURL struct {
	leaf.Unprinted
	origin   string // "http://127.0.0.1:3000"
	user     string // "name:password@", or empty
	path     string // "/paid", or empty
	query    string
	hasQuery bool
}

// parseShop takes apart an address of the web; false for a text that is none. A fragment is never
// sent, and belongs to no part.
func parseShop(address string) (shopURL, bool) {
	to, err := url.Parse(address)
	if err != nil || !strings.EqualFold(to.Scheme, "http") && !strings.EqualFold(to.Scheme, "https") ||
		to.Hostname() == "" || to.Opaque != "" {
		return shopURL{}, false
	}
	address, _, _ = strings.Cut(address, "#")
	scheme, rest, _ := strings.Cut(address, "://")
	rest, query, hasQuery := strings.Cut(rest, "?")
	host, path, hasPath := strings.Cut(rest, "/")
	if hasPath {
		path = "/" + path
	}
	s := shopURL{path: path, query: query, hasQuery: hasQuery}
	if at := strings.LastIndexByte(host, '@'); at >= 0 {
		s.user, host = host[:at+1], host[at+1:]
	}
	s.origin = scheme + "://" + host
	return s, true
}

// keySize is the length of a key in bytes, and keyFile the file of the key of an install.
const (
	keySize = 32
	keyFile = "callbacks.key"
)

// NewKey returns a key that lasts as long as whoever has it.
func NewKey() []byte {
	key := make([]byte, keySize)
	_, _ = rand.Read(key) // it never fails
	return key
}

// InstallKey returns the key of an install, which is made once and lies in a folder, beside the
// certificate authority. Processes that make it at the same time get the same. A file that others
// can read is refused: they could have the deck call what they like on this machine.
func InstallKey(dir string) ([]byte, error) {
	key, err := readKey(dir)
	if !errors.Is(err, fs.ErrNotExist) {
		return key, err
	}
	text := base64.StdEncoding.EncodeToString(NewKey()) + "\n"
	err = authority.MakeFile(filepath.Join(dir, keyFile), []byte(text))
	if err != nil && !errors.Is(err, fs.ErrExist) {
		return nil, fmt.Errorf("making the key of relay addresses: %w", err)
	}
	return readKey(dir)
}

// readKey reads the key of an install. Errors do not repeat what the file holds.
func readKey(dir string) ([]byte, error) {
	file := filepath.Join(dir, keyFile)
	data, err := authority.ReadFile(file)
	if err != nil {
		return nil, fmt.Errorf("reading the key of relay addresses: %w", err)
	}
	key, err := base64.StdEncoding.DecodeString(strings.TrimSpace(string(data)))
	if err != nil || len(key) != keySize {
		return nil, fmt.Errorf("reading the key of relay addresses: %s holds none; "+
			"remove it and another is made", file)
	}
	return key, nil
}
