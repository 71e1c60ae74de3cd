# ripple's OSC 633 integration for zsh, staged as `.zshenv` for `zsh +Z -i`. It gives ZDOTDIR back, runs
# the user's own .zshenv and lets zsh load the rest. The prompts carry the markers as percent escapes: one
# write, no fork. Their number is that of the line, %i, which a function, an eval and a sourced file count
# for themselves: what is expanded there (%e) has none.

if [[ -n '{rc_dir_previous}' ]]; then export ZDOTDIR='{rc_dir_previous}'; else unset ZDOTDIR; fi

__rp_z=$';{nonce}\a' __rp_b=$'\e]633;B;{nonce}\a' __rp_c=$'\e]633;C;{nonce}\a' __rp_1= __rp_2= __rp_pwd= __rp_s=0 __rp_early= __rp_mute=

# The hooks come first to a glance that costs little. A redirection hides what `set -x` prints of them. That has to
# be inside, because zsh does not look at a function's own when it calls a hook. Descriptor 3 is where the prompt
# will go; there may be none.
__rp_precmd() {
  { __rp_glance; : } 3>&$((__rp_s = $?, 2)) 2>/dev/null || __rp_glance 3>/dev/null
}

__rp_glance() {
  [[ -t 3 && -z $__rp_mute && -o promptpercent && ! -o zle && ! -o promptsp && ! -o correct && ! -o correctall && -o rmstarsilent && ${PWD-} == "$__rp_pwd" &&
    ${(t)PS1}${(t)PROMPT} != *(export|readonly)* && ${PROMPT-} == "$__rp_1" && ${PROMPT2-} == "$__rp_2" && ${precmd_functions[-1]-} == __rp_precmd &&
    ( -n $__rp_early || ( -z ${precmd_functions[2]-} && -z ${functions[precmd]+1} ) ) ]] || {
    __rp_prompt >/dev/null
    builtin unsetopt zle promptsp correct correctall # nobody is there to answer
    builtin setopt rmstarsilent
  }
  __rp_early=
}

# __rp_first is the first hook if the user has some: their output does not belong to the command.
__rp_first() {
  if [[ -z $__rp_early ]]; then builtin print -rn -- $'\e]633;D;'"$1;${funcfiletrace[-1]##*:}$__rp_z" >$TTY; fi
  __rp_early=1
  if [[ ! -o errexit ]]; then return $1; fi
}

__rp_preexec() {
  { __rp_begin; : } 3>&2 2>/dev/null || __rp_begin 3>/dev/null
}

__rp_begin() {
  if [[ -t 3 || -p /dev/fd/3 ]]; then builtin print -rnu 3 -- "$__rp_c"; else builtin print -rn -- "$__rp_c" >$TTY; fi
}

__rp_zshaddhistory() {
  {
    if [[ ${precmd_functions[-1]-} != __rp_precmd ]]; then __rp_last; fi
    if [[ $1 == ". '"*"/.ripple-exec-"* ]]; then
      setopt localoptions noerrexit noerrreturn # `return 1` says: do not keep this line
      __rp_history "$1"
      return
    fi
  } 2>/dev/null
}

