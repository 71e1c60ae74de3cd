package htmlpage

import (
	"fmt"
	"strconv"
	"time"
)

// The chart's measures, in its own units: it is as wide as the page.
const (
	chartWidth, chartHeight = 800, 60
	maxBars                 = 200
	maxBarWidth             = 40 // of two turns, too
)

// bar is one or several turns.
type bar struct {
	from, to int
	cost     float64
	took     time.Duration
}

func (r *Run) bars() []bar {
	each := max(1, (len(r.measures)+maxBars-1)/maxBars)
	var bars []bar
	for i, t := range r.measures {
		if i%each == 0 {
			bars = append(bars, bar{from: t.turn})
		}
		b := &bars[len(bars)-1]
		b.to, b.cost, b.took = t.turn, b.cost+t.cost, b.took+t.took
	}
	return bars
}

// chart draws what each turn cost and how long it took.
func (r *Run) chart(m *markup) {
	bars := r.bars()
	if len(bars) < 2 {
		return
	}
	row(m, "cost", "cost of each turn", bars, func(b bar) (float64, string) { return b.cost, dollars(b.cost) })
	row(m, "time", "time of each turn", bars, func(b bar) (float64, string) { return b.took.Seconds(), short(b.took) })
}

// short formats a duration; one below a second is in milliseconds.
func short(d time.Duration) string {
	if d < time.Second {
		return d.Round(time.Millisecond).String()
	}
	return span(d)
}

func row(m *markup, class, title string, bars []bar, value func(bar) (float64, string)) {
	most, mostWords := 0.0, ""
	for _, b := range bars {
		if v, words := value(b); v > most {
			most, mostWords = v, words
		}
	}
	if most == 0 {
		return
	}
	m.Open("figure")
	first, last := bars[0].from, bars[len(bars)-1].to
	m.Element("figcaption", fmt.Sprintf("%s (highest: %s), turns %d to %d", title, mostWords, first, last))
	m.Open("svg", "viewBox", fmt.Sprintf("0 0 %d %d", chartWidth, chartHeight), "class", class, "role", "img", "aria-label", title, "preserveAspectRatio", "none")
	wide := min(float64(chartWidth)/float64(len(bars)), maxBarWidth)
	for i, b := range bars {
		v, words := value(b)
		high := max(1, v/most*chartHeight)
		number := func(f float64) string { return strconv.FormatFloat(f, 'f', 1, 64) }
		m.Open("rect", "x", number(float64(i)*wide), "y", number(chartHeight-high), "width", number(wide*0.8), "height", number(high))
		name := "turn " + strconv.Itoa(b.from)
		if b.to != b.from {
			name = fmt.Sprintf("turns %d to %d", b.from, b.to)
		}
		m.Element("title", name+": "+words)
		m.Close("rect")
	}
	m.Close("svg")
	m.Close("figure")
}
