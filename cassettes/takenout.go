package cassettes

import (
	"regexp"
	"slices"
	"strings"

	"github.com/paytape/paytape/internal/leaf"
	"go.yaml.in/yaml/v3"
)

// takenOut returns what cleaning took out of an exchange of a file, a line each: the notes that it made,
// and the texts beside the messages that it has changed, of which it makes no notes.
func takenOut(was, is *leaf.Exchange) []string {
	a, b := &was.Meta, &is.Meta
	told := len(a.Redactions)
	lines := slices.Clone(b.Redactions[min(told, len(b.Redactions)):])
	if told > 0 && !slices.Equal(a.Redactions, b.Redactions[:min(told, len(b.Redactions))]) {
		lines = append(lines, "redactions: text")
	}
	for _, text := range []struct {
		name, was, is string
	}{
		{"method", was.Method, is.Method},
		{"status", was.Response.Status, is.Response.Status},
		{"profile", a.Profile, b.Profile},
		{"operation", a.Operation, b.Operation},
		{"base", a.Base, b.Base},
		{"host", a.Host, b.Host},
		{"failure", a.Failure, b.Failure},
		{"fault", a.Fault, b.Fault},
		{"relayed", a.Relayed, b.Relayed},
		{"aliases", strings.Join(a.Aliases, "\n"), strings.Join(b.Aliases, "\n")},
		{"rules", strings.Join(a.Rules, "\n"), strings.Join(b.Rules, "\n")},
		{"profiles", strings.Join(a.Profiles, "\n"), strings.Join(b.Profiles, "\n")},
	} {
		if text.was != "" && text.was != text.is {
			lines = append(lines, text.name+": text")
		}
	}
	if !strings.HasPrefix(b.Withheld, a.Withheld) { // cleaning adds reasons
		lines = append(lines, "withheld: text")
	}
	if a.Callback != nil && b.Callback != nil && *a.Callback != *b.Callback {
		lines = append(lines, "callback: text")
	}
	return lines
}

// ourComments are the lines of a cassette file that are comments to a YAML library, as file.go draws
// them.
var ourComments = regexp.MustCompile(`^(# paytape cassette, [a-z0-9 ,;-]+|# profiles: .*|` +
	`# paytape: \d+ exchanges, sha256 [a-z]+)$`)

// appendComments appends the lines of comments that are not ours. A YAML library tells the lines of
// what they belong to.
func appendComments(lines []int, n *yaml.Node) []int {
	for i, comment := range []string{n.HeadComment, n.LineComment, n.FootComment} {
		if comment == "" {
			continue
		}
		all := strings.Split(comment, "\n")
		theirs := slices.IndexFunc(all, func(line string) bool {
			return line != "" && !ourComments.MatchString(line)
		})
		if theirs < 0 {
			continue
		}
		line := n.Line
		switch i {
		case 0: // above the node
			line = max(n.Line-len(all)+theirs, 1)
		case 2: // below
			line = n.Line + 1 + theirs
		}
		lines = append(lines, line)
	}
	for _, inner := range n.Content {
		lines = appendComments(lines, inner)
	}
	return lines
}
