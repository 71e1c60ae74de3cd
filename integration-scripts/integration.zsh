# ripple's OSC 633 integration for zsh, staged as `.zshenv` for `zsh +Z -i`. It gives ZDOTDIR back, runs
# the user's own .zshenv and lets zsh load the rest. The prompts carry the markers as percent escapes: one
# write, no fork. A no-op `%{%}` stands inside the nonce, so `echo $PROMPT` prints no live marker.

if [[ -n '{rc_dir_previous}' ]]; then export ZDOTDIR='{rc_dir_previous}'; else unset ZDOTDIR; fi

__rp_key={nonce}
__rp_split=${__rp_key[1,9]}%{%}${__rp_key[10,-1]}
__rp_b=$'\e]633;B;'$__rp_key$'\a' __rp_1= __rp_2= __rp_cwd=

# __rp_wrap NAME BEFORE AFTER: puts two pieces around a prompt, after taking out all of ours that the
# user's own handling of it (virtualenv's save and restore, PROMPT="x$PROMPT") may have moved about.
__rp_wrap() {
  local v=${(P)1} r=$'%{\e]633;'
  while [[ $v == *$r*$'\a%}'* ]]; do v=${v%%$r*}${${v#*$r}#*$'\a%}'}; done
  v=${${v//'${__rp_b}'/}//$'\e]633;B;'$__rp_key$'\a'/}
  typeset -g $1=$2$v$3
}

# The redirection inside keeps `set -x` and DEBUG traps from showing any of this (on the function itself it
# would not work: zsh ignores that when it calls a hook).
__rp_precmd() { {
  local __rp_s=$? __rp_form=plain
  if [[ -o promptsubst ]]; then __rp_form=subst; fi
  if [[ -o promptpercent ]]; then __rp_form=percent; fi
  unsetopt zle promptsp # no line editor; `printf abc` stays as printed
  emulate -L zsh -o noerrexit -o noerrreturn -o unset -o noxtrace -o extendedglob
  local f direct c p
  # Someone after us may replace the prompt, or it cannot carry the markers, or nobody sees it: speak now.
  [[ $precmd_functions[-1] == __rp_precmd && $__rp_form == percent && -t 3 ]] || direct=1
  precmd_functions=(${precmd_functions:#__rp_precmd} __rp_precmd)
  preexec_functions=(${preexec_functions:#__rp_preexec} __rp_preexec)
  zshaddhistory_functions=(${zshaddhistory_functions:#__rp_addhistory} __rp_addhistory)

  # What zsh's prompt or a marker would take for its own is written as \xHH.
  p=%/ c=$PWD
  if [[ $PWD == *[\\\;%\$\`\![:cntrl:]]* ]]; then
    p=
    for f in ${(s::)PWD}; do
      [[ $f == [\\\;%\$\`\!$'\1'-$'\x1f'$'\x7f'] ]] && printf -v f '\\x%02x' "'$f"
      p+=$f
    done
    c=$p
  fi
  if [[ -n $direct ]]; then
    print -rn -- $'\e]633;D;'"$__rp_s;$__rp_key"$'\a\e]633;P;Cwd='"$c;$__rp_key"$'\a\e]633;A;'"$__rp_key"$'\a' >$TTY
  fi
  p=$'\e]633;D;%?;'$__rp_split$'\a\e]633;P;Cwd='$p\;$__rp_split$'\a\e]633;A;'$__rp_split$'\a'
  case $__rp_form in
    percent)
      [[ $PROMPT == "$__rp_1" && $__rp_cwd == "$p" ]] || __rp_wrap PROMPT %{$p%} $'%{\e]633;B;'$__rp_split$'\a%}'
      [[ $PROMPT2 == "$__rp_2" ]] || __rp_wrap PROMPT2 $'%{\e]633;F;'$__rp_split$'\a%}' $'%{\e]633;G;'$__rp_split$'\a%}'
      __rp_cwd=$p ;;
    subst) __rp_wrap PROMPT '' '${__rp_b}' ;;
    plain) __rp_wrap PROMPT '' $__rp_b ;;
  esac
  __rp_1=$PROMPT __rp_2=$PROMPT2
} 3>&2 >/dev/null 2>&1 }

__rp_preexec() {
  print -rn -- $'\e]633;C;'"$__rp_key"$'\a' >&2
}

# The invocation of a file: what the file holds goes into the history in its place.
__rp_addhistory() {
  emulate -L zsh
  [[ $1 == ". '"*"/.ripple-exec-"*$'\'\n' ]] || return 0
  print -sr -- "$(<${${${1#". '"}%$'\'\n'}//\'\\\'\'/\'})"
  return 1
}

precmd_functions=(__rp_precmd) preexec_functions=(__rp_preexec)
# In case the user's files set the arrays anew: this runs once, after the first precmd.
zmodload zsh/sched && sched +0 __rp_precmd

# Text that is sent means what it would mean in a script: `#` comments, no `!` history expansion.
setopt interactivecomments
unsetopt banghist promptsp
if [[ -r ${ZDOTDIR:-$HOME}/.zshenv ]]; then . ${ZDOTDIR:-$HOME}/.zshenv; fi
