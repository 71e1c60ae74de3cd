// Package browser opens pages in Chromium as users see them: on a desktop and on a phone, light and dark.
package browser

import (
	"context"
	"errors"
	"fmt"
	"net/url"
	"os"
	"os/exec"
	"slices"
	"strings"
	"sync"

	"github.com/chromedp/cdproto/cdp"
	"github.com/chromedp/cdproto/emulation"
	"github.com/chromedp/cdproto/log"
	"github.com/chromedp/cdproto/network"
	"github.com/chromedp/cdproto/runtime"
	"github.com/chromedp/chromedp"
)

// ErrNone means that Chromium is not installed.
var ErrNone = errors.New("no chromium, chromium-browser or google-chrome in PATH, and RIPPLE_CHROMIUM is not set")

// Look is a kind of screen that shows a page.
type Look struct {
	Name          string
	Width, Height int64 // CSS pixels
	Phone, Dark   bool
}

// Looks has the screens on which every page must work.
var Looks = []Look{
	{Name: "desktop-light", Width: 1280, Height: 800},
	{Name: "desktop-dark", Width: 1280, Height: 800, Dark: true},
	{Name: "phone-light", Width: 390, Height: 844, Phone: true},
	{Name: "phone-dark", Width: 390, Height: 844, Phone: true, Dark: true},
}

// Start starts Chromium; end ends it. ctx limits its lifetime.
func Start(ctx context.Context) (browser context.Context, end func(), err error) {
	program, err := find()
	if err != nil {
		return nil, nil, err
	}
	options := append(
		slices.Clone(chromedp.DefaultExecAllocatorOptions[:]), chromedp.ExecPath(program),
		chromedp.Flag("hide-scrollbars", false), // they take space on a desktop
	)
	if os.Geteuid() == 0 { // Chromium cannot use its sandbox as root
		options = append(options, chromedp.NoSandbox)
	}
	ctx, endAllocator := chromedp.NewExecAllocator(ctx, options...)
	ctx, endBrowser := chromedp.NewContext(ctx)
	end = func() { endBrowser(); endAllocator() }
	if err := chromedp.Do(ctx); err != nil {
		end()
		return nil, nil, fmt.Errorf("starting %s: %w", program, err)
	}
	return ctx, end, nil
}

func find() (string, error) {
	if named := os.Getenv("RIPPLE_CHROMIUM"); named != "" {
		return named, nil
	}
	for _, name := range []string{"chromium", "chromium-browser", "google-chrome"} {
		if path, err := exec.LookPath(name); err == nil {
			return path, nil
		}
	}
	return "", ErrNone
}

// Page is a file that is open in its own tab.
type Page struct {
	context.Context
	Close func()

	mu       sync.Mutex
	troubles []string
}

// Open opens a file in a browser that Start returned.
func Open(browser context.Context, file string, look Look) (*Page, error) {
	ctx, end := chromedp.NewContext(browser)
	p := &Page{Context: ctx, Close: end}
	address := (&url.URL{Scheme: "file", Path: file}).String()
	if err := p.open(address, look); err != nil {
		end()
		return nil, fmt.Errorf("opening %s: %w", file, err)
	}
	return p, nil
}

func (p *Page) open(address string, look Look) error {
	if err := chromedp.Listen(p, func(event any) { p.heard(event, address) }); err != nil {
		return err
	}
	scheme := "light"
	if look.Dark {
		scheme = "dark"
	}
	_, network := chromedp.Call(p, network.Enable, network.EnableParams{})
	_, log := chromedp.Call(p, log.Enable, cdp.Empty{})
	_, script := chromedp.Call(p, runtime.Enable, cdp.Empty{})
	_, size := chromedp.Call(p, emulation.SetDeviceMetricsOverride, emulation.SetDeviceMetricsOverrideParams{
		Width: look.Width, Height: look.Height, DeviceScaleFactor: 1, Mobile: look.Phone,
	})
	_, media := chromedp.Call(p, emulation.SetEmulatedMedia, emulation.SetEmulatedMediaParams{
		Features: []*emulation.MediaFeature{{Name: "prefers-color-scheme", Value: scheme}},
	})
	return errors.Join(network, log, script, size, media, chromedp.Do(p, chromedp.Navigate(address)))
}

// heard records forbidden actions of a page: loading a resource, or a request that was refused.
func (p *Page) heard(event any, address string) {
	switch e := event.(type) {
	case *network.EventRequestWillBeSent:
		if to := e.Request.URL; to != address && !strings.HasPrefix(to, "data:") {
			p.trouble("it asks for " + to)
		}
	case *log.EventEntryAdded:
		p.trouble("the browser says: " + e.Entry.Text)
	case *runtime.EventExceptionThrown:
		p.trouble("its script fails: " + (&chromedp.ExceptionError{ExceptionDetails: e.ExceptionDetails}).Error())
	}
}

func (p *Page) trouble(text string) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.troubles = append(p.troubles, text)
}

// Troubles returns the forbidden actions of the page so far.
func (p *Page) Troubles() []string {
	p.mu.Lock()
	defer p.mu.Unlock()
	return append([]string(nil), p.troubles...)
}

// Evaluate runs a script in the page and returns its result, or that of its promise.
func Evaluate[T any](p *Page, script string) (T, error) {
	return chromedp.Run(p, chromedp.Evaluate[T](script, chromedp.EvalAwaitPromise))
}

// Picture returns a PNG of the visible part of the page.
func (p *Page) Picture() ([]byte, error) { return chromedp.Run(p, chromedp.CaptureScreenshot()) }
