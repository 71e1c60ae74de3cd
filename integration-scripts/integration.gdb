# ripple's OSC 633 integration for GDB, loaded with -x.
#
# With editing off, GDB neither echoes nor redraws: it reads one line at a time from a terminal without echo, and
# the program under test reads its own input. A prompt is D (the command before it has ended), A, text, B.
# If GDB has Python, the text also shows whether there is a stopped program, and P has the directory.

set confirm off
set pagination off
set height 0
set width 0
set style enabled off
set editing off
set prompt \033]633;D;{nonce}\007\033]633;A;{nonce}\007(gdb) \033]633;B;{nonce}\007

python
def __ripple_prompt():
    import os

    def mark(code, argument=""):
        return "\033]633;" + code + argument + ";{nonce}\007"

    escapes = {c: "\\x%02x" % c for c in [*range(32), 59, 127]}
    escapes[92] = "\\\\"

    def stopped():
        thread = gdb.selected_thread()
        return thread is not None and thread.is_valid() and not thread.is_running() and not thread.is_exited()

    def directory():
        try:
            return mark("P", ";Cwd=" + os.getcwd().translate(escapes))
        except OSError:  # it was removed
            return ""

    def prompt(current):
        text = "(gdb stopped) " if stopped() else "(gdb) "
        return mark("D") + directory() + mark("A") + text + mark("B")

    return prompt


gdb.prompt_hook = __ripple_prompt()
del __ripple_prompt
end
