# A small REPL of arithmetic and variables, for tests: how it prompts is its argument.
import os, re, signal, sys

kind = sys.argv[1] if len(sys.argv) > 1 else "constant"
count, names, failed, whole, shown = 1, {}, False, False, "toy> "


def prompt():
    if kind in ("constant", "strict", "asks"):
        sys.stdout.write("toy> ")
    elif kind == "status":
        sys.stdout.write("toy [1]> " if failed else "toy> ")
    elif kind == "late":
        sys.stdout.write("toy> " if count > 1 else "")
    elif kind in ("editor", "stubborn"):
        sys.stdout.write("toy> ")
    elif kind in ("settable", "broken"):
        sys.stdout.write(shown)
    elif kind == "counter":
        sys.stdout.write("[%d] toy> " % count)
    elif kind == "continued":
        sys.stdout.write("toy> ")
    elif kind == "silent":
        sys.stdout.write("toy> ")
    if kind == "asks":
        sys.stdout.write("\x1b[6n")
    sys.stdout.flush()
    while kind == "asks" and os.read(0, 1) != b"R":
        pass


def complete(code):
    return code.count("(") <= code.count(")")


def evaluate(code):
    global failed, shown, whole
    failed = False
    if code.strip() in ("exit", "exit()"):
        sys.exit(0)
    if not code.strip() or code.lstrip().startswith("#"):
        return
    m = re.fullmatch(r"\s*(?:(var) )?(\w+) = (\d+)\s*", code)
    if m and kind == "strict" and not m.group(1) and m.group(2) not in names:
        print("Oops! %s is not declared" % m.group(2))
        return
    if m and (not m.group(1) or kind == "strict"):
        names[m.group(2)] = int(m.group(3))
        return
    m = re.fullmatch(r'\s*print\("([^"]*)"\)\s*', code)
    if m and kind == "broken" and not whole:
        print("\\\n".join(re.findall(".{1,69}", m.group(1))))
        return
    if m:
        print(m.group(1))
        return
    if code.strip() == "keep lines whole":
        whole = True
        return
    m = re.fullmatch(r'\s*import sys; sys.ps1 = "([^"]*)"\s*', code)
    if m and kind == "settable":
        shown = m.group(1)
        return
    if re.fullmatch(r"\s*while True: pass\s*", code) or "iter(int, 1)" in code:
        while True:
            pass
    try:
        print(eval(code, {"__builtins__": {}}, names))
    except Exception as e:
        print("Oops! %s: %s" % (type(e).__name__, e))
        failed = True


if kind in ("editor", "stubborn"):
    if "--help" in sys.argv:
        print("  --noteditable   Not a switch about lines\n  --nolineedit    Don't use the line editor\n  --color         Colours")
        sys.exit(0)
    if kind == "stubborn" or "--nolineedit" not in sys.argv:
        import tty
        tty.setcbreak(0)

print("Toy 1.0", end="\n" if kind != "late" else "")
if kind == "late":
    sys.stdout.flush()
    signal.signal(signal.SIGALRM, lambda *_: (sys.stdout.write("\ntoy> "), sys.stdout.flush()))
    signal.setitimer(signal.ITIMER_REAL, 0.3)
while True:
    prompt()
    try:
        code = sys.stdin.readline()
        if not code:
            break
        while kind in ("continued", "silent") and not complete(code):
            if kind == "continued":
                sys.stdout.write("more> ")
                sys.stdout.flush()
            code += sys.stdin.readline()
        evaluate(code)
        if kind == "okay":
            print(" ok")
    except KeyboardInterrupt:
        print("stopped")
        if kind == "okay":
            print(" ok")
    count += 1
