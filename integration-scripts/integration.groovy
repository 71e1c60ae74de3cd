// ripple's integration for groovysh, evaluated once at its start.

// The shell builds each prompt from this: a text that nobody can guess, then the number of the line.
System.setProperty('groovysh.prompt', '{nonce}')
org.fusesource.jansi.Ansi.enabled = false // and nothing between them

// An interrupt ends the command, not the JVM. At the prompt there is none to end.
def thread = Thread.currentThread()
sun.misc.Signal.handle(new sun.misc.Signal('INT'), { signal ->
    if (thread.stackTrace.any { it.className.startsWith('jline.') }) return
    try {
        thread.stop()
    } catch (UnsupportedOperationException ignored) { // JDK 20 and later
        thread.interrupt()
    }
} as sun.misc.SignalHandler)
null
