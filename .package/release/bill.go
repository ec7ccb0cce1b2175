package main

import (
	"encoding/json"
	"io"
	"runtime/debug"
	"strings"
)

// component is a thing that a program was built from, in the words of CycloneDX 1.5.
type component struct {
	Type    string `json:"type"`
	Name    string `json:"name"`
	Version string `json:"version"`
	PURL    string `json:"purl"`
}

// writeBill writes what a program was built from, as the Go tool has stamped it into the program: the
// modules that are linked in, and the standard library. It holds no time and no random number.
func writeBill(to io.Writer, info *debug.BuildInfo, target string) error {
	system, processor, _ := strings.Cut(target, "/")
	bill := struct {
		Format   string `json:"bomFormat"`
		Spec     string `json:"specVersion"`
		Version  int    `json:"version"`
		Metadata struct {
			Component component `json:"component"`
		} `json:"metadata"`
		Components []component `json:"components"`
	}{Format: "CycloneDX", Spec: "1.5", Version: 1}
	bill.Metadata.Component = component{"application", info.Main.Path, info.Main.Version,
		purl(info.Main.Path, info.Main.Version) + "?goos=" + system + "&goarch=" + processor}
	library := strings.TrimPrefix(info.GoVersion, "go")
	bill.Components = []component{{"library", "std", library, purl("std", library)}}
	for _, m := range info.Deps {
		if m.Replace != nil {
			m = m.Replace
		}
		bill.Components = append(bill.Components, component{"library", m.Path, m.Version, purl(m.Path, m.Version)})
	}
	out := json.NewEncoder(to)
	out.SetEscapeHTML(false)
	out.SetIndent("", "  ")
	return out.Encode(bill)
}

// purl is the address of a Go module among packages of all languages.
func purl(path, version string) string {
	return "pkg:golang/" + path + "@" + strings.ReplaceAll(version, "+", "%2B")
}
