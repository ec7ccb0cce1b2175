package match

// placed are things that stand somewhere in one answer, to be found by what is nearest to a
// path. Most answers have a few; a list of everybody's orders has fifty thousand.
type placed[T any] struct {
	paths []string
	what  []T
	by    map[string][]T // by each beginning of their paths; nil while they are few
}

// fewPlaced is how many are looked through one by one.
const fewPlaced = 16

func (p *placed[T]) add(path string, what T) {
	p.paths, p.what = append(p.paths, path), append(p.what, what)
	switch {
	case p.by != nil:
		p.index(path, what)
	case len(p.what) > fewPlaced:
		p.by = map[string][]T{}
		for i := range p.what {
			p.index(p.paths[i], p.what[i])
		}
	}
}

func (p *placed[T]) index(path string, what T) {
	for n := len(path); n >= 0; n-- {
		if n == 0 || parts(path[n-1]) {
			p.by[path[:n]] = append(p.by[path[:n]], what)
		}
	}
}

// nearest returns those whose paths have most in common with a path, in the order in which they
// stand. They must not be changed.
func (p *placed[T]) nearest(path string) []T {
	if p.by != nil {
		for n := len(path); n > 0; n-- {
			if near := p.by[path[:n]]; parts(path[n-1]) && near != nil {
				return near
			}
		}
		return p.what
	}
	var near []T
	most := 0
	for i, what := range p.what {
		n := inCommon(p.paths[i], path)
		if n > most {
			most, near = n, nil
		}
		if n == most {
			near = append(near, what)
		}
	}
	return near
}

// parts reports whether a name or an index of a path ends with a character.
func parts(c byte) bool { return c == '.' || c == ']' || c == '>' }

// inCommon returns the length of the names and indexes with which both paths begin.
func inCommon(a, b string) int {
	n := 0
	for i := 0; i < min(len(a), len(b)) && a[i] == b[i]; i++ {
		if parts(a[i]) {
			n = i + 1
		}
	}
	return n
}
