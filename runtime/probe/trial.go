package probe

import "context"

// trial is a test of a language with the program: the parts of its table that work.
type trial struct {
	language language
	spelling string
	result   answer            // of 6*7
	found    map[string]string // working samples by key
	load     string            // runs the file {path}
	direct   bool              // a block can be typed line by line
	score    int
}

// weights is how strongly each sample indicates that the language is the right one.
var weights = map[string]int{"print": 3, "get_var": 3, "print_lines": 2, "multiline": 2, "raw_bytes": 1, "comment": 1}

func maxScore(l language) (most int) {
	for key := range l.Samples {
		most += weights[key]
	}
	return most
}

// findLanguage is the rest of experiment 3: of the languages with the same spelling of 6*7, the one
// with the most working samples.
func findLanguage(ctx context.Context, l *lab) error {
	if l.tongue.spelling == "" {
		l.log.say("none of %d spellings was answered with 42", len(spellings()))
		return nil
	}
	best, err := tryLanguages(ctx, l, l.tongue.spelling, l.tongue.result)
	if err == nil && !fits(best) {
		best, err = otherSpellings(ctx, l, best)
	}
	adopt(l, best)
	if err != nil {
		return err
	}
	return trySlow(ctx, l)
}

// tryLanguages returns the best of the languages with the given spelling.
func tryLanguages(ctx context.Context, l *lab, spelling string, result answer) (best trial, err error) {
	best = trial{spelling: spelling, result: result}
	for _, lang := range speaking(spelling) {
		l.log.experiment(3, "samples of "+lang.Name)
		l.o.progress("is the language " + lang.Name + "?")
		t, err := tryLanguage(ctx, l, lang, best.score)
		t.spelling, t.result = spelling, result
		if t.score > best.score {
			best = t
		}
		if err != nil || t.score > 0 && t.score >= maxScore(lang)-1 { // a comment may show a value
			return best, err
		}
	}
	return best, nil
}

// fits reports whether three quarters of a language's table work.
func fits(t trial) bool { return t.score > 0 && 4*t.score >= 3*maxScore(t.language) }

// otherSpellings tries further spellings if the first one does not lead to a fitting language: many
// programs understand print(6*7).
func otherSpellings(ctx context.Context, l *lab, best trial) (trial, error) {
	for _, s := range spellings() {
		if s == best.spelling || fits(best) {
			continue
		}
		a, err := l.eval(ctx, s)
		if err != nil {
			return best, err
		}
		if !fortyTwo().MatchString(withoutEcho(a.text(), s)) || !confirm(ctx, l, s, &a) {
			continue
		}
		t, err := tryLanguages(ctx, l, s, a)
		if t.score > best.score {
			best = t
		}
		if err != nil {
			return best, err
		}
	}
	return best, nil
}

func adopt(l *lab, best trial) {
	l.tongue = best
	if best.score > 0 {
		l.log.say("the language is %s, or similar: %d of %d", best.language.Name, best.score, maxScore(best.language))
	}
}

// attempts are the samples of a language in the order in which they are tried.
var attempts = []struct {
	key string
	try func(context.Context, *lab, *trial) error
}{
	{"print", tryPrint},
	{"get_var", tryVariable},
	{"print_lines", tryLines},
	{"multiline", tryBlock},
	{"raw_bytes", tryRaw},
	{"comment", tryComment},
}

// tryLanguage tests the samples of a language until it is certain that the language cannot score
// more than another one. A language whose print and variable samples both fail is not the right
// one.
func tryLanguage(ctx context.Context, l *lab, lang language, other int) (t trial, err error) {
	t = trial{language: lang, found: map[string]string{}}
	l.good = []string{l.tongue.result.output}
	possible := maxScore(lang)
	for _, a := range attempts {
		if possible <= other || a.key == "print_lines" && t.score == 0 {
			break
		}
		if err := a.try(ctx, l, &t); err != nil && ctx.Err() != nil {
			return t, ctx.Err()
		}
		if t.found[a.key] == "" && len(lang.Samples[a.key]) > 0 {
			possible -= weights[a.key]
		}
	}
	return t, nil
}
