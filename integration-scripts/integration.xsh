# ripple's OSC 633 integration for xonsh, run as its --rc. Events send C and D, the prompt's function P and A, and
# readline's last hook before it reads B.

import os as __rp_os
import sys as __rp_sys

def __rp_mark(code):
    return "\x1b]633;" + code + ";{nonce}\a"

def __rp_send(code):
    __rp_sys.__stdout__.write(__rp_mark(code))
    __rp_sys.__stdout__.flush()

@events.on_precommand
def __rp_before(cmd, **_):
    __rp_send("C")

@events.on_postcommand
def __rp_after(cmd, rtn, out, ts, **_):
    __rp_send("D;" + str(130 if rtn is None else rtn)) # None: interrupted

@events.on_pre_cmdloop
def __rp_plain(**_): # xonsh turns it on, whatever the terminal and the user's inputrc say
    import readline
    readline.parse_and_bind("set enable-bracketed-paste off")
    # readline writes a prompt byte by byte, and a job's output may come in between: B is a write of its own.
    # xonsh sets that hook too, before each line.
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

__rp_theirs = $PROMPT

def __rp_prompt():
    try:
        cwd = __rp_os.getcwd().replace("\\", "\\\\").replace(";", "\\x3b")
    except OSError: # it was removed
        cwd = ""
    __rp_send("P;Cwd=" + cwd)
    __rp_send("A")
    return __rp_theirs() if callable(__rp_theirs) else __rp_theirs

# xonsh repeats or cuts this text to the width of the prompt, so the marker is not in it.
def __rp_more():
    __rp_send("F")
    return "."

$PROMPT = __rp_prompt
$MULTILINE_PROMPT = __rp_more
$TITLE = ""
$XONSH_SHOW_TRACEBACK = False
$COLOR_RESULTS = False
$SUGGEST_COMMANDS = False
