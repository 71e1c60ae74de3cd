# ripple's OSC 633 integration for nushell, run with --execute after the user's own configuration.
#
# nu's own markers carry no nonce, so they are off and hooks send ours: D, P and A before a prompt, C before a command.
# B comes with the prompt's text, when the line editor takes keys, and F with its continuation prompt. All are
# closures, which nu does not export.

# The line editor drops F from its continuation prompt when colors are off; the output of commands has no colors then.
$env.config.shell_integration = {osc2: false, osc7: false, osc8: false, osc9_9: false, osc133: false, osc633: false, reset_application_mode: false}
$env.config.show_banner = false
$env.config.bracketed_paste = false
$env.config.edit_mode = "emacs"
$env.config.keybindings = []
$env.config.completions.algorithm = "prefix"

$env.config.hooks.pre_prompt = ($env.config.hooks.pre_prompt? | default [] | append {||
  let cwd = $env.PWD | str replace --all "\\" "\\\\" | str replace --all ";" "\\x3b"
  $env.config.use_ansi_coloring = true
  print --no-newline $"\e]633;D;($env.LAST_EXIT_CODE);{nonce}\a\e]633;P;Cwd=($cwd);{nonce}\a\e]633;A;{nonce}\a"
})
$env.config.hooks.pre_execution = ($env.config.hooks.pre_execution? | default [] | append {||
  $env.config.use_ansi_coloring = false
  print --no-newline "\e]633;C;{nonce}\a"
})

$env.PROMPT_COMMAND_RIGHT = {|| "" }
$env.PROMPT_INDICATOR = do {
  let theirs = $env.PROMPT_INDICATOR? | default "> "
  {|| (if ($theirs | describe) == "closure" { do $theirs } else { $theirs }) + "\e]633;B;{nonce}\a" }
}
$env.PROMPT_MULTILINE_INDICATOR = {|| "\e]633;F;{nonce}\a::: " }
