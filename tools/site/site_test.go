package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// Every link of every document has a target, and all pages are written.
func TestDocuments(t *testing.T) {
	s, err := read(filepath.Join("..", ".."))
	if err != nil {
		t.Fatal(err)
	}
	for _, wrong := range s.broken() {
		t.Error(wrong)
	}
	dir := t.TempDir()
	if err := s.write(dir); err != nil {
		t.Fatal(err)
	}
	index, err := os.ReadFile(filepath.Join(dir, "index.html"))
	if err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{`<a href="docs/consoles.html">Consoles</a>`, `<a href="index.html" aria-current="page">ripple</a>`, `href="SCHEMA.html`} {
		if !strings.Contains(string(index), want) {
			t.Errorf("%s is not in the first page", want)
		}
	}
}

// Broken links are reported.
func TestBroken(t *testing.T) {
	repo := t.TempDir()
	for _, file := range append(topics, others...) {
		if err := put(filepath.Join(repo, file), []byte("# A *title*\n\n## A part\n")); err != nil {
			t.Fatal(err)
		}
	}
	text := "[a](docs/none.md) [b](SCHEMA.md#a-part) [c](SCHEMA.md#none) [d](#none) [e](https://example.com/none) [f](docs) `[g](code)` ![h](none.svg)\n"
	if err := put(filepath.Join(repo, "README.md"), []byte(text)); err != nil {
		t.Fatal(err)
	}
	s, err := read(repo)
	if err != nil {
		t.Fatal(err)
	}
	got := strings.Join(s.broken(), "\n")
	const want = `README.md: docs/none.md: there is no docs/none.md
README.md: SCHEMA.md#none: there is no heading #none in SCHEMA.md
README.md: #none: there is no heading #none in README.md
README.md: none.svg: there is no none.svg`
	if got != want {
		t.Errorf("got:\n%s\nwant:\n%s", got, want)
	}
	if title := s.page("SCHEMA.md").Title(); title != "A title" {
		t.Error(title)
	}
}
