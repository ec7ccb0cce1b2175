package tape

import (
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// written are the fields of each type that a tape is made of, in codes.go. Left out are those that are
// zero once a tape is compiled, and what something else tells.
var written = []struct{ of, fields, leftOut string }{
	{"profile.Field", "From Address Decides Deadline Signs Of Form Secret Tells Max As Rule", ""},
	{"request.Destination", "Host Path Bare", ""},
	{"request.Host", "Name Address", ""},
	{"tape.Argument", "Parameter Unborn Free Secret Tied Class Text Deciding", ""},
	{"tape.Asked", "Argument Names", "tie"},
	{"tape.Attempt", "Gap Status at", ""},
	{"tape.Attribute", "Path Name", ""},
	{"tape.Callback", "Operation Cassette Number Profile Cause Entity Role Birth Method Signed Gap " +
		"Attempts Class Place at address target header body", ""},
	{"tape.Entity", "EntityKind ID Scope Followed Config Born holders names more", "notes"},
	{"tape.EntityKind", "Kind Type Session nouns", ""},
	{"tape.Filling", "What Ref Slot Param Mint Renewed Secret Form K Cause Term Home Name Noun Series Rival Zone", ""},
	{"tape.Frame", "Cassette Session operation Op Method Status Coding Charset Fault Host Address " +
		"Code Broken Infers zone", "call"},
	{"tape.Item", "Entity Text Class", ""},
	{"tape.KeyReuse", "Recording First Use", ""},
	{"tape.Link", "Entity Write", ""},
	{"tape.Listing", "Kind Of Spec Items Before After Composable Linked", ""},
	{"tape.Named", "From To Role Noun Behind Rendering", ""},
	{"tape.Naming", "Path Noun Birth", ""},
	{"tape.Parameter", "Path Label Place Kind Known Field", ""},
	{"tape.Params", "form values", ""},
	{"tape.Place", "Named Renderings Free Chosen Card Optional Embeds Ties Strangers", ""},
	{"tape.Recorded", "Cassette Number Operation", ""},
	{"tape.Recording", "Frame Place Number Missing Target began answered Took Request Roles Reads Failed " +
		"Denied Lost Births Shown Rest Class surveyed header body", ""},
	{"tape.Ref", "Base N Steps", ""},
	{"tape.Rendering", "Like date How Letters", ""},
	{"tape.Rest", "Attributes Namings Listing Callbacks Makes Repeats tokens", ""},
	{"tape.Series", "Prefix Grows Apart Step Like Given", "seen wider pattern"},
	{"tape.Slot", "Name N", ""},
	{"tape.Source", "Filling Text at owner", ""},
	{"tape.Step", "To Kind N", ""},
	{"tape.Stranger", "Kind Text Refused", "calls"},
	{"tape.Tape", "Recordings Entities KeyReuses hosts routes called places fields tied scopes slots events says issued " +
		"series expiries steps failures orphans profiles", "config cells headers words slabs starts lists nothing"},
	{"tape.Template", "layout values", ""},
	{"tape.Tie", "Source moved", ""},
	{"tape.Writing", "Rendering enc whole odd To packing", ""},
	{"tape.answerHeader", "values plain trailer", ""},
	{"tape.configKey", "kind text", ""},
	{"tape.emptyArrays", "", "rec shapes"},
	{"tape.form", "parts", "of open"},
	{"tape.formPart", "Asked own", ""},
	{"tape.headerTemplate", "name text", ""},
	{"tape.holders", "wholes scopes", ""},
	{"tape.hosts", "names addresses named aliases origins", ""},
	{"tape.inferredLists", "", "empty shown"},
	{"tape.layout", "parts", "of open"},
	{"tape.more", "parts links members facts", ""},
	{"tape.nothingSent", "", "rec at"},
	{"tape.packing", "inner packs", ""},
	{"tape.part", "literal filling writing", ""},
	{"tape.position", "op path", ""},
	{"tape.redating", "from to zone", ""},
	{"tape.route", "next open ends", ""},
	{"tape.shownList", "", "kind of linked shape"},
	{"tape.spelling", "text raw inner", ""},
	{"tape.start", "base n", ""},
}

// TestEveryFieldIsWritten fails for a field that is in neither list. Whoever adds a field adds it to the
// function of its type in codes.go, and to its row here.
func TestEveryFieldIsWritten(t *testing.T) {
	var want []string
	for _, row := range written {
		fields := strings.Fields(row.fields + " " + row.leftOut)
		slices.Sort(fields)
		want = append(want, row.of+": "+strings.Join(fields, " "))
	}
	if diff := cmp.Diff(want, fieldsOf(t)); diff != "" {
		t.Errorf("fields of which codes.go may not know (-want +got):\n%s", diff)
	}
}

// elsewhere are the types that are coded by their names or by texts, those of time, and those of
// what is there only while a tape is compiled, or found out when it is read.
var elsewhere = []string{
	"profile.Entity", "profile.List", "profile.Profile", "profile.Operation", "profile.Call",
	"leaf.Encoder", "leaf.Packer", "time.Time", "time.Location", "tape.notes", "tape.words", "tape.cell",
	"tape.slabs", "tape.seen", "tape.Pieces", "profile.Pattern", "digests.Map[struct {}]",
}

// fieldsOf returns a line for each struct type that is reached from a tape.
func fieldsOf(t *testing.T) []string {
	t.Helper()
	var lines []string
	seen := map[reflect.Type]bool{}
	var visit func(reflect.Type)
	visit = func(of reflect.Type) {
		if seen[of] {
			return
		}
		seen[of] = true
		if slices.Contains(elsewhere, of.String()) {
			return
		}
		switch of.Kind() {
		case reflect.Pointer, reflect.Slice, reflect.Array:
			visit(of.Elem())
		case reflect.Map:
			visit(of.Key())
			visit(of.Elem())
		case reflect.Interface, reflect.Func, reflect.Chan:
			t.Errorf("a tape holds a %s, which no file can", of)
		case reflect.Struct:
			var fields []string
			for i := range of.NumField() {
				fields = append(fields, of.Field(i).Name)
				visit(of.Field(i).Type)
			}
			slices.Sort(fields)
			lines = append(lines, of.String()+": "+strings.Join(fields, " "))
		}
	}
	visit(reflect.TypeFor[Tape]())
	slices.Sort(lines)
	return lines
}
