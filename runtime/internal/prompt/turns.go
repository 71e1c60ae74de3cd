package prompt

import "strconv"

// turns holds numbered markers to their order: a prompt has a number, the markers
// of a prompt and of the command that follows carry it, and each counts once. A
// copy that comes later – from a log of the terminal, from a prompt that the
// program expands again – is output. After an interrupt a shell may print a prompt
// again with its number, because it has run nothing.
type turns struct {
	number      int // of the latest prompt
	seen        [kinds]bool
	interrupted bool // since that prompt began, an interrupt was sent
	repeats     bool // the prompt may come again: an interrupt was sent since it began, or since the one before began
}

// interrupt notes that an interrupt was sent.
func (t *turns) interrupt() { t.interrupted, t.repeats = true, true }

// take judges a marker by its number, the last parameter, and returns the others.
// Only D, P and A must have one: the others then mean the prompt that has just begun.
func (t *turns) take(kind Kind, params []string) (rest []string, inTurn bool) {
	number, last := t.number, len(params)-1
	switch {
	case last >= 0:
		n, err := strconv.Atoi(params[last])
		if err != nil || n < 0 {
			return params, false
		}
		number, params = n, params[:last]
	case kind == Finished || kind == PromptStart || kind == Cwd:
		return params, false
	}
	if !t.allows(kind, number) {
		return params, false
	}
	if number > t.number {
		*t = turns{number: number, repeats: t.interrupted}
	}
	t.seen[kind] = true
	return params, true
}

func (t *turns) allows(kind Kind, number int) bool {
	began, ran := t.seen[PromptStart], t.seen[Executed]
	switch kind {
	case Finished, PromptStart, Cwd:
		// A shell may say D early and again with its prompt.
		return number > t.number || number == t.number && !ran && (!began || !t.seen[kind] || t.repeats)
	}
	return number == t.number && began && !ran // ended by the command's start
}
