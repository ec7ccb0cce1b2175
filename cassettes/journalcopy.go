package cassettes

import (
	"io"
)

// journalCopy is a file that will take the place of a journal.
type journalCopy struct {
	of   extent // of the journal: up to its end the copy has what the journal has
	name string
	file file
	size int64
}

// newCopy begins a copy of what a journal has.
func (c *Recorder) newCopy(of extent) (*journalCopy, error) {
	name := tempName(c.name)
	f, err := c.library.create(name)
	if err != nil {
		return nil, err
	}
	return &journalCopy{of: of, name: name, file: f}, nil
}

// Write writes all that it is given, or fails.
func (w *journalCopy) Write(b []byte) (int, error) {
	n, err := w.file.Write(b)
	if w.size += int64(n); err == nil && n < len(b) {
		err = io.ErrShortWrite
	}
	return n, err
}

// clean writes the entries of the journal: those before an offset as they are, and the others as
// clean as they must be now.
func (w *journalCopy) clean(c *Recorder, from int64) error {
	if _, err := io.WriteString(w, headOf(c.options.Stable)); err != nil {
		return err
	}
	head := int64(len(journalHead))
	from = max(from, head)
	if _, err := io.Copy(w, io.NewSectionReader(w.of.file, head, from-head)); err != nil {
		return err
	}
	return w.of.each(from, func(_ int64, e entry) error {
		fresh, changed, err := e.recleanStale(c.cleaner)
		if err != nil {
			return err
		}
		if changed {
			c.maintenance.past.Add(fresh.clean)
		}
		_, err = w.Write(frame(fresh))
		return err
	})
}

// follow copies what has been appended to the journal since, until that is little or many have
// appended again, and has the disk keep it: so that nobody waits long for the rest.
func (w *journalCopy) follow(j *journal) error {
	const rounds = 5
	for range rounds {
		before := w.size
		if err := w.rest(j); err != nil {
			return err
		}
		if w.size-before < longEntry {
			break
		}
	}
	return w.file.Sync()
}

// rest copies what has been appended to the journal since, as it is.
func (w *journalCopy) rest(j *journal) error {
	now, err := j.extent()
	if err != nil {
		return err
	}
	if now.file != w.of.file {
		return errRewritten
	}
	_, err = io.Copy(w, io.NewSectionReader(now.file, w.of.end, now.end-w.of.end))
	w.of = now
	return err
}
