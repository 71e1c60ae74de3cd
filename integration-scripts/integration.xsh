# ripple's OSC 633 integration for xonsh, run as its --rc. Events send C, D, P and A, and readline's last hook before
# it reads B. The prompt is the user's own. The markers are numbered by their prompts.

import os as __rp_os
import sys as __rp_sys

class __rp_state:
    number = 0
    begun = running = False

def __rp_mark(code):
    return "\x1b]633;" + code + ";" + str(__rp_state.number) + ";{nonce}\a"

def __rp_send(code):
    __rp_sys.__stdout__.write(__rp_mark(code))
    __rp_sys.__stdout__.flush()

# The first marker of a prompt gives it its number.
def __rp_done(code):
    if not __rp_state.begun:
        __rp_state.begun = True
        __rp_state.number += 1
        __rp_send("D;" + str(code))

@events.on_precommand
def __rp_before(cmd, **_):
    __rp_send("C")
    __rp_state.running = True

@events.on_postcommand
def __rp_after(cmd, rtn, out, ts, **_):
    __rp_state.running = False
    interrupted = rtn is None or isinstance(__rp_sys.exc_info()[1], KeyboardInterrupt)
    __rp_done(130 if interrupted else rtn)

@events.on_pre_prompt_format
def __rp_start(**_):
    if __rp_state.running or __xonsh__.shell.shell.need_more_lines:
        return # a command has sent the event; it is the prompt for another line
    try:
        cwd = __rp_os.getcwd().replace("\\", "\\\\").replace(";", "\\x3b")
    except OSError: # it was removed
        cwd = ""
    __rp_done(__xonsh__.env.get("LAST_RETURN_CODE", 0)) # of nothing, which leaves it as it was
    __rp_send("P;Cwd=" + cwd)
    __rp_send("A")
    __rp_state.begun = False

# If PYTHONUNBUFFERED is set, readline writes prompt and echo byte by byte, and output of a job may come in between.
def __rp_buffer():
    import ctypes # xonsh's shell with readline uses it as well
    c, size = ctypes.CDLL(None), 4096
    try:
        stdout = ctypes.c_void_p.in_dll(c, "stdout")
        c.malloc.restype = ctypes.c_void_p
        c.setvbuf(stdout, ctypes.c_void_p(c.malloc(size)), 1, ctypes.c_size_t(size)) # _IOLBF
    except (ValueError, AttributeError):
        pass # a C library with other names

@events.on_pre_cmdloop
def __rp_plain(**_): # xonsh turns it on, whatever the terminal and the user's inputrc say
    import readline
    readline.parse_and_bind("set enable-bracketed-paste off")
    __rp_buffer()
    # B is written separately, because readline would count it for the width of the prompt. xonsh sets that hook, too,
    # before each line.
    set_hook = readline.set_pre_input_hook
    def with_mark(theirs=None):
        def hook():
            __rp_os.write(1, __rp_mark("B").encode())
            if theirs:
                theirs()
        set_hook(hook)
    readline.set_pre_input_hook = with_mark
    with_mark()

for __rp_file in ("~/.config/xonsh/rc.xsh", "~/.xonshrc"):
    if __rp_os.path.exists(__rp_os.path.expanduser(__rp_file)):
        source @(__rp_os.path.expanduser(__rp_file))

# xonsh repeats or cuts this text to the width of the prompt, so the marker is not in it.
def __rp_more():
    __rp_send("F")
    return "."

# For the branch in its own prompts xonsh asks git, hg or fossil, which may run programs that the settings of a repository
# name. These fields are left out; the user's own ones stay.
for __rp_name in ("curr_branch", "branch_color", "branch_bg_color"):
    if getattr($PROMPT_FIELDS.get(__rp_name), "__module__", None) == "xonsh.prompt.vc":
        $PROMPT_FIELDS[__rp_name] = lambda: None

$MULTILINE_PROMPT = __rp_more
$TITLE = ""
$XONSH_SHOW_TRACEBACK = False
$COLOR_RESULTS = False
$XONSH_HISTORY_BACKEND = "dummy" # the user's history is not for a session to write
$SUGGEST_COMMANDS = False
