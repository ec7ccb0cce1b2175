package leaf

import (
	"fmt"
	"io"
	"log/slog"
)

// Unprinted keeps a value out of logs, errors and test failures: whatever embeds it prints as a
// marker under every verb, in JSON and YAML and in structured logs. Types that hold live values
// embed it.
//
// It cannot keep a part of the value from being printed by itself, nor one that lies in an
// unexported field of something that does not embed it.
type Unprinted struct{}

const unprinted = "[secret]"

// Format prints the marker for every verb.
func (Unprinted) Format(f fmt.State, _ rune) { _, _ = io.WriteString(f, unprinted) }

// MarshalText writes the marker into JSON and YAML.
func (Unprinted) MarshalText() ([]byte, error) { return []byte(unprinted), nil }

// LogValue writes the marker into structured logs.
func (Unprinted) LogValue() slog.Value { return slog.StringValue(unprinted) }
