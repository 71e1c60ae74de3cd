package resets

import (
	"strconv"
	"strings"
	"time"

	"example.org/ripple/internal/lazyregexp"
)

var (
	isoDate = lazyregexp.New(`^(\d{4})-(\d\d)-(\d\d)(?:[T ]|\s+at\s+|,\s*)`)
	named   = lazyregexp.New(`^(?i)(jan|feb|mar|apr|may|jun|jul|aug|sep|oct|nov|dec)[a-z]*\.?\s+(\d{1,2})(?:st|nd|rd|th)?(?:,?\s+(\d{4}))?`)
	reverse = lazyregexp.New(`^(?i)(\d{1,2})(?:st|nd|rd|th)?\s+(jan|feb|mar|apr|may|jun|jul|aug|sep|oct|nov|dec)[a-z]*\.?(?:,?\s+(\d{4}))?`)
	dayName = lazyregexp.New(`^(?i)(today|tomorrow|(?:sun|mon|tues|wednes|thurs|fri|satur)day|(?:sun|mon|tue|wed|thu|fri|sat)\b)`)
	between = lazyregexp.New(`^(?i)(?:[\s,·∙•—–-]|(?:at|on)\b)+`)

	clock24 = lazyregexp.New(`^([01]?\d|2[0-3]):([0-5]\d)(?::([0-5]\d)(?:\.\d+)?)?`)
	clock12 = lazyregexp.New(`^(?i)(1[0-2]|0?[1-9])(?::([0-5]\d))?(?::([0-5]\d))?\s*([ap])\.?m\b\.?`)
	byName  = lazyregexp.New(`^(?i)(midnight|noon)\b`)

	offset   = lazyregexp.New(`^\s*\(?(?:UTC|GMT)?([+-])(\d\d):?(\d\d)\b`)
	zoneName = lazyregexp.New(`^\s*\(?([A-Z][A-Za-z_]+/[A-Za-z_/+-]+[A-Za-z]|[A-Z]{1,5}\b|Pacific [Tt]ime)`)
)

// zones maps the unambiguous abbreviations to their zones.
var zones = map[string]string{
	"UTC": "UTC", "GMT": "UTC", "Z": "UTC", "PT": "America/Los_Angeles", "Pacific time": "America/Los_Angeles", "Pacific Time": "America/Los_Angeles",
	"ET": "America/New_York",
}

// fixed maps abbreviations with a fixed offset to hours from UTC.
var fixed = map[string]int{"PST": -8, "PDT": -7, "EST": -5, "EDT": -4, "CET": 1, "CEST": 2}

// date is the optional day of a moment.
type date struct {
	given      bool
	year       int // 0 if absent
	month      time.Month
	day        int
	weekday    int // a time.Weekday; -1 if absent
	daysFrom   int // for today and tomorrow
	isRelative bool
}

// moment reads a time of day with an optional zone and an optional day before or after it.
func moment(text string, now time.Time, local *time.Location) (time.Time, bool) {
	d, rest := readDate(text)
	hour, minute, second, rest, ok := readClock(rest)
	if !ok {
		return time.Time{}, false
	}
	zone, rest, ok := readZone(rest, local)
	if !ok {
		return time.Time{}, false
	}
	if !d.given {
		if d, rest = readDate(between().ReplaceAllString(rest, "")); d.given && zone == local {
			if zone, _, ok = readZone(rest, local); !ok {
				return time.Time{}, false
			}
		}
	}
	return d.at(now.In(zone), hour, minute, second)
}

// at returns the time of the given time of day; without a day, its next occurrence.
func (d date) at(now time.Time, hour, minute, second int) (time.Time, bool) {
	on := func(year int, month time.Month, day int) time.Time {
		return time.Date(year, month, day, hour, minute, second, 0, now.Location())
	}
	y, m, today := now.Date()
	switch {
	case !d.given:
		at := on(y, m, today)
		if ago := now.Sub(at); ago >= 0 && ago < justPassed {
			return time.Time{}, false
		}
		if !at.After(now) {
			at = on(y, m, today+1)
		}
		return believed(at, now, true)
	case d.isRelative:
		return believed(on(y, m, today+d.daysFrom), now, true)
	case d.weekday >= 0:
		days := (d.weekday - int(now.Weekday()) + 7) % 7
		at := on(y, m, today+days)
		if !at.After(now) {
			at = on(y, m, today+days+7)
		}
		return believed(at, now, true)
	case d.year == 0:
		at := on(y, d.month, d.day)
		if !at.After(now) {
			at = on(y+1, d.month, d.day)
		}
		return believed(at, now, at.Day() == d.day)
	}
	at := on(d.year, d.month, d.day)
	return believed(at, now, at.Day() == d.day)
}

