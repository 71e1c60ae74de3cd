// Package resets parses a provider's limit message and returns when the limit ends: "resets 3pm
// (Europe/Berlin)", "try again in 4h 12m", "8 hours", "at 2026-11-24 03:00 UTC". It does not
// guess: a text without a time, with an incomplete one or with an ambiguous zone has none.
package resets

import (
	"strconv"
	"strings"
	"time"
	"unicode"

	"example.org/ripple/internal/lazyregexp"
)

const (
	day = 24 * time.Hour

	// longest is the longest time until the end of a limit that is accepted: the longest limits
	// are monthly.
	longest = 40 * day

	// justPassed is how long a time of day may have passed and still be today's: the limit ended
	// while the message was on its way.
	justPassed = 15 * time.Minute
)

var (
	// anchor matches the words that precede a time.
	anchor = lazyregexp.New(`(?i)\b(resets?|resetting|resets?_in|retry[- _]?(?:after|delay)?|retrying|try again|tries again|try (?:in|after)|available (?:again|in)|come back|renews?|refresh(?:es)?|wait|until)\b`)

	// filler matches the text between an anchor and the time.
	filler = lazyregexp.New(`^(?i)(?:[\s"'“:=,;·∙•|—–~(*\x60-]+|(?:at|on|in|after|for|until|within|about|around|approximately|roughly|exactly|nearly|almost|less than|more than|another|the|next|will|be|is|it|your|request|usage|limit|quota|time)\b)`)

	// whole is a duration that is the whole text.
	whole = lazyregexp.New(`^(?i)\s*(?:in\s+)?(` + span + `)\s*[.!]?\s*$`)

	// ahead is a duration before the words that say what it is.
	ahead = lazyregexp.New(`(?i)(?:^|[\s(:])(` + span + `)\s+(?:(?:left|remaining)\s+)?(?:until|till|before)\s+(?:(?:the|your|next|usage|rate|limit|quota|will|is|be)\s+)*resets?\b`)

	// kind follows the duration that is a limit's name: "the 5 hour limit".
	kind = lazyregexp.New(`^(?i)\s*(?:usage|rate|token)?\s*(?:limit|quota|window|session|cap|period)\b`)

	// stamp is a number of seconds since 1970.
	stamp = lazyregexp.New(`limit reached\|(\d{10})\b`)
)

// Parse returns the time at which a limit ends, according to a message received at now. Times
// without a zone are in local. ok is false if the text contains no unambiguous time.
func Parse(text string, now time.Time, local *time.Location) (at time.Time, ok bool) {
	if m := stamp().FindStringSubmatch(text); m != nil {
		seconds, err := strconv.ParseInt(m[1], 10, 64)
		return believed(time.Unix(seconds, 0), now, err == nil)
	}
	text = strings.Map(plainSpace, text)
	for _, m := range [][]string{whole().FindStringSubmatch(text), ahead().FindStringSubmatch(text)} {
		if m == nil {
			continue
		}
		if d, ok := duration(m[1]); ok {
			return believed(now.Add(d), now, true)
		}
	}
	for _, where := range anchor().FindAllStringSubmatchIndex(text, 20) {
		rest, word := text[where[1]:], strings.ToLower(text[where[2]:where[3]])
		for {
			n := len(filler().FindString(rest))
			if n == 0 {
				break
			}
			rest = rest[n:]
		}
		if at, ok := read(rest, now, local); ok {
			return at, true
		}
		if strings.HasSuffix(word, "after") { // as in a header of HTTP
			if d, ok := bareSeconds(rest); ok {
				return believed(now.Add(d), now, true)
			}
		}
	}
	return time.Time{}, false
}

// plainSpace replaces the spaces that do not break, as in "9:15 PM" by a formatter of dates.
func plainSpace(r rune) rune {
	if unicode.Is(unicode.Zs, r) {
		return ' '
	}
	return r
}

