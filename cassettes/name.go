package cassettes

import (
	"errors"
	"fmt"
	"path"
	"slices"
	"strings"
)

// The files of a cassette, which differ in what follows its name.
const (
	tapeSuffix    = ".yaml"
	journalSuffix = ".journal"
	lockSuffix    = ".lock"
	tempMark      = tapeSuffix + ".tmp-" // and a random word: a tape that is being written
)

// ErrName is returned for a name that no cassette can have.
var ErrName = errors.New("cassette name")

// CheckName returns an error, which is an ErrName, for a name that no cassette can have.
func CheckName(name string) error {
	_, err := checkName(name)
	return err
}

// checkName returns the plain name of a cassette. A name may come from a command line, a
// header or a file, and becomes a path inside the folder: letters, digits and "._-", in
// elements separated by slashes, none of which is hidden or looks like a file of ours. The
// file name of a tape is accepted for its cassette.
func checkName(name string) (string, error) {
	plain := strings.TrimSuffix(name, tapeSuffix)
	for element := range strings.SplitSeq(plain, "/") {
		if err := checkElement(element); err != nil {
			return "", fmt.Errorf("%w %q: %w", ErrName, name, err)
		}
	}
	return plain, nil
}

// maxElement is how long a part of a name may be: file systems take 255 bytes, and our files
// have longer names than their cassette.
const maxElement = 200

// devices are names that Windows takes for devices, with any suffix. A tape that is recorded
// elsewhere and committed must not break a checkout there.
var devices = []string{
	"con", "prn", "aux", "nul", "com1", "com2", "com3", "com4", "com5", "com6", "com7", "com8",
	"com9", "lpt1", "lpt2", "lpt3", "lpt4", "lpt5", "lpt6", "lpt7", "lpt8", "lpt9",
}

func checkElement(s string) error {
	if s == "" {
		return errors.New("empty, or an empty folder name")
	}
	for _, c := range []byte(s) {
		if !nameByte(c) {
			return errors.New("only letters, digits and ._- may be used, and / for folders")
		}
	}
	if s[0] == '.' || s[0] == '-' {
		return errors.New("may not begin with a dot or a dash")
	}
	for _, suffix := range []string{tapeSuffix, journalSuffix, lockSuffix} {
		if strings.HasSuffix(s, suffix) {
			return fmt.Errorf("may not end in %s", suffix)
		}
	}
	if len(s) > maxElement {
		return fmt.Errorf("longer than %d characters", maxElement)
	}
	if device, _, _ := strings.Cut(s, "."); slices.Contains(devices, strings.ToLower(device)) {
		return errors.New("the name of a device, which is no file on Windows")
	}
	if strings.Contains(s, tempMark) {
		return fmt.Errorf("may not contain %s", tempMark)
	}
	return nil
}

func nameByte(c byte) bool {
	return c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' || c >= '0' && c <= '9' ||
		c == '.' || c == '_' || c == '-'
}

// reserved is a name whose lock would be the lock of the sidecar paytape.lock, or that sidecar itself.
const reserved = "paytape"

// CheckNewName is CheckName for a cassette that is not there yet: some names that cassettes have got in
// earlier versions belong to other files now.
func CheckNewName(name string) error {
	plain, err := checkName(name)
	if err == nil && strings.EqualFold(path.Base(plain), reserved) {
		err = fmt.Errorf("%w %q: its lock would be %s, which tells which cassettes lie in a store", ErrName,
			name, reserved+lockSuffix)
	}
	return err
}

// PlainName returns the name of a cassette without the end of its file name, or an error, which is an
// ErrName, for a name that no cassette can have.
func PlainName(name string) (string, error) { return checkName(name) }
