# ripple's OSC 633 integration for bash 4.4 and later, started as `bash --noediting --rcfile THIS -i`.
# The prompts print the markers themselves, through references to variables: one write, no fork, and no
# live marker in any variable. One PROMPT_COMMAND element, the last, looks whether that is still so.

__rp_d=$'\e]633;D;' __rp_p=$';{nonce}\a\e]633;P;Cwd=' __rp_a=$';{nonce}\a\e]633;A;' __rp_z=$';{nonce}\a'
__rp_b=$'\e]633;B;' __rp_c=$'\e]633;C;' __rp_f=$'\e]633;F;' __rp_g=$'\e]633;G;'
__rp_x=() __rp_y=('') __rp_l=(x) __rp_m=1 __rp_s=0 __rp_n=0 __rp_j=0 __rp_count='\j'
# The number of the prompt: it grows where our element runs, not where a prompt is expanded again (`echo
# "${PS1@P}"`). bash's own, \#, tells these two apart where that element was taken away.
__rp_k=0 __rp_h=0 __rp_o=0 __rp_r=0 __rp_fixed=
# What is known to be in order; directories whose names need escapes.
declare -A __rp_ok=() __rp_w=([ok1]= [okv]= [ok1v]=)
# Before the user's prompt: D, P and A. PS1 holds a short reference: all of it is looked at, several times, at each prompt.
__rp_tail='$__rp_d$?;$__rp_k$__rp_p${__rp_w[=$PWD]-$PWD};$__rp_k$__rp_a$__rp_k${__rp_z}'
__rp_first='${__rp_y[__rp_r?__rp_o=__rp_h,__rp_r=0:1]-${__rp_back@P}}'$__rp_tail
__rp_before='${__rp_x[__rp_h=\#]-${__rp_first@P}}'
# Where our element has not run since the last prompt: puts it back when PROMPT_COMMAND is unset.
__rp_back='${__rp_w[ok${PROMPT_COMMAND[999]+1}]-${__rp_w[${PROMPT_COMMAND[999]:=$__rp_look}]-${__rp_x[__rp_k+=__rp_h-__rp_o?1:0]-}}}${__rp_x[__rp_o=__rp_h]-}'
# The same without our element, which `set -v` would show at each prompt; it shows it at the first, before it runs.
__rp_verbose='${__rp_w[ok${PROMPT_COMMAND[999]+1}${-//[^v]/}]-${__rp_w[${PROMPT_COMMAND[999]:=$__rp_look}]-}}${__rp_x[++__rp_k]-}'$__rp_tail
__rp_alone='${__rp_verbose@P}'

# A loop over no words when all is well: nothing runs, so neither a DEBUG trap nor `set -x` sees anything.
# The key is everything that matters, and whether standard error is a terminal: the first redirection makes
# it the standard input, which \l names. When the key is not known, the second one becomes /dev/null, which
# hides the hook from both; the exit status is kept, and there is one word. Without standard error: the end.
# This is most of what a prompt costs. A character of the key is copied several times.
__rp_key='${PS1-}${PS2-}${PS0-}${PS1+${PS1@a}}${PWD-}$SHELLOPTS${#PROMPT_COMMAND[*]}${PROMPT_COMMAND[0]-}${__rp_n}\l'
__rp_look='for __rp_i in "${__rp_l[@]:__rp_m}"; do __rp_safe; done <&"${__rp_x[__rp_s=$?,__rp_r=__rp_k+=1]-2}"'
__rp_look+=' >&"${__rp_ok[${__rp_key@P}${!-}]-${__rp_x[__rp_m=0]-/dev/null}}" || { __rp_safe; } >/dev/null <&-'
# The first element if the user has elements of his own: their output does not belong to the command.
__rp_early='{ builtin printf %s "$__rp_d$?;$((__rp_k + 1))$__rp_z" >/dev/tty; } >&/dev/null'