var months = []string{"jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec"}

// readDate reads the day, if present.
func readDate(text string) (d date, rest string) {
	d.weekday = -1
	number := func(s string) int { n, _ := strconv.Atoi(s); return n } // "" counts as 0
	month := func(name string) time.Month {
		for i, m := range months {
			if strings.EqualFold(m, name) {
				return time.Month(i + 1)
			}
		}
		return 0
	}
	length := 0
	if m := isoDate().FindStringSubmatch(text); m != nil {
		d.given, d.year, d.month, d.day, length = true, number(m[1]), time.Month(number(m[2])), number(m[3]), len(m[0])
	} else if m := named().FindStringSubmatch(text); m != nil {
		d.given, d.year, d.month, d.day, length = true, number(m[3]), month(m[1]), number(m[2]), len(m[0])
	} else if m := reverse().FindStringSubmatch(text); m != nil {
		d.given, d.year, d.month, d.day, length = true, number(m[3]), month(m[2]), number(m[1]), len(m[0])
	} else if m := dayName().FindString(text); m != "" {
		d.given, length = true, len(m)
		switch word := strings.ToLower(m); word {
		case "today":
			d.isRelative = true
		case "tomorrow":
			d.isRelative, d.daysFrom = true, 1
		default:
			for day := time.Sunday; day <= time.Saturday; day++ {
				if strings.HasPrefix(strings.ToLower(day.String()), word[:3]) {
					d.weekday = int(day)
				}
			}
		}
	}
	rest = text[length:]
	if d.given {
		rest = rest[len(between().FindString(rest)):]
	}
	return d, rest
}

// readClock reads a time of day. An hour alone is not enough: it needs am or pm.
func readClock(text string) (hour, minute, second int, rest string, ok bool) {
	number := func(s string) int { n, _ := strconv.Atoi(s); return n } // "" counts as 0
	if m := clock12().FindStringSubmatch(text); m != nil {
		hour = number(m[1]) % 12
		if strings.EqualFold(m[4], "p") {
			hour += 12
		}
		return hour, number(m[2]), number(m[3]), text[len(m[0]):], true
	}
	if m := clock24().FindStringSubmatch(text); m != nil {
		return number(m[1]), number(m[2]), number(m[3]), text[len(m[0]):], true
	}
	if m := byName().FindString(text); m != "" {
		if strings.EqualFold(m, "noon") {
			hour = 12
		}
		return hour, 0, 0, text[len(m):], true
	}
	return 0, 0, 0, text, false
}

// readZone reads the zone, which defaults to local. An unknown or ambiguous zone leaves the time
// unknown.
func readZone(text string, local *time.Location) (zone *time.Location, rest string, ok bool) {
	if m := offset().FindStringSubmatch(text); m != nil {
		hours, _ := strconv.Atoi(m[2]) // the pattern allows digits only
		minutes, _ := strconv.Atoi(m[3])
		seconds := hours*3600 + minutes*60
		if m[1] == "-" {
			seconds = -seconds
		}
		return time.FixedZone("", seconds), text[len(m[0]):], hours < 24 && minutes < 60
	}
	m := zoneName().FindStringSubmatch(text)
	if m == nil {
		return local, text, true
	}
	rest = strings.TrimPrefix(text[len(m[0]):], ")")
	if hours, known := fixed[m[1]]; known {
		return time.FixedZone(m[1], hours*3600), rest, true
	}
	name, known := zones[m[1]]
	if !known {
		name = m[1]
	}
	if !known && !strings.Contains(name, "/") {
		return nil, text, false
	}
	zone, err := time.LoadLocation(name)
	return zone, rest, err == nil
}