// read reads the time at the beginning of a text.
func read(text string, now time.Time, local *time.Location) (time.Time, bool) {
	if d, ok := duration(text); ok {
		return believed(now.Add(d), now, true)
	}
	return moment(text, now, local)
}

// believed keeps what can be the end of a limit.
func believed(at, now time.Time, ok bool) (time.Time, bool) {
	if !ok || !at.After(now) || at.Sub(now) > longest {
		return time.Time{}, false
	}
	return at, true
}

const (
	count = `(half an?|an?|one|two|three|four|five|six|seven|eight|nine|ten|eleven|twelve|fifteen|twenty[- ]four|twenty|thirty|forty[- ]eight|sixty|\d{1,7}(?:\.\d{1,9})?)(\s+and a half)?(?:\s+more)?`
	unit  = `(milliseconds?|ms|seconds?|secs?|s|minutes?|mins?|m|hours?|hrs?|h|days?|d|weeks?|w)(\s+and a half\b)?`
	link  = `(?:\s*,?\s*(?:and\s+|&\s*)|[\s,]+)`
	span  = count + `\s*` + unit + `(?:` + link + `?` + count + `\s*` + unit + `)*`
)

// numbers are the counts in words.
var numbers = map[string]float64{
	"half a": 0.5, "half an": 0.5, "a": 1, "an": 1, "one": 1, "two": 2, "three": 3, "four": 4, "five": 5, "six": 6, "seven": 7,
	"eight": 8, "nine": 9, "ten": 10, "eleven": 11, "twelve": 12, "fifteen": 15, "twenty": 20, "twenty four": 24, "thirty": 30,
	"forty eight": 48, "sixty": 60,
}

var (
	part   = lazyregexp.New(`^(?i)` + count + `\s*` + unit + `([^a-z]|$)`)
	joint  = lazyregexp.New(`^(?i)` + link)
	clock3 = lazyregexp.New(`^(\d{1,3}):([0-5]\d):([0-5]\d)(?:\D|$)`)
	digits = lazyregexp.New(`^(\d{1,7})(?:\s*$|[\s"'.,;)}]\D|[\s"'.,;)}]$)`)
)

var units = map[string]time.Duration{"ms": time.Millisecond, "s": time.Second, "m": time.Minute, "h": time.Hour, "d": day, "w": 7 * day}

// duration reads "4h 12m", "3 days 4 hours and 5 minutes", "an hour and a half", "1.898s", "04:12:33".
func duration(text string) (d time.Duration, ok bool) {
	if m := clock3().FindStringSubmatch(text); m != nil {
		h, _ := strconv.Atoi(m[1]) // they are digits
		min, _ := strconv.Atoi(m[2])
		s, _ := strconv.Atoi(m[3])
		return time.Duration(h)*time.Hour + time.Duration(min)*time.Minute + time.Duration(s)*time.Second, true
	}
	for {
		m := part().FindStringSubmatch(text)
		if m == nil {
			return d, ok && !kind().MatchString(text)
		}
		n, known := numbers[strings.ToLower(strings.ReplaceAll(m[1], "-", " "))]
		if !known {
			n, _ = strconv.ParseFloat(m[1], 64) // it has digits
		}
		if m[2] != "" || m[4] != "" {
			n += 0.5
		}
		name := strings.ToLower(m[3])
		switch {
		case strings.HasPrefix(name, "milli"):
			name = "ms"
		case name != "ms":
			name = name[:1]
		}
		d, ok = d+time.Duration(n*float64(units[name])), true
		text = text[len(m[0])-len(m[5]):]
		text = text[len(joint().FindString(text)):]
	}
}

func bareSeconds(text string) (time.Duration, bool) {
	m := digits().FindStringSubmatch(text)
	if m == nil {
		return 0, false
	}
	n, err := strconv.Atoi(m[1])
	return time.Duration(n) * time.Second, err == nil
}
