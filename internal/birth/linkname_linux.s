// Without an assembly file the compiler refuses a function that has no body.
