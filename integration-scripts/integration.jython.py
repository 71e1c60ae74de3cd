# ripple's OSC 633 for Jython: the console of the library in place of the built-in one, whose prompts are set too late
# for a script. For each command: D A prompt B, read, C, run.
def __ripple_console():
    import code
    import sys

    key = ";{nonce}\x07"
    write, flush, readline = sys.stdout.write, sys.stdout.flush, sys.stdin.readline

    def mark(text):
        return "\x1b]633;" + text + key

    class Console(code.InteractiveConsole):
        failed = 0
        more = False

        def raw_input(self, prompt=""):
            if self.more:
                write(mark("F") + "... " + mark("G"))
            else:
                write(mark("D;%d" % self.failed) + mark("A") + ">>> " + mark("B"))
            flush()
            line = readline()
            if not line:
                raise EOFError
            if line.endswith("\x18\n"):  # prompt.continuation_escape
                self.more = False
                self.failed = 1
                raise KeyboardInterrupt
            if not self.more:
                self.failed = 0
            return line.rstrip("\n")

        def push(self, line):
            self.more = code.InteractiveConsole.push(self, line)
            return self.more

        def runcode(self, compiled):
            write(mark("C"))
            flush()
            code.InteractiveConsole.runcode(self, compiled)
            flush()

        def showtraceback(self):
            self.failed = 1
            code.InteractiveConsole.showtraceback(self)

        def showsyntaxerror(self, filename=None):
            self.failed = 1
            code.InteractiveConsole.showsyntaxerror(self, filename)

    main = sys.modules["__main__"].__dict__
    for name in ("__ripple_console", "__file__"):
        main.pop(name, None)
    sys.argv[:] = [""]
    Console(main, "<stdin>").interact("")


__ripple_console()
