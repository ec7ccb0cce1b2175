package web_test

import (
	"encoding/json"
	"fmt"
	"os"
	"testing"
)

// TestAccessibility asks axe-core for what it finds wrong, in both themes and at two widths. The
// program of axe-core is not part of the project: PAYTAPE_AXE names the file axe.min.js, and .ci/axe
// fetches it.
func TestAccessibility(t *testing.T) {
	path := os.Getenv("PAYTAPE_AXE")
	if path == "" {
		t.Skip("PAYTAPE_AXE does not name axe.min.js: nobody checks accessibility; see .ci/axe")
	}
	axe, err := os.ReadFile(path)
	if err != nil {
		t.Fatalf("reading axe-core: %v", err)
	}
	d := startDeck(t, 60)
	for _, screen := range []struct {
		name, path, ready string
		width, height     int64
	}{
		{"list", "/?open=g56,g58&row=566", `document.querySelector('.peek .diff-a')`, 1440, 900},
		{"flow selected", "/?row=g56", `document.querySelector('.peek .kv')`, 1440, 900},
		{"empty", "/?q=order%3Anone", `document.querySelector('.empty:not([hidden])')`, 1440, 900},
		{"phone", "/?open=g56", firstRow, 390, 844},
	} {
		t.Run(screen.name, func(t *testing.T) {
			b := openTab(t, d, screen.path, screen.width, screen.height)
			b.wait(screen.ready)
			for _, theme := range []string{"light", "dark"} {
				b.theme(theme)
				b.accessible(string(axe), theme)
			}
			if screen.width < 1000 {
				return
			}
			b.press("?")
			b.wait(`document.querySelector('dialog[open]')`)
			b.accessible(string(axe), "all keys")
		})
	}
}

// accessible reports what axe-core finds wrong on the page as it is.
func (b *tab) accessible(axe, what string) {
	b.t.Helper()
	eval[bool](b, axe+"; true")
	b.run(`window.found = null; axe.run(document, {resultTypes: ['violations']}).then(
		(r) => { window.found = r.violations }, (e) => { window.found = [{id: String(e), nodes: []}] })`)
	b.wait(`window.found`)
	var violations []struct {
		ID, Help string
		Nodes    []struct {
			HTML           string
			FailureSummary string
		}
	}
	found := eval[string](b, `JSON.stringify(window.found)`)
	if err := json.Unmarshal([]byte(found), &violations); err != nil {
		b.t.Fatalf("reading what axe-core has found: %v", err)
	}
	for _, v := range violations {
		text := fmt.Sprintf("%s: %s: %s (%d places)", what, v.ID, v.Help, len(v.Nodes))
		for _, node := range v.Nodes[:min(3, len(v.Nodes))] {
			text += fmt.Sprintf("\n  %.200s\n  %.400s", node.HTML, node.FailureSummary)
		}
		b.t.Error(text)
	}
}
