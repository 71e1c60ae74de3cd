package lineedit

// The keys are those of Emacs and readline (readline(3), "Default Key Bindings").

// controls are the commands of control keys, by their letters.
var controls = map[rune]func(*Editor) Result{
	'a': doHome, 'e': doEnd, 'b': doLeft, 'f': doRight,
	'd': doDeleteOrPass, 'h': doBackspace, 'k': doKillRight, 'u': doKillLeft,
	'w': doKillBlankWord, 'y': doYank, 't': doTranspose,
	'c': doInterrupt, 'g': doAbandon,
	'p': doUp, 'n': doDown, 'r': doLook, tab: doComplete,
	'l': doClear, '_': doUndo,
	'z': doRing, '\\': passOn("\x1c"), // no command runs that Ctrl-Z could stop
}

// sequences are the commands of keys that send an escape sequence: those of xterm, of the
// application cursor mode, and of the terminals that have their own for Home and End.
var sequences = map[string]func(*Editor) Result{
	"\x1b[D": doLeft, "\x1bOD": doLeft, "\x1b[C": doRight, "\x1bOC": doRight,
	"\x1b[H": doHome, "\x1bOH": doHome, "\x1b[1~": doHome, "\x1b[7~": doHome,
	"\x1b[F": doEnd, "\x1bOF": doEnd, "\x1b[4~": doEnd, "\x1b[8~": doEnd,
	"\x1b[A": doUp, "\x1bOA": doUp, "\x1b[B": doDown, "\x1bOB": doDown,
	"\x1b[3~":   doDelete,
	"\x1b[1;5D": doWordLeft, "\x1b[1;3D": doWordLeft, "\x1bb": doWordLeft, "\x1bOd": doWordLeft,
	"\x1b[1;5C": doWordRight, "\x1b[1;3C": doWordRight, "\x1bf": doWordRight, "\x1bOc": doWordRight,
	"\x1b\x7f": doKillWordLeft, "\x1b\x08": doKillWordLeft, "\x1bd": doKillWordRight, "\x1b[3;5~": doKillWordRight,
	"\x1b.": doLastWord, "\x1b_": doLastWord,
	"\x1b[27u": doAbandon,
}

func passOn(raw string) func(*Editor) Result {
	return func(*Editor) Result { return Result{Pass, raw} }
}

func doRing(*Editor) Result { return Result{Do: Bell} }

// move puts the cursor at a place, which is within the line or just outside.
func (e *Editor) move(to int) Result {
	if to < 0 || to > len(e.line.chars) {
		return Result{Do: Bell}
	}
	e.line.at = to
	return Result{}
}

func doLeft(e *Editor) Result      { return e.move(e.line.at - 1) }
func doRight(e *Editor) Result     { return e.move(e.line.at + 1) }
func doHome(e *Editor) Result      { return e.move(0) }
func doEnd(e *Editor) Result       { return e.move(len(e.line.chars)) }
func doWordLeft(e *Editor) Result  { return e.move(e.line.wordLeft(letter)) }
func doWordRight(e *Editor) Result { return e.move(e.line.wordRight(letter)) }

func doBackspace(e *Editor) Result {
	if e.line.at == 0 {
		return Result{Do: Bell}
	}
	e.line.remove(e.line.at-1, e.line.at)
	return Result{}
}

func doDelete(e *Editor) Result {
	if e.line.at == len(e.line.chars) {
		return Result{Do: Bell}
	}
	e.line.remove(e.line.at, e.line.at+1)
	return Result{}
}

// doDeleteOrPass is Ctrl-D: on an empty line it is the end of the program's input.
func doDeleteOrPass(e *Editor) Result {
	if e.Empty() {
		return Result{Pass, "\x04"}
	}
	return doDelete(e)
}

// doInterrupt is Ctrl-C: it takes the unfinished line away, and is the program's where there is
// none.
func doInterrupt(e *Editor) Result {
	if e.Empty() {
		return Result{Pass, "\x03"}
	}
	e.Drop()
	return Result{}
}

// doAbandon is Ctrl-G, and Escape: outside of a search there is nothing to abandon.
func doAbandon(e *Editor) Result { return Result{Do: Bell} }

// kill takes out what is between two places; yank gives it back.
func (e *Editor) kill(from, to int) Result {
	if from == to {
		return Result{Do: Bell}
	}
	e.killed = e.line.remove(from, to)
	return Result{}
}

func doKillRight(e *Editor) Result     { return e.kill(e.line.at, len(e.line.chars)) }
func doKillLeft(e *Editor) Result      { return e.kill(0, e.line.at) }
func doKillBlankWord(e *Editor) Result { return e.kill(e.line.wordLeft(notBlank), e.line.at) }
func doKillWordLeft(e *Editor) Result  { return e.kill(e.line.wordLeft(letter), e.line.at) }
func doKillWordRight(e *Editor) Result { return e.kill(e.line.at, e.line.wordRight(letter)) }
func doYank(e *Editor) Result          { return e.insert(e.killed) }

func doClear(*Editor) Result { return Result{Do: Clear} }

func doUndo(e *Editor) Result {
	if !e.line.undo() {
		return Result{Do: Bell}
	}
	return Result{}
}

func doTranspose(e *Editor) Result {
	e.line.transpose()
	return Result{}
}
