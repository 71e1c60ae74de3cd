# ripple's OSC 633 integration for pdb of CPython 3.8 and later, started as `python3 THIS [SCRIPT ARGUMENT...]`;
# without a script it debugs one that does nothing.
#
# It runs pdb's own main program with another input(): pdb's modules find it among their globals, in front of
# the built-in one. A prompt is D with the status of the command before it, P with the directory, A, text, B;
# a continuation prompt is F alone. The terminal neither echoes nor edits, and a command's line is read byte
# by byte, so that what follows it is there for the program under test.
#
# Everything is local: pdb empties the namespace of __main__ before it runs the program in it.


def __ripple_main():
    import cmd
    import code
    import codeop
    import os
    import pdb
    import sys

    try:
        tty = os.dup2(0, 255, inheritable=False)  # whatever becomes of standard input
    except OSError:
        tty = 0
    key = b";{nonce}\a"
    escapes = {c: "\\x%02x" % c for c in [*range(32), 59, 127]}
    escapes[92] = "\\\\"
    status = None  # of the command that runs; None before the first one
    ask = input

    def mark(code, argument=b""):
        return b"\033]633;" + code + argument + key

    def directory():
        try:
            return mark(b"P", b";Cwd=" + os.fsencode(os.getcwd().translate(escapes)))
        except OSError:  # it was removed
            return b""

    def flush():
        for stream in (sys.stdout, sys.stderr, sys.__stdout__):
            try:
                stream.flush()
            except Exception:  # replaced or closed by the program
                pass

    def read_line(before):
        flush()
        while before:
            before = before[os.write(tty, before) :]
        line = bytearray()
        while not line.endswith(b"\n"):
            byte = os.read(tty, 1)
            if not byte:
                raise EOFError
            line += byte
        return line.decode("utf-8", "surrogateescape").rstrip("\r\n")

    def command_input(prompt=""):
        nonlocal status
        done = b"" if status is None else mark(b"D", b";%d" % status)
        status = 0
        return read_line(done + directory() + mark(b"A") + prompt.encode() + mark(b"B"))

    def more_input(prompt=""):
        line = read_line(mark(b"F"))
        if line == "\x18":  # given up
            raise KeyboardInterrupt
        return line

    def console_input(prompt=""):
        return (more_input if prompt == getattr(sys, "ps2", "... ") else command_input)(prompt)

    def pdb_input(prompt=""):
        if prompt.startswith("..."):
            return more_input()
        if prompt.startswith("Clear all breaks"):  # a program that asks for it is sure
            return "y"
        return ask(prompt)

    class Console(code.InteractiveConsole):
        def showtraceback(self):
            nonlocal status
            status = 1
            super().showtraceback()

        def showsyntaxerror(self, *args, **kwargs):
            nonlocal status
            status = 1
            super().showsyntaxerror(*args, **kwargs)

    class Pdb(pdb.Pdb):
        def __init__(self, *args, **kwargs):
            super().__init__(*args, **kwargs)
            self.use_rawinput = True  # the debugger within the debugger, too

        def error(self, message):
            nonlocal status
            status = 1
            super().error(message)

        def interaction(self, frame, *args, **kwargs):
            nonlocal status
            if frame is not None:
                return super().interaction(frame, *args, **kwargs)
            prompt, self.prompt, status = self.prompt, "(Pdb post-mortem) ", 1
            try:
                return super().interaction(frame, *args, **kwargs)
            finally:
                self.prompt = prompt

        def emptyline(self):
            """Would repeat the last command, and blocks have empty lines."""

        def default(self, line):
            """Takes statements of several lines, as pdb itself does from 3.13 on."""
            text = line[1:] if line[:1] == "!" else line
            try:
                compile(text + "\n", "<stdin>", "single")
            except (SyntaxError, ValueError, OverflowError):
                try:
                    while codeop.compile_command(text, "<stdin>", "single") is None:
                        text += "\n" + more_input()
                except (SyntaxError, ValueError, OverflowError):
                    pass  # to be told by pdb
                except KeyboardInterrupt:
                    self.message("--KeyboardInterrupt--")
                    return None
                line = "!" + text.rstrip("\n")
            return super().default(line)

        def do_interact(self, arg):
            """interact
            Start a Python prompt in the scope of the current frame; exit() leaves it."""
            names = dict(self.curframe.f_globals)
            names.update(self.curframe_locals if hasattr(self, "curframe_locals") else self.curframe.f_locals)
            try:
                Console(names).interact("", "")
            except SystemExit:
                pass

    cmd.input, code.input, pdb.input = command_input, console_input, pdb_input
    pdb.Pdb = Pdb
    if len(sys.argv) == 1:
        sys.argv.append("{temp_dir}/nothing.py")
        with open(sys.argv[1], "w") as program:
            program.write("pass\n")
    pdb.main()


__ripple_main()
