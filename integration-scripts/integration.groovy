// ripple's integration for groovysh, evaluated once at its start.

// The shell builds each prompt from this: a text that nobody can guess, then the number of the line.
System.setProperty('groovysh.prompt', '{nonce}')
org.fusesource.jansi.Ansi.enabled = false // and nothing between them
null
