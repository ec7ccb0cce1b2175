package redact

import (
	"fmt"
	"io"
)

// What holds live secrets prints as a marker. All of it is unexported and has no exported fields,
// so JSON and structured logs, which go through these methods or see no fields, show nothing.

func (*state) Format(f fmt.State, _ rune)     { hide(f) }
func (*tape) Format(f fmt.State, _ rune)      { hide(f) }
func (*taint) Format(f fmt.State, _ rune)     { hide(f) }
func (*Past) Format(f fmt.State, _ rune)      { hide(f) }
func (*lores) Format(f fmt.State, _ rune)     { hide(f) }
func (*shapes) Format(f fmt.State, _ rune)    { hide(f) }
func (cleaning) Format(f fmt.State, _ rune)   { hide(f) }
func (message) Format(f fmt.State, _ rune)    { hide(f) }
func (plan) Format(f fmt.State, _ rune)       { hide(f) }
func (span) Format(f fmt.State, _ rune)       { hide(f) }
func (stand) Format(f fmt.State, _ rune)      { hide(f) }
func (label) Format(f fmt.State, _ rune)      { hide(f) }
func (short) Format(f fmt.State, _ rune)      { hide(f) }
func (fieldValue) Format(f fmt.State, _ rune) { hide(f) }
func (secret) Format(f fmt.State, _ rune)     { hide(f) }
func (pattern) Format(f fmt.State, _ rune)    { hide(f) }
func (taintHit) Format(f fmt.State, _ rune)   { hide(f) }
func (sighting) Format(f fmt.State, _ rune)   { hide(f) }
func (scanner) Format(f fmt.State, _ rune)    { hide(f) }
func (number) Format(f fmt.State, _ rune)     { hide(f) }
func (view) Format(f fmt.State, _ rune)       { hide(f) }
func (run) Format(f fmt.State, _ rune)        { hide(f) }
func (half) Format(f fmt.State, _ rune)       { hide(f) }

func hide(f fmt.State) { _, _ = io.WriteString(f, hidden) }
