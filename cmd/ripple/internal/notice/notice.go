// Package notice reports, at most once a day, that a newer ripple is available. Whatever
// goes wrong with that, nobody hears of it, and no command takes longer for it.
package notice

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"os"
	"path/filepath"
	"time"

	"github.com/gofrs/flock"
	"golang.org/x/mod/semver"

	"example.org/ripple/internal/projectfile"
)

// off is the variable that, set to anything, switches it off; so does CI.
const off = "RIPPLE_NO_UPDATE_NOTICE"

const (
	day     = 24 * time.Hour
	maxBody = 1 << 20 // bytes of an answer that are read
	patient = 10 * time.Second
)

// Notice configures the check for a newer release.
type Notice struct {
	Feed     string // address of a JSON object whose tag_name is the latest version; "": nobody is asked
	Version  string // of this ripple, vX.Y.Z
	Terminal bool   // standard error is a terminal
	Getenv   func(string) string
	Dir      string // where it keeps what it knows
	Now      func() time.Time
	// After is how long a command has to run before anybody is asked: short ones would
	// only be slowed down.
	After time.Duration
}

// known is the content of the file in Dir: the result of the last check.
type known struct {
	Asked  time.Time `json:"asked"`
	Told   time.Time `json:"told"`
	Latest string    `json:"latest"`
}

// Begin is called when a command begins, and end when it is over. end returns the notice to print,
// usually an empty one.
func (n Notice) Begin() (end func() string) {
	if n.Feed == "" || !n.Terminal || n.Getenv("CI") != "" || n.Getenv(off) != "" || n.Dir == "" || !released(n.Version) {
		return func() string { return "" }
	}
	ctx, cancel := context.WithCancel(context.Background())
	timer := time.AfterFunc(n.After, func() { _ = n.ask(ctx) }) // the next day is another one
	return func() string {
		timer.Stop()
		cancel()
		return n.tell()
	}
}

func released(version string) bool {
	return semver.IsValid(version) && semver.Prerelease(version) == ""
}

// ask finds out what the latest version is, unless that was done within a day.
func (n Notice) ask(ctx context.Context) error {
	if err := os.MkdirAll(n.Dir, 0o700); err != nil {
		return err
	}
	lock := flock.New(filepath.Join(n.Dir, "update.lock"), flock.SetFlag(os.O_CREATE|os.O_RDWR|projectfile.LockFlags))
	if got, err := lock.TryLock(); err != nil || !got {
		return err
	}
	defer lock.Close() // which unlocks
	k := n.read()
	if within(n.Now(), k.Asked) {
		return nil
	}
	k.Asked = n.Now()
	if err := n.write(k); err != nil {
		return err // else every command would ask
	}
	latest, err := n.fetch(ctx)
	if err != nil {
		return err
	}
	k = n.read() // another process may have written it meanwhile
	k.Latest = latest
	return n.write(k)
}

func (n Notice) fetch(ctx context.Context) (string, error) {
	ctx, cancel := context.WithTimeout(ctx, patient)
	defer cancel()
	q, err := http.NewRequestWithContext(ctx, http.MethodGet, n.Feed, nil)
	if err != nil {
		return "", err
	}
	q.Header.Set("User-Agent", "ripple/"+n.Version)
	answer, err := http.DefaultClient.Do(q)
	if err != nil {
		return "", err
	}
	defer answer.Body.Close() // it was read
	var release struct {
		Tag string `json:"tag_name"`
	}
	if err := json.NewDecoder(io.LimitReader(answer.Body, maxBody)).Decode(&release); err != nil {
		return "", err
	}
	if answer.StatusCode != http.StatusOK || !released(release.Tag) {
		return "", errors.New("the response contains no release")
	}
	return release.Tag, nil
}

// tell returns the notice of a newer version, once a day.
func (n Notice) tell() string {
	k := n.read()
	if !released(k.Latest) || semver.Compare(k.Latest, n.Version) <= 0 || within(n.Now(), k.Told) {
		return ""
	}
	k.Told = n.Now()
	if n.write(k) != nil {
		return "" // else it would be printed every time
	}
	return fmt.Sprintf("there is a newer ripple, %s; this is %s (%s=1 switches this off)", k.Latest, n.Version, off)
}

// within reports whether less than a day has passed. It is false for a time in the future: the clock was wrong.
func within(now, then time.Time) bool {
	since := now.Sub(then)
	return since >= 0 && since < day
}

// updateFile is the name of the file in Dir.
const updateFile = "update.json"

// read gives nothing for a file that is not there or broken.
func (n Notice) read() (k known) {
	if data, err := projectfile.In(n.Dir, ".").Read(updateFile, maxBody); err != nil || json.Unmarshal(data, &k) != nil {
		return known{}
	}
	return k
}

func (n Notice) write(k known) error {
	data, err := json.Marshal(k)
	if err != nil {
		return err
	}
	return projectfile.Replace(filepath.Join(n.Dir, updateFile), data, 0o600)
}
