package filter

// Place is where a cursor stands in a filter: what a person is writing there.
type Place struct {
	// Key is the key of the term at the cursor; nil for words alone, and where a term is to begin.
	Key *Key
	// Typed is what stands of the word before the cursor: of the value, or of the key.
	Typed string
	// From and To are the bytes of the text in whose place another word may be put.
	From, To int
}

// At returns what stands at a cursor, in bytes, of a text in which card numbers are masks. It takes
// a filter that has errors.
func At(text string, cursor int) Place {
	cursor = max(0, min(cursor, len(text)))
	l := lexer{text: text}
	for {
		t := l.next()
		switch {
		case t.kind == end && t.at == t.until, t.at >= cursor:
			return Place{From: cursor, To: cursor}
		case t.until < cursor, t.kind != word && t.kind != or && t.err == nil:
			continue
		}
		p := Place{Key: keyOf(t.key), From: t.at, To: t.until}
		if p.Key != nil && cursor >= t.valueAt {
			p.From = t.valueAt
		} else {
			p.Key = nil
		}
		p.Typed = unquoted(text[p.From:cursor])
		return p
	}
}

// unquoted returns a word without the quote with which it begins.
func unquoted(word string) string {
	if len(word) > 0 && word[0] == '"' {
		return word[1:]
	}
	return word
}

// Quoted returns a value as it is written behind the ":" of a key.
func Quoted(value string) string { return quoted(value, false) }
