# ripple's OSC 633 integration for bash 4.4 and later, started as `bash --noediting --rcfile THIS -i`.
# The prompts print the markers themselves, through references to variables: one write, no fork, and no
# live marker in `echo $PS1`. One PROMPT_COMMAND element, the last, looks whether that is still so.

__rp_end=$';{nonce}\a'
__rp_b=$'\e]633;B'$__rp_end __rp_c=$'\e]633;C'$__rp_end __rp_f=$'\e]633;F'$__rp_end __rp_g=$'\e]633;G'$__rp_end
__rp_d=$'\e]633;D;' __rp_p=$__rp_end$'\e]633;P;Cwd=' __rp_a=$__rp_end$'\e]633;A'$__rp_end
__rp_x=() __rp_l=(x) __rp_m=1 __rp_s=0 __rp_n=0 __rp_j=0 __rp_count='\j'
# What is known to be in order; directories whose names need escapes.
declare -A __rp_ok=() __rp_w=([ok1]=)
# Before the user's prompt: D, P and A. The first word puts our element back when PROMPT_COMMAND is unset.
__rp_before='${__rp_w[ok${PROMPT_COMMAND[999]+1}]-${__rp_w[${PROMPT_COMMAND[999]:=$__rp_look}]-}}${__rp_d}$?${__rp_p}${__rp_w[=$PWD]-$PWD}${__rp_a}'

