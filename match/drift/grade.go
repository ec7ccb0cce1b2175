package drift

// Grade says what kind of difference a finding is.
type Grade string

// The grades.
const (
	Added           Grade = "added"
	Removed         Grade = "removed"
	ChangedType     Grade = "changed type"
	ChangedConstant Grade = "changed constant" // a literal
	ChangedValue    Grade = "changed value"    // a variable: another one, or in another shape
	NewCode         Grade = "new code"         // that the old tape has nowhere for the operation
)

// The sides of an exchange.
const (
	SideRequest  = "request"
	SideAnswer   = "answer"
	SideCallback = "callback"
)

// PathStatus is the path of the HTTP status of an answer, and PathBody that of a body as a whole.
// Headers have the path "header NAME".
const (
	PathStatus = "HTTP status"
	PathBody   = "body"
	pathHeader = "header "
)

// Finding is one difference. Its texts are made of what is on the tapes, with variables folded.
type Finding struct {
	Grade Grade  `json:"grade"`
	Side  string `json:"side"`
	Path  string `json:"path"`
	Was   string `json:"was,omitempty"`
	Is    string `json:"is,omitempty"`
	// Why says more where Was and Is look alike: "length". Empty elsewhere.
	Why string `json:"why,omitempty"`
}

// String writes a finding in one line.
func (f Finding) String() string {
	text := f.Side + " " + f.Path + ": " + string(f.Grade)
	switch {
	case f.Was != "" && f.Is != "":
		text += ": " + f.Was + " -> " + f.Is
	case f.Was != "" || f.Is != "":
		text += ": " + f.Was + f.Is
	}
	if f.Why != "" {
		text += " (" + f.Why + ")"
	}
	return text
}