# A failure here does not end the shell, even with `set -e`. With `set -x`, the few traced lines go to standard error, or
# to BASH_XTRACEFD, which no redirection hides.
__rp_safe() {
  local __rp_traced=${-//[!x]/}
  if [[ -n $__rp_traced ]]; then builtin set +x; fi
  __rp_hook || :
}

__rp_hook() {
  local __rp_last=$__rp_look __rp_q=$__rp_j __rp_now= __rp_mute=
  __rp_m=1 __rp_j=${__rp_count@P}
  if [[ -z $__rp_fixed ]]; then __rp_last=${PROMPT_COMMAND[*]: -1}; fi # otherwise ours is not there, and none can come after it
  # `set -o vi` turns readline on, whatever the command line said. In the user's file that cannot be undone; it works.
  case :$SHELLOPTS: in
    *:vi:* | *:emacs:*) builtin set +o vi +o emacs; builtin bind 'set enable-bracketed-paste off' 2>/dev/null ;;
  esac
  if ((__rp_n)); then __rp_n=0; __rp_history </dev/null 2>/dev/null; fi
  if [[ -n ${PWD//[!\\;[:cntrl:]]/} && -z ${__rp_w[=$PWD]-} ]]; then __rp_escape; fi
  # The prompts go to standard error, here 0: a terminal, or a pipe that may lead to one.
  if [[ ! -t 0 && ! -p /dev/fd/0 ]]; then __rp_mute=1; fi
  # Prompts that are printed as they stand, or cannot be changed, or that something appended to
  # PROMPT_COMMAND may replace after us, or that go elsewhere: speak now.
  case $__rp_mute$BASHOPTS${PS1+${PS1@a}}:$__rp_last in
    [!1]*promptvars*:*"$__rp_look")
      if [[ ${PS1+${PS1@a}} == *r* && $PS1 != *"$__rp_before"* ]]; then __rp_now=1; fi ;;
    *) __rp_now=1 ;;
  esac
  if [[ -n $__rp_now ]]; then
    builtin printf %s "$__rp_d$__rp_s;$__rp_k$__rp_p${__rp_w[=$PWD]-$PWD};$__rp_k$__rp_a$__rp_k$__rp_z" >/dev/tty
    if [[ -n $__rp_mute ]]; then builtin printf %s "$__rp_b$__rp_k$__rp_z" >/dev/tty; fi
    __rp_q=1
  elif ((__rp_q || __rp_j)) || [[ ${PS1-} == *['`']* || ${PS1-} == *'$('* || ${PS1-} == *'${'[\ \|]* ]]; then
    # A job's "Done" comes after this and before PS1, and so do the errors of commands in PS1: D must be out by then.
    builtin printf %s "$__rp_d$__rp_s;$__rp_k$__rp_z" >/dev/tty
    __rp_q=1
  fi
  __rp_commands
  # An exported prompt would show our references to other shells, who cannot read them.
  case ${PS1+${PS1@a}} in *x*) builtin export -n PS1 ;; esac
  if [[ -n $__rp_mute ]]; then
    __rp_wrap PS1; __rp_wrap PS2; __rp_wrap PS0
  else
    case $__rp_now$- in 1*) __rp_last= ;; *v*) __rp_last=$__rp_alone ;; *) __rp_last=$__rp_before ;; esac
    __rp_wrap PS1 "$__rp_last" '${__rp_b}$__rp_k${__rp_z}'
    __rp_wrap PS2 '${__rp_f}$__rp_k${__rp_z}' '${__rp_g}$__rp_k${__rp_z}'
    __rp_wrap PS0 '' '${__rp_c}$__rp_k${__rp_z}'
  fi
  if [[ -n ${__rp_traced-} ]]; then builtin set -x; fi # the key has it
  if ((!__rp_q)) && [[ -z $__rp_fixed ]]; then
    __rp_ok["${__rp_key@P}${!-}"]=1
  fi
}

