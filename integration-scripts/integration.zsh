# ripple's OSC 633 integration for zsh, staged as `.zshenv` for `zsh +Z -i`. It gives ZDOTDIR back, runs
# the user's own .zshenv and lets zsh load the rest. The prompts carry the markers as percent escapes: one
# write, no fork. A no-op `%{%}` stands inside the nonce, so `echo $PROMPT` prints no live marker.

if [[ -n '{rc_dir_previous}' ]]; then export ZDOTDIR='{rc_dir_previous}'; else unset ZDOTDIR; fi

__rp_key={nonce}
__rp_split=${__rp_key[1,9]}%{%}${__rp_key[10,-1]}
__rp_b=$'\e]633;B;'$__rp_key$'\a' __rp_c=$'\e]633;C;'$__rp_key$'\a' __rp_1= __rp_2= __rp_pwd= __rp_s=0

# The hooks come first to a glance that costs little. What `set -x` prints of the other two lies before C
# and is dropped with the echo; here a redirection hides it. That has to be inside, because zsh does not
# look at a function's own when it calls a hook. Descriptor 3 is where the prompt will go.
__rp_precmd() { {
  __rp_s=$?
  [[ -t 3 && -o promptpercent && ! -o zle && ! -o promptsp && ${PWD-} == "$__rp_pwd" &&
    ${(t)PS1}${(t)PROMPT} != *export* && ${PROMPT-} == "$__rp_1" && ${PROMPT2-} == "$__rp_2" && ${precmd_functions[-1]-} == __rp_precmd ]] ||
    { __rp_prompt; builtin unsetopt zle promptsp } >/dev/null
} 3>&2 2>/dev/null }

__rp_preexec() {
  if [[ -t 2 ]]; then builtin print -rnu 2 -- "$__rp_c"; else builtin print -rn -- "$__rp_c" >$TTY; fi
}

__rp_zshaddhistory() {
  if [[ ${precmd_functions[-1]-} != __rp_precmd ]]; then __rp_last; fi
  if [[ $1 == ". '"*"/.ripple-exec-"* ]]; then
    setopt localoptions noerrexit noerrreturn # `return 1` says: do not keep this line
    __rp_history "$1"
    return
  fi
}

# __rp_last makes our hooks the last ones, or puts them back.
__rp_last() {
  builtin emulate -L zsh
  precmd_functions=(${precmd_functions:#__rp_precmd} __rp_precmd)
  preexec_functions=(${preexec_functions:#__rp_preexec} __rp_preexec)
  zshaddhistory_functions=(${zshaddhistory_functions:#__rp_zshaddhistory} __rp_zshaddhistory)
}

# __rp_prompt sees to it that the prompts have their markers.
__rp_prompt() {
  local form=plain
  if [[ -o promptsubst ]]; then form=subst; fi
  if [[ -o promptpercent ]]; then form=percent; fi
  builtin emulate -L zsh -o noerrexit -o noerrreturn -o unset -o noxtrace -o extendedglob
  # Someone after us may replace the prompt, or it cannot carry the markers, or it goes elsewhere: then
  # they are sent from here.
  local direct=1 c cwd=%/
  __rp_pwd=$PWD
  if [[ $precmd_functions[-1] == __rp_precmd && $form == percent && -t 3 ]]; then direct=; fi
  __rp_last
  # What the prompt or a marker would take for its own is written as \xHH.
  if [[ $PWD == *[\\\;%\$\`\![:cntrl:]]* ]]; then
    cwd=
    for c in ${(s::)PWD}; do
      if [[ $c == [\\\;%\$\`\!$'\1'-$'\x1f'$'\x7f'] ]]; then builtin printf -v c '\\x%02x' "'$c"; fi
      cwd+=$c
    done
  fi
  if [[ -n $direct ]]; then
    c=$'\e]633;D;'$__rp_s\;$__rp_key$'\a\e]633;P;Cwd='${cwd/#%\%\//$PWD}\;$__rp_key$'\a\e]633;A;'$__rp_key$'\a'
    builtin print -rn -- $c >$TTY
  fi
  # An exported prompt would show the markers to other shells, who cannot use them.
  if [[ ${(t)PS1} == *export* ]]; then typeset -g +x PS1; fi
  if [[ ${(t)PROMPT} == *export* ]]; then typeset -g +x PROMPT; fi
  c=$'%{\e]633;D;%?;'$__rp_split$'\a\e]633;P;Cwd='$cwd\;$__rp_split$'\a\e]633;A;'$__rp_split$'\a%}'
  case $form in
    percent)
      __rp_wrap PROMPT $c $'%{\e]633;B;'$__rp_split$'\a%}'
      __rp_wrap PROMPT2 $'%{\e]633;F;'$__rp_split$'\a%}' $'%{\e]633;G;'$__rp_split$'\a%}' ;;
    subst) __rp_wrap PROMPT '' '${__rp_b}'; __rp_wrap PROMPT2 '${__rp_b/B/F}' '${__rp_b/B/G}' ;;
    plain) __rp_wrap PROMPT '' ''; __rp_wrap PROMPT2 '' '' ;;
  esac
  __rp_1=$PROMPT __rp_2=$PROMPT2
}

# __rp_wrap NAME BEFORE AFTER: puts two pieces around a prompt, after taking out every piece of ours that
# the user's own handling of it (virtualenv's save and restore, PROMPT="x$PROMPT") may have moved about.
__rp_wrap() {
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
# In case the user's files set those arrays anew: this runs once, after the first precmd.
zmodload zsh/sched && sched +0 __rp_precmd

# Text that is sent means what it would mean in a script: `#` comments, no `!` history expansion.
setopt interactivecomments
unsetopt banghist promptsp # and `printf abc` stays as printed
if [[ -r ${ZDOTDIR:-$HOME}/.zshenv ]]; then . ${ZDOTDIR:-$HOME}/.zshenv; fi
