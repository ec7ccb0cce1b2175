package deck

import (
	"slices"
	"strings"
)

// CIVariable is the environment variable that most services which build and test set: to true, to
// 1, or to a name of theirs.
const CIVariable = "CI"

// InCI reports whether a value of CIVariable says that this is such a service. What is missing on
// tape there shall fail the build, and not be recorded.
func InCI(value string) bool {
	return !slices.Contains([]string{"", "false", "f", "0", "no", "n", "off"}, strings.ToLower(value))
}
