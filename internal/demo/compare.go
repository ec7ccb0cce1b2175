package demo

import (
	"context"
	"fmt"
	"text/tabwriter"

	"github.com/paytape/paytape/internal/story"
)

// compare lays two tellings side by side. Whatever the sandbox made for one run must differ.
func (d *demo) compare(context.Context) error {
	for i, before := range d.recorded {
		d.tell("%s", before.name)
		if err := d.compareValues(before.values, d.replayed[i].values); err != nil {
			return fmt.Errorf("%s: %w", before.name, err)
		}
	}
	return nil
}

// compareValues prints the values of two tellings of one story beside each other.
func (d *demo) compareValues(recorded, replayed []story.Value) error {
	if len(recorded) != len(replayed) {
		return fmt.Errorf("%d values were recorded and %d replayed", len(recorded), len(replayed))
	}
	t := tabwriter.NewWriter(d.Out, 0, 0, 2, ' ', 0)
	for i, was := range recorded {
		is := replayed[i]
		switch {
		case was.Name != is.Name:
			return fmt.Errorf("%s was recorded and %s replayed", was.Name, is.Name)
		case was.Fresh && (is.Text == "" || is.Text == was.Text):
			return fmt.Errorf("%s is not fresh", was.Name)
		}
		fmt.Fprintf(t, "     %s\t%s\t%s\n", was.Name, d.shown(was), d.shown(is))
	}
	return t.Flush()
}

// shown is a value as it may be printed. CVC and PIN are the values that a story does not call
// fresh although nobody may see them.
func (d *demo) shown(v story.Value) string {
	if isCard(v.Text) || isSecretField(v.Name) {
		return masked(v.Text)
	}
	return d.cleaner(v.Text).String()
}
