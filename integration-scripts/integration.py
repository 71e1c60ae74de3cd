# ripple's OSC 633 integration for CPython 3.8 and later, started as `python3 THIS`.
#
# It is a read-eval loop in the namespace of __main__ that announces what it does, in place of the built-in
# one, which announces nothing. The code runs with a namespace of its own, so that nothing of it is in
# __main__ and nothing in __main__ (`open = 5`) or builtins can break it. Steps for each command:
#
#   echo off, D P A prompt B (one write), read a line, echo as it was, C, run it.
#
# The terminal stays canonical: a read gives one line at most, so what was typed ahead is still there for
# input() in the code that runs. Reading and writing go through an own descriptor of the terminal, which
# neither `sys.stdout = …` nor os.close(0) nor O_NONBLOCK on standard input can take away.


def __ripple_loop(main):
    import _frozen_importlib
    import os
    import sys
    import termios
    from _signal import SIG_IGN, SIGINT, default_int_handler, getsignal, signal

    here = sys._getframe().f_code.co_filename
    namespace = main.__dict__
    for name in ("__ripple_loop", "__file__", "__cached__"):
        namespace.pop(name, None)
    main.__loader__ = _frozen_importlib.BuiltinImporter
    sys.argv[:] = [""]
    library = sys.path[:]  # without the current directory
    if not getattr(sys.flags, "safe_path", False):
        del library[0]
        sys.path[0] = ""
    if hasattr(sys, "orig_argv"):
        sys.orig_argv[1:] = ["-q"]

    key = b";{nonce}\a"
    escapes = {c: "\\x%02x" % c for c in [*range(32), 59, 127]}
    escapes[92] = "\\\\"
    numbered = sys.version_info >= (3, 13)  # the interpreter itself keeps the source of what was typed

    handler = getsignal(SIGINT)  # the user's, while ours is in place
    if handler in (None, SIG_IGN):
        handler = default_int_handler
    reading = interrupted = False
    tracing = profiling = None
    status = count = 0
    complete = None  # codeop's compiler, which knows what is incomplete; made when there is something to ask
    futures = 0  # the compiler flags of `from __future__ import …` so far
    tty = -1

    def on_interrupt(number, frame):
        nonlocal interrupted
        interrupted = True
        if reading:
            raise KeyboardInterrupt

    # The terminal.

    def open_terminal():
        nonlocal tty
        try:
            path = os.ttyname(0)
        except OSError:
            path = "/dev/tty"
        low = os.open(path, os.O_RDWR | os.O_NOCTTY)
        try:
            tty = os.dup2(low, 255, inheritable=False)  # high, as a shell's: files opened get the usual numbers
            os.close(low)
        except OSError:
            tty = low

    def write(data):
        while data:
            data = data[os.write(tty, data) :]

    def mark(code, argument=b""):
        return b"\033]633;" + code + argument + key

    def directory():
        try:
            path = os.getcwd()
        except OSError:  # it was removed
            return b""
        return mark(b"P", b";Cwd=" + os.fsencode(path.translate(escapes)))

    def prompt_text(name, default):
        text = getattr(sys, name, "")
        if type(text) is not str:
            texts = []
            text = default if attend(lambda: texts.append(str(text))) else texts[0]
        return text.encode("utf-8", "replace")

    def read_line():
        nonlocal reading
        line = b""
        reading = True
        try:
            while not line.endswith(b"\n"):
                piece = os.read(tty, 65536)
                if not piece and not line:
                    raise EOFError
                line += piece
                if not piece:
                    break
        finally:
            reading = False
        return line.decode("utf-8", "surrogateescape").rstrip("\n")

    def library_module(name):
        """Imports a module of Python's library, which a file of the current directory does not hide."""
        path, sys.path = sys.path, library
        try:
            return __import__(name)
        finally:
            sys.path = path

    # Compiling. What cannot be compiled gives the exception, to be shown like any other.

    def store(text, name):
        library_module("linecache").cache[name] = (len(text), None, text.splitlines(True), name)

    def compiled(lines):
        """The code of what was typed; None when it is incomplete. As codeop, but a statement that is whole on
        its first line (`for x in y: print(x)`) needs no blank line: programs send lines, not keys."""
        nonlocal count, complete, futures
        text = "\n".join(lines)
        name = "<stdin>"
        if numbered:
            count += len(lines) == 1
            name = "<stdin>-%d" % count
        block = len(lines) == 1 and block_path(text)
        try:
            if len(lines) == 1:
                if block:
                    if not numbered:
                        count += 1
                        name = "<stdin>-%d" % count
                    return compiled_block(block, name)
                try:
                    return remember(compile(text + "\n", name, "single", futures, True))
                except SyntaxError:
                    pass
            if complete is None:
                complete = library_module("codeop").CommandCompiler()
            complete.compiler.flags |= futures
            code = complete(text, name, "single")
            return code and remember(code)
        except Exception as error:
            error.__context__ = error.__traceback__ = None
            if getattr(error, "filename", None) == name:
                error.filename = "<stdin>"
            return error
        finally:
            if numbered and not block:
                store(text + "\n", name)

    def remember(code):
        nonlocal futures
        if code.co_flags & 0x1FE0000:  # the bits of __future__.all_feature_names
            futures |= code.co_flags & 0x1FE0000
        return code

    # A block of several lines comes in a file. The line that names it is plain Python, so that it works at
    # the prompt of pdb too; here the file runs as if it were typed, and tracebacks show its lines.
    before, after = 'exec(__import__("io").open("', '", encoding="utf-8").read())'

    def block_path(text):
        if text.startswith(before) and text.endswith(after) and "/.ripple-exec-" in text:
            return text[len(before) : -len(after)]

    def compiled_block(path, name):
        import _ast

        with open(path, encoding="utf-8", newline="") as file:
            text = file.read()
        store(text, name)
        tree = compile(text, name, "exec", futures | _ast.PyCF_ONLY_AST, True)
        return remember(compile(_ast.Interactive(tree.body), name, "single", futures, True))

    # Running.

    def attend(work, *arguments):
        """Calls work as the user's own code, with their SIGINT handler and tracing; gives what it raised."""
        nonlocal handler, tracing, profiling
        raised = None
        try:
            try:
                signal(SIGINT, handler)
                if interrupted:
                    raise KeyboardInterrupt
                if tracing or profiling:
                    sys.settrace(tracing)
                    sys.setprofile(profiling)
                work(*arguments)
            finally:
                take_over()
        except BaseException as error:
            raised = error
        take_over()
        return raised

    def take_over():
        nonlocal handler, tracing, profiling
        if getsignal(SIGINT) is not on_interrupt:
            tracing, profiling = sys.gettrace(), sys.getprofile()
            if tracing or profiling:
                sys.settrace(None)
                sys.setprofile(None)
            handler = getsignal(SIGINT) or handler
            signal(SIGINT, on_interrupt)

    def run(code):
        nonlocal status
        status = 0
        try:
            if isinstance(code, BaseException):
                raise code
            exec(code, namespace)
        except SystemExit:
            raise
        except BaseException as error:
            status = 130 if isinstance(error, KeyboardInterrupt) else 1
            show(error)
        for stream in (sys.stderr, sys.stdout):
            try:
                stream.flush()
            except Exception:  # closed, or not a file at all: the user's own affair, as in the built-in loop
                pass

    def show(error):
        trace = error.__traceback__
        while trace and trace.tb_frame.f_code.co_filename == here:
            trace = trace.tb_next
        error.__traceback__ = trace
        kind = type(error)
        sys.last_type, sys.last_value, sys.last_traceback = kind, error, trace
        if sys.version_info >= (3, 12):
            sys.last_exc = error
        hook = getattr(sys, "excepthook", None)
        if hook is None:
            sys.stderr.write("sys.excepthook is missing\n")
        if hook in (None, sys.__excepthook__):
            return display(kind, error, trace)
        try:
            hook(kind, error, trace)
        except SystemExit:
            raise
        except BaseException as other:
            other.__context__ = None
            other.__traceback__ = other.__traceback__ and other.__traceback__.tb_next
            sys.stderr.write("Error in sys.excepthook:\n")
            display(type(other), other, other.__traceback__)
            sys.stderr.write("\nOriginal exception was:\n")
            display(kind, error, trace)

    def plainly(act):
        # From 3.13 on tracebacks are colored: what the code prints keeps its colors, and this has none.
        _colorize = library_module("_colorize")
        colors = _colorize.can_colorize
        _colorize.can_colorize = lambda *_, **__: False
        try:
            act()
        finally:
            _colorize.can_colorize = colors

    def display(kind, error, trace):
        if numbered:
            return plainly(lambda: sys.__excepthook__(kind, error, trace))
        if not count:
            return sys.__excepthook__(kind, error, trace)
        # Before 3.13 the built-in display does not ask linecache, where the lines of blocks are.
        for text in library_module("traceback").TracebackException(kind, error, trace).format():
            head, number, rest = text.partition('  File "<stdin>-')
            sys.stderr.write(head + '  File "<stdin>"' + rest.partition('"')[2] if number else text)

    # What the debugger would show of us, and readline.

    def tame_bdb(bdb):
        stop_here, get_stack = bdb.Bdb.stop_here, bdb.Bdb.get_stack

        def stops(self, frame):
            return frame.f_code.co_filename != here and stop_here(self, frame)

        def stack(self, frame, trace):
            entries, current = get_stack(self, frame, trace)
            kept = [entry for entry in entries if entry[0].f_code.co_filename != here]
            return kept, max(current - len(entries) + len(kept), 0)

        bdb.Bdb.stop_here, bdb.Bdb.get_stack = stops, stack

    def tame_readline(readline):
        # input() must not become a line editor that echoes and redraws in its own way. (pdb imports readline.)
        ctypes = library_module("ctypes")

        ctypes.c_void_p.in_dll(ctypes.pythonapi, "PyOS_ReadlineFunctionPointer").value = None

    class Finder:
        """Lets two modules be found as usual and changes them once they are there."""

        changes = {"bdb": tame_bdb, "readline": tame_readline}

        @classmethod
        def find_spec(cls, name, path=None, target=None):
            if name not in cls.changes:
                return None
            change = cls.changes.pop(name)
            if not cls.changes:
                sys.meta_path.remove(cls)
            spec = _frozen_importlib._find_spec(name, path, target)
            if spec and spec.loader:
                execute = spec.loader.exec_module

                def exec_module(module):
                    execute(module)
                    change(module)

                spec.loader.exec_module = exec_module
            return spec

    # The loop.

    def startup():
        path = not sys.flags.ignore_environment and os.environ.get("PYTHONSTARTUP")
        if not path:
            return
        try:
            with open(path, "rb") as file:
                text = file.read()
        except OSError as error:
            sys.stderr.write("Could not open PYTHONSTARTUP\n%s: %s\n" % (type(error).__name__, error))
            return
        namespace["__file__"] = path
        try:
            code = compile(text, path, "exec", 0, True)
        except Exception as error:
            error.__traceback__ = None
            code = error
        leave(attend(run, code))
        namespace.pop("__file__", None)

    def leave(raised):
        if isinstance(raised, SystemExit):
            signal(SIGINT, handler)
            raise raised
        return raised

    def read_command(was):
        """The code of the next command; None when it was interrupted."""
        text = prompt_text("ps1", "")
        termios.tcsetattr(tty, termios.TCSANOW, silent(was))
        write(mark(b"D", b";%d" % status) + directory() + mark(b"A") + text + mark(b"B"))
        lines = [read_line()]
        code = compiled(lines)
        while code is None:
            write(mark(b"F") + prompt_text("ps2", "") + mark(b"G"))
            lines.append(read_line())
            code = compiled(lines)
        return code

    def silent(attributes):
        quiet = attributes[:]
        quiet[3] = quiet[3] & ~termios.ECHO | termios.ICANON | termios.ISIG
        return quiet

    def once():
        nonlocal status, interrupted, reading
        take_over()
        interrupted = reading = False
        was = termios.tcgetattr(tty)
        try:
            code = read_command(was)
        except KeyboardInterrupt:
            reading = False
            termios.tcflush(tty, termios.TCIFLUSH)  # as the terminal does when it makes the signal of a key
            code = None
        except EOFError:
            code = SystemExit()
            write(b"\n")
        termios.tcsetattr(tty, termios.TCSANOW, was)
        if code is None:
            status = 130
            write(b"\nKeyboardInterrupt\n")
            return
        write(mark(b"C"))
        if leave(attend(run, code)):
            status = 130  # an interrupt while something was being shown

    open_terminal()
    sys.meta_path.insert(0, Finder)
    take_over()
    startup()
    sys.ps1 = getattr(sys, "ps1", ">>> ")
    sys.ps2 = getattr(sys, "ps2", "... ")
    while True:
        try:
            once()
        except KeyboardInterrupt:  # where no handler was in place for a moment
            status = 130


type(__ripple_loop)(__ripple_loop.__code__, {"__name__": "ripple", "__builtins__": dict(vars(__builtins__))})(
    __import__("sys").modules["__main__"]
)