# __rp_last makes our hooks the first and the last ones, or puts them back.
__rp_last() {
  builtin emulate -L zsh
  local -a theirs=(${precmd_functions:#__rp_(precmd|early)})
  precmd_functions=(${theirs:+__rp_early} $theirs __rp_precmd)
  preexec_functions=(${preexec_functions:#__rp_preexec} __rp_preexec)
  zshaddhistory_functions=(${zshaddhistory_functions:#__rp_zshaddhistory} __rp_zshaddhistory)
  # This one runs before those of the array.
  if [[ -n ${functions[precmd]-} && $functions[precmd] != *__rp_first* ]]; then
    functions[precmd]='{ __rp_first $? } 2>/dev/null'$'\n'$functions[precmd]
  fi
}
__rp_early() { { __rp_first $? } 2>/dev/null }

# __rp_prompt sees to it that the prompts have their markers.
__rp_prompt() {
  local form=plain commands=
  if [[ -o promptsubst ]]; then form=subst commands=1; fi
  if [[ -o promptpercent ]]; then form=percent; fi
  builtin emulate -L zsh -o noerrexit -o noerrreturn -o unset -o noxtrace -o extendedglob
  # The markers are sent from here if a later hook may replace the prompt, if the prompt cannot carry markers or is not
  # printed on the terminal, or if commands in it may print errors, which do not belong to the last command. A pipe may
  # lead to the terminal.
  local direct=1 c cwd=%/
  __rp_pwd=$PWD
  __rp_mute=1
  if [[ -t 3 || -p /dev/fd/3 ]]; then __rp_mute=; fi
  if [[ ${PROMPT-} != *('`'|'$('|'${ '|'${|')* ]]; then commands=; fi
  if [[ -z $commands && $precmd_functions[-1] == __rp_precmd && $form$__rp_mute == percent && ${(t)PROMPT} != *readonly* ]]; then direct=; fi
  __rp_last
  # Characters with a meaning in the prompt or in a marker are written as \xHH.
  if [[ $PWD == *[\\\;%\$\`\![:cntrl:]]* ]]; then
    cwd=
    for c in ${(s::)PWD}; do
      if [[ $c == [\\\;%\$\`\!$'\1'-$'\x1f'$'\x7f'] ]]; then builtin printf -v c '\\x%02x' "'$c"; fi
      cwd+=$c
    done
  fi
  if [[ -n $direct ]]; then
    c=\;${funcfiletrace[-1]##*:}$__rp_z
    builtin print -rn -- $'\e]633;D;'$__rp_s$c$'\e]633;P;Cwd='${cwd/#%\%\//$PWD}$c$'\e]633;A'$c${__rp_mute:+$__rp_b} >$TTY
  fi
  # An exported prompt would show the markers to other shells, who cannot use them.
  if [[ ${(t)PS1} == *export* ]]; then typeset -g +x PS1; fi
  if [[ ${(t)PROMPT} == *export* ]]; then typeset -g +x PROMPT; fi
  c=';%(1e.x.%i)'$__rp_z
  c=$'%{\e]633;D;%?'$c$'\e]633;P;Cwd='$cwd$c$'\e]633;A'$c'%}'
  if [[ -n $__rp_mute ]]; then form=plain; fi
  case $form in
    percent) __rp_wrap PROMPT "${${direct:-$c}:#1}" "%{$__rp_b%}"; __rp_wrap PROMPT2 "%{${__rp_b/B/F}%}" "%{${__rp_b/B/G}%}" ;;
    subst) __rp_wrap PROMPT '' '${__rp_b}'; __rp_wrap PROMPT2 '${__rp_b/B/F}' '${__rp_b/B/G}' ;;
    plain) __rp_wrap PROMPT '' ''; __rp_wrap PROMPT2 '' '' ;;
  esac
  __rp_1=$PROMPT __rp_2=$PROMPT2
  if [[ -n $direct ]]; then __rp_1=$'\e'; fi # not a prompt: the next call must send the markers, or put them into the prompt, again
}

# __rp_wrap NAME BEFORE AFTER puts markers around a prompt. First it removes all of its markers, which the
# user's own changes (virtualenv's save and restore, PROMPT="x$PROMPT") may have moved.
__rp_wrap() {
  if [[ ${(Pt)1} == *readonly* ]]; then return 0; fi
  local v=${(P)1} ours=$'%{\e]633;'
  while [[ $v == *$ours*$'\a%}'* ]]; do v=${v%%$ours*}${${v#*$ours}#*$'\a%}'}; done
  v=${v//'${__rp_b'[^\}]#\}/}
  if [[ ${(P)1} != "$2$v$3" ]]; then typeset -g $1=$2$v$3; fi
}

# __rp_history LINE: when it calls a file, what the file holds goes into the history in its place.
__rp_history() {
  builtin emulate -L zsh -o noxtrace
  if [[ $1 != ". '"*"/.ripple-exec-"*$'\'\n' ]]; then return 0; fi
  builtin print -sr -- "$(<${${${1#". '"}%$'\'\n'}//\'\\\'\'/\'})"
  return 1
}

__rp_last
# This runs once, after the first precmd, in case the user's files replaced these arrays.
# The session's history is its own: the user's file has been read by then, and is not written.
__rp_once() {
  if [[ -n ${HISTFILE-} && ${(t)HISTFILE} != *readonly* ]]; then HISTFILE='{temp_dir}/history'; fi
  __rp_precmd
}
zmodload zsh/sched && sched +0 __rp_once

# Text that is sent means what it would mean in a script: `#` comments, no `!` history expansion.
setopt interactivecomments
unsetopt banghist promptsp # and `printf abc` stays as printed
if [[ -r ${ZDOTDIR:-$HOME}/.zshenv ]]; then . ${ZDOTDIR:-$HOME}/.zshenv; fi