# A loop over no words when all is well: nothing runs, so neither a DEBUG trap nor `set -x` sees anything.
# The key is everything that matters. When it is not known, the redirection becomes /dev/null, which
# hides the hook from both; the exit status is kept, and there is one word.
__rp_look='for __rp_i in "${__rp_l[@]:__rp_m}"; do
__rp_hook || :
done >&"${__rp_ok["${PS1-}${PS2-}${PS0-}${PS1+${PS1@a}}${PWD-}$BASHOPTS${!-}${#PROMPT_COMMAND[*]}${PROMPT_COMMAND[0]-}$__rp_n"]'
__rp_look+='-${__rp_x[__rp_s=$?,__rp_m=0]-/dev/null}}"'
# The first element while the user has elements of his own: what they print is no output of the command.
__rp_early='builtin printf %s "$__rp_d$?$__rp_end"'

__rp_hook() {
  local __rp_t=${BASHOPTS##*promptvars*} __rp_last=${PROMPT_COMMAND[*]: -1} __rp_q=$__rp_j
  __rp_m=1 __rp_j=${__rp_count@P}
  # `set -o vi` turns readline on, whatever the command line said.
  case :$SHELLOPTS: in *:vi:* | *:emacs:*) builtin set +o vi +o emacs ;; esac
  if ((__rp_n)); then __rp_n=0; __rp_history; fi
  if [[ -n ${PWD//[!\\;[:cntrl:]]/} && -z ${__rp_w[=$PWD]-} ]]; then __rp_escape; fi
  if [[ -n $__rp_t || $__rp_last != *"$__rp_look" ]]; then
    # Prompts that are printed as they stand, or that something appended to PROMPT_COMMAND may replace
    # after us: speak now.
    builtin printf %s "$__rp_d$__rp_s$__rp_p${__rp_w[=$PWD]-$PWD}$__rp_a" >/dev/tty
    __rp_q=1
  elif ((__rp_q || __rp_j)); then
    # A job's "Done" comes after this and before PS1: D must be out by then.
    builtin printf %s "$__rp_d$__rp_s$__rp_end" >/dev/tty
    __rp_q=1
  fi
  __rp_commands
  # An exported prompt would show our references to other shells, who cannot read them.
  case ${PS1+${PS1@a}} in *x*) builtin export -n PS1 ;; esac
  __rp_wrap PS1 "${__rp_before}" '${__rp_b}'
  __rp_wrap PS2 '${__rp_f}' '${__rp_g}'
  __rp_wrap PS0 '' '${__rp_c}'
  if ((!__rp_q)); then
    __rp_ok["$PS1$PS2$PS0${PS1+${PS1@a}}${PWD-}$BASHOPTS${!-}${#PROMPT_COMMAND[*]}${PROMPT_COMMAND[0]-}$__rp_n"]=1
  fi
}

# __rp_wrap NAME BEFORE AFTER: puts two pieces around a prompt, after taking out every piece of ours that
# the user's own handling of it (virtualenv's save and restore, PS1="x$PS1") may have moved about.
__rp_wrap() {
  local __rp_v=${!1-} __rp_t
  __rp_v=${__rp_v//"$__rp_before"/}
  __rp_v=${__rp_v//'${__rp_'[bcfg]'}'/}
  for __rp_t in "$__rp_b" "$__rp_c" "$__rp_f" "$__rp_g"; do __rp_v=${__rp_v//"$__rp_t"/}; done
  __rp_t=${__rp_v##*[!\\]}
  if ((${#__rp_t} % 2)); then __rp_v+=\\; fi # a lone last backslash would take our `$`
  case $BASHOPTS in
    *promptvars*) builtin printf -v "$1" %s "$2$__rp_v$3" ;;
    *) builtin eval "$1=\$__rp_v$3" ;; # A has been sent
  esac
}

# __rp_commands keeps our elements of PROMPT_COMMAND where they belong. An array survives
# PROMPT_COMMAND='…', which sets element 0; before bash 5.1 only that one runs.
__rp_commands() {
  local __rp_u=() __rp_t
  case ${PROMPT_COMMAND+${PROMPT_COMMAND@a}} in *r*) return ;; esac
  for __rp_t in "${PROMPT_COMMAND[@]}"; do
    __rp_t=${__rp_t//"$__rp_early"$'\n'/} __rp_t=${__rp_t//$'\n'"$__rp_look"/}
    __rp_t=${__rp_t//"$__rp_early"/} __rp_t=${__rp_t//"$__rp_look"/} __rp_t=${__rp_t%$'\n'}
    if [[ -n $__rp_t ]]; then __rp_u+=("$__rp_t"); fi
  done
  if ((${#__rp_u[*]})); then __rp_u=("$__rp_early" "${__rp_u[@]}"); fi
  if ((BASH_VERSINFO[0] * 100 + BASH_VERSINFO[1] < 501)); then
    builtin printf -v PROMPT_COMMAND '%s\n' "${__rp_u[@]}" "$__rp_look"
  else
    PROMPT_COMMAND=("${__rp_u[@]}") PROMPT_COMMAND[999]=$__rp_look
  fi
}

# __rp_escape enters the directory's name into the table as a marker has to carry it.
__rp_escape() {
  local __rp_t=${PWD//\\/\\\\} __rp_u __rp_i
  __rp_t=${__rp_t//;/\\x3b}
  for ((__rp_i = 1; __rp_i < 128; __rp_i += __rp_i == 31 ? 96 : 1)); do
    builtin printf -v __rp_u '\\x%02x' "$__rp_i"
    __rp_t=${__rp_t//"${__rp_u@P}"/"$__rp_u"}
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

if [[ -r ~/.bashrc ]]; then . ~/.bashrc; fi

# Text that is sent means what it would mean in a script: no `!` history expansion.
builtin set +H
# `set -o vi` in the user's file has turned readline on, which cannot be undone. It works, without this:
case :$SHELLOPTS: in *:vi:* | *:emacs:*) builtin bind 'set enable-bracketed-paste off' ;; esac
case ${PROMPT_COMMAND+${PROMPT_COMMAND@a}} in
  # It may not be touched: the prompts have to do alone.
  *r*) __rp_before=${__rp_before#*-\}\}} ;;
esac
if ((BASH_VERSINFO[0] * 100 + BASH_VERSINFO[1] < 501)); then __rp_before=${__rp_before//'[999]'/}; fi
PROMPT_COMMAND[999]=$__rp_look
__rp_hook >/dev/null 2>&1 || :
:
