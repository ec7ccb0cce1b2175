package leaf

// innermost returns the innermost open element of a name, nil if there is none.
func (w *walk) innermost(name string) *element {
	for i := len(w.open) - 1; i > 0; i-- {
		if w.open[i].name == name {
			return &w.open[i]
		}
	}
	return nil
}

// cell counts a cell that begins in its row.
func (w *walk) cell(name string) {
	if name != "td" && name != "th" {
		return
	}
	if row := w.innermost("tr"); row != nil {
		row.cells++
	}
}

// maxColumns bounds the headings of a table that are remembered.
const maxColumns = 64

// heading returns the heading of the column of a cell, whose text is [from, to); "" for a row
// that has a heading itself, and where there is none. The text of a heading is remembered.
func (w *walk) heading(from, to int) string {
	name := w.top().name
	if name != "td" && name != "th" {
		return ""
	}
	row, table := w.innermost("tr"), w.innermost("table")
	if row == nil || table == nil || row.cells == 0 || row.cells > maxColumns {
		return ""
	}
	column := row.cells - 1
	if name == "td" {
		if row.count["th"] == 0 && column < len(table.heads) {
			return table.heads[column]
		}
		return ""
	}
	if to-from <= longestText {
		for len(table.heads) <= column {
			table.heads = append(table.heads, "")
		}
		table.heads[column], _ = entity.decode(w.s[from:to])
	}
	return ""
}
