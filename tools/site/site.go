package main

import (
	"bytes"
	_ "embed"
	"errors"
	"fmt"
	"html/template"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"

	"github.com/yuin/goldmark"
	"github.com/yuin/goldmark/ast"
	"github.com/yuin/goldmark/extension"
	"github.com/yuin/goldmark/parser"
	"github.com/yuin/goldmark/text"
)

// The pages in the order of the table of contents; other documents in docs come in between.
var (
	topics = []string{"README.md", "docs/install.md", "docs/commands.md", "docs/consoles.md", "docs/mcp.md", "docs/running-a-loop.md", "docs/writing-an-adapter.md", "SCHEMA.md"}
	others = []string{"SECURITY.md", "ARCHITECTURE.md", "CONTRIBUTING.md", "BENCHMARKS.md", "CHANGELOG.md"}
)

// markdown parses GitHub's dialect of Markdown.
var markdown = goldmark.New(goldmark.WithExtensions(extension.GFM), goldmark.WithParserOptions(parser.WithAutoHeadingID()))

// site has the documents of a repository.
type site struct {
	repo  string
	pages []*page
}

// page is one document.
type page struct {
	file    string // its path in the repository
	title   string
	source  []byte
	tree    ast.Node
	anchors map[string]bool
	links   []*[]byte // the targets of its links and images
}

// Address returns the page's path, relative to the root of the site.
func (p *page) Address() string {
	if p.file == "README.md" {
		return "index.html"
	}
	return strings.TrimSuffix(p.file, ".md") + ".html"
}

// Title returns the first heading.
func (p *page) Title() string { return p.title }

func read(repo string) (*site, error) {
	s := &site{repo: repo}
	files := append([]string(nil), topics...)
	more, err := fs.Glob(os.DirFS(repo), "docs/*.md")
	if err != nil {
		return nil, err
	}
	for _, file := range more {
		if !slices.Contains(files, file) {
			files = append(files, file)
		}
	}
	for _, file := range append(files, others...) {
		p, err := parse(repo, file)
		if err != nil {
			return nil, err
		}
		s.pages = append(s.pages, p)
	}
	return s, nil
}

func parse(repo, file string) (*page, error) {
	source, err := os.ReadFile(filepath.Join(repo, file))
	if err != nil {
		return nil, err
	}
	p := &page{file: file, title: file, source: source, anchors: map[string]bool{}}
	p.tree = markdown.Parser().Parse(text.NewReader(source))
	err = ast.Walk(p.tree, func(n ast.Node, entering bool) (ast.WalkStatus, error) {
		if !entering {
			return ast.WalkContinue, nil
		}
		switch n := n.(type) {
		case *ast.Heading:
			if id, has := n.AttributeString("id"); has {
				p.anchors[string(id.([]byte))] = true
			}
			if n.Level == 1 && p.title == file {
				p.title = words(n, source)
			}
		case *ast.Link:
			p.links = append(p.links, &n.Destination)
		case *ast.Image:
			p.links = append(p.links, &n.Destination)
		}
		return ast.WalkContinue, nil
	})
	return p, err
}

// words returns the text of a heading.
func words(n ast.Node, source []byte) string {
	var b strings.Builder
	for child := n.FirstChild(); child != nil; child = child.NextSibling() {
		if t, is := child.(*ast.Text); is {
			b.Write(t.Segment.Value(source))
		} else {
			b.WriteString(words(child, source))
		}
	}
	return b.String()
}

// target returns the file in the repository that a link of a page refers to; outside reports an external link.
func (p *page) target(link string) (file, anchor string, outside bool) {
	if strings.Contains(link, "://") || strings.HasPrefix(link, "mailto:") {
		return "", "", true
	}
	file, anchor, _ = strings.Cut(link, "#")
	if file == "" {
		return p.file, anchor, false
	}
	return path.Join(path.Dir(p.file), file), anchor, false
}

func (s *site) page(file string) *page {
	for _, p := range s.pages {
		if p.file == file {
			return p
		}
	}
	return nil
}

// broken returns a message for each link without a target.
func (s *site) broken() (wrong []string) {
	for _, p := range s.pages {
		for _, l := range p.links {
			link := string(*l)
			file, anchor, outside := p.target(link)
			if outside {
				continue
			}
			_, err := os.Stat(filepath.Join(s.repo, file))
			to := s.page(file)
			switch {
			case err != nil:
				wrong = append(wrong, fmt.Sprintf("%s: %s: there is no %s", p.file, link, file))
			case anchor != "" && (to == nil || !to.anchors[anchor]):
				wrong = append(wrong, fmt.Sprintf("%s: %s: there is no heading #%s in %s", p.file, link, anchor, file))
			}
		}
	}
	return wrong
}

//go:embed page.html
var frame string

//go:embed style.css
var style string

var layout = template.Must(template.New("page").Parse(frame))

// write writes the pages and copies the files that they link to.
func (s *site) write(dir string) error {
	for _, p := range s.pages {
		if err := s.relink(p, dir); err != nil {
			return err
		}
		var body, out bytes.Buffer
		if err := markdown.Renderer().Render(&body, p.source, p.tree); err != nil {
			return err
		}
		up := strings.Repeat("../", strings.Count(p.file, "/"))
		if err := layout.Execute(&out, map[string]any{
			"Title": p.title, "Style": template.CSS(style), "Pages": s.pages, "Here": p.Address(), "Up": up, "Body": template.HTML(body.String()),
		}); err != nil {
			return err
		}
		if err := put(filepath.Join(dir, p.Address()), out.Bytes()); err != nil {
			return err
		}
	}
	return nil
}

// relink changes the links of a page to point to pages, and copies the other files that they refer to.
func (s *site) relink(p *page, dir string) error {
	for _, l := range p.links {
		file, anchor, outside := p.target(string(*l))
		if outside {
			continue
		}
		address := file
		if to := s.page(file); to != nil {
			address = to.Address()
		} else if err := s.copy(file, dir); err != nil {
			return err
		}
		at, err := filepath.Rel(path.Dir(p.Address()), address)
		if err != nil {
			return err
		}
		*l = []byte(filepath.ToSlash(at))
		if anchor != "" {
			*l = append(*l, "#"+anchor...)
		}
	}
	return nil
}

// copy copies a file, or the files of a directory, to the site.
func (s *site) copy(file, dir string) error {
	info, err := os.Stat(filepath.Join(s.repo, file))
	if err != nil {
		return err
	}
	if info.IsDir() {
		return nil // it is read in the repository
	}
	data, err := os.ReadFile(filepath.Join(s.repo, file))
	return errors.Join(err, put(filepath.Join(dir, file), data))
}

func put(file string, data []byte) error {
	return errors.Join(os.MkdirAll(filepath.Dir(file), 0o755), os.WriteFile(file, data, 0o644))
}