# __rp_wrap NAME BEFORE AFTER puts markers around a prompt. First it removes all of its markers, which the
# user's own changes (virtualenv's save and restore, PS1="x$PS1") may have moved.
__rp_wrap() {
  local __rp_v=${!1-} __rp_t
  __rp_v=${__rp_v//"$__rp_before"/} __rp_v=${__rp_v//"$__rp_alone"/}
  __rp_v=${__rp_v//'${__rp_'[bcfg]'}$__rp_k${__rp_z}'/}
  for __rp_t in "$__rp_b" "$__rp_c" "$__rp_f" "$__rp_g"; do
    while [[ $__rp_v == *"$__rp_t"*"$__rp_z"* ]]; do __rp_v=${__rp_v%%"$__rp_t"*}${__rp_v#*"$__rp_t"*"$__rp_z"}; done
  done
  __rp_t=${__rp_v##*[!\\]}
  if ((${#__rp_t} % 2)); then __rp_v+=\\; fi # a lone last backslash would take our `$`
  __rp_t=$2$__rp_v$3
  case $BASHOPTS in *promptvars*) ;; *) builtin eval "__rp_t=$2\$__rp_v$3" ;; esac
  builtin printf -v "$1" %s "$__rp_t"
}

# __rp_commands keeps our elements of PROMPT_COMMAND where they belong. An array survives
# PROMPT_COMMAND='…', which sets element 0; before bash 5.1 only that one runs.
__rp_commands() {
  local __rp_u=() __rp_t
  if [[ -n $__rp_fixed ]]; then return; fi
  case ${PROMPT_COMMAND[*]+${PROMPT_COMMAND[*]@a}} in *r*) return ;; esac
  for __rp_t in "${PROMPT_COMMAND[@]}"; do
    __rp_t=${__rp_t//"$__rp_early"$'\n'/} __rp_t=${__rp_t//$'\n'"$__rp_look"/}
    __rp_t=${__rp_t//"$__rp_early"/} __rp_t=${__rp_t//"$__rp_look"/} __rp_t=${__rp_t%$'\n'}
    if [[ -n $__rp_t ]]; then __rp_u+=("$__rp_t"); fi
  done
  case $- in *v*) PROMPT_COMMAND=("${__rp_u[@]}"); return ;; esac
  if ((${#__rp_u[*]})); then __rp_u=("$__rp_early" "${__rp_u[@]}"); fi
  if ((BASH_VERSINFO[0] * 100 + BASH_VERSINFO[1] < 501)); then
    builtin printf -v PROMPT_COMMAND '%s\n' "${__rp_u[@]}" "$__rp_look"
  else
    PROMPT_COMMAND=("${__rp_u[@]}") PROMPT_COMMAND[999]=$__rp_look
  fi
}

# __rp_escape enters the directory's name into the table as a marker has to carry it.
__rp_escape() {
  local __rp_t=${PWD//\\/\\\\} __rp_u __rp_v __rp_i
  __rp_t=${__rp_t//;/\\x3b}
  for ((__rp_i = 1; __rp_i < 128; __rp_i += __rp_i == 31 ? 96 : 1)); do
    builtin printf -v __rp_u '\\x%02x' "$__rp_i"
    builtin printf -v __rp_v "$__rp_u"
    __rp_t=${__rp_t//"$__rp_v"/"$__rp_u"}
  done
  __rp_w[=$PWD]=$__rp_t
}

# The last history entry called a file: put what the file holds in its place. (This one forks.)
__rp_history() {
  local HISTTIMEFORMAT= __rp_t __rp_u
  __rp_t=$(builtin history 1)
  [[ $__rp_t == *". '"*".ripple-exec-"*"'\${__rp_x[__rp_n=1]-}" ]] || return 0
  __rp_u=${__rp_t#*". '"} __rp_u=${__rp_u%"'\${__rp_x["*}
  IFS= builtin read -r -d '' __rp_u <"${__rp_u//"'\\''"/"'"}"
  __rp_t=${__rp_t#"${__rp_t%%[0-9]*}"}
  builtin history -d "${__rp_t%%[!0-9]*}"
  builtin history -s -- "${__rp_u%$'\n'}"
}

# An unset variable may be read-only, too, and has no attributes to ask for.
__rp_writable() { builtin local "$1"; } 2>/dev/null

# __rp_setup is what remains when the user's file has been read. A DEBUG trap of that file sees no command of a function.
__rp_setup() {
  # Text that is sent means what it would mean in a script: no `!` history expansion.
  builtin set +H
  # The session's history is its own: the user's file is read, not written.
  if [[ -n ${HISTFILE-} && ${HISTFILE@a} != *r* ]]; then
    builtin history -r || :
    HISTFILE='{temp_dir}/history'
  fi
  if ! __rp_writable PROMPT_COMMAND; then
    # It is read-only: the prompts have to do alone.
    __rp_fixed=1 __rp_before='${__rp_x[++__rp_k]-}'$__rp_tail
    if ! __rp_writable PS1; then
      builtin printf 'ripple: PS1 and PROMPT_COMMAND are read-only: one of them has to announce the prompt\n' >/dev/tty
      builtin exit 1
    fi
  elif ((BASH_VERSINFO[0] * 100 + BASH_VERSINFO[1] < 501)); then
    # Older ones run its element 0 only, which anybody may set.
    __rp_verbose=${__rp_verbose//'[999]'/} __rp_before=$__rp_alone
  fi
  if [[ -z $__rp_fixed ]]; then PROMPT_COMMAND[999]=$__rp_look; fi
  __rp_safe
}

# With `set -e` in there, a failure ends neither that file nor the shell: nobody could start it otherwise.
if [[ -r ~/.bashrc ]]; then . ~/.bashrc || :; fi
__rp_setup <&2 >&/dev/null || :
