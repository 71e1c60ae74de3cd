# ripple's integration for CoffeeScript, started as `coffee THIS`: its own REPL without a line editor, behind prompts that carry
# a marker. A block comes in a file and is evaluated as one piece; Ctrl-C ends what runs.
do ->
  fs = require 'fs'
  path = require 'path'
  vm = require 'vm'
  [command] = (file for file of require.cache when path.basename(file) is 'command.js')
  {runInThisContext, runInContext} = vm
  vm.runInThisContext = (code, filename) -> runInThisContext code, {filename, breakOnSigint: true}
  vm.runInContext = (code, context, filename) -> runInContext code, context, {filename, breakOnSigint: true}
  server = require(path.join path.dirname(command), 'repl').start
    prompt: '{marker}', terminal: false, historyFile: null, useColors: false
  evaluate = server.eval
  server.eval = (text, rest...) ->
    [, file] = /^\(?\.?run "(.*\/\.ripple-exec-[^"]*)"\s*\)?\s*$/.exec(text) ? []
    evaluate.call server, (if file then fs.readFileSync(file, 'utf8').trimEnd() + '\n' else text), rest...
  process.on 'SIGINT', -> # at the prompt it would end the process
