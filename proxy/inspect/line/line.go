package line

import (
	"strings"

	"github.com/paytape/paytape/proxy/inspect/view"
)

// Text returns the text of any value of package view that has one; false for others.
func Text(v any, o Options) (string, bool) {
	switch v := v.(type) {
	case view.Row:
		return rows([]view.Row{v}, o), true
	case []view.Row:
		return rows(v, o), true
	case view.Window:
		return Window(&v, o), true
	case view.Why:
		return Why(&v, o), true
	case view.Flow:
		return Flow(&v, o), true
	case view.Exchange:
		return Exchange(&v, o), true
	case view.Status:
		return Status(&v, o), true
	}
	return "", false
}

// rows writes rows below each other.
func rows(all []view.Row, o Options) string {
	var b strings.Builder
	for i := range all {
		for _, text := range Row(&all[i], o) {
			b.WriteString(text)
			b.WriteByte('\n')
		}
	}
	return b.String()
}
