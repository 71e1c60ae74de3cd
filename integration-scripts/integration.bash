# ripple's OSC 633 integration for bash 4.4 and later, started as `bash --noediting --rcfile THIS -i`.
# What a prompt prints comes out of PS1, PS2 and PS0 themselves, by `${__rp_…@P}` references: one write,
# no fork, no nonce in `echo $PS1`. One PROMPT_COMMAND element looks whether those pieces are still in
# place. It does so inside a redirection, because that is what a DEBUG trap and `set -x` do not see.

__rp_key={nonce}
__rp_d='\e]633;D;$?;'$__rp_key'\a'
# D comes from a table: it is left out when the hook has sent it. The directory is printed as it is; only
# names that need escapes are in a table.
__rp_a='${__rp_e@P}${__rp_q[__rp_m]@P}\e]633;P;Cwd=${__rp_w[$PWD]-$PWD};'$__rp_key'\a\e]633;A;'$__rp_key'\a'
__rp_b='\e]633;B;'$__rp_key'\a'
__rp_c='\e]633;C;'$__rp_key'\a'
__rp_f='\e]633;F;'$__rp_key'\a'
__rp_g='\e]633;G;'$__rp_key'\a'
__rp_q=("$__rp_d" '') __rp_x=([2]=/) __rp_m=0 __rp_n=0 __rp_o=0 __rp_j=0 __rp_bg=0 __rp_i=0 __rp_s=0
__rp_e='' __rp_1='' __rp_2='' __rp_0='' __rp_count='\j' __rp_pwd=''
declare -A __rp_w=()

# The PROMPT_COMMAND element: the path is /dev/null when all is well and names no file otherwise. On the
# way it keeps the exit status (__rp_s) and counts jobs: with a job about, its "Done" notice comes after
# this and before PS1, so D has to be sent from here to keep the notice out of the output.
# A preexec library compares DEBUG's command with the lines of PROMPT_COMMAND: the call has its own line.
__rp_pc='{ { __rp_z() { :; }; } <"/dev/${__rp_x[__rp_s=$?,__rp_i=${!-0}]-}${__rp_look@P}" || {
__rp_hook
} >/dev/null || :; } 2>/dev/null'
# No exclamation mark in here: in a prompt, POSIX mode makes a history number of it.
__rp_look='${PS1:+n}${PS2:+u}${PS0:+l}l'
__rp_look+='${__rp_x[__rp_m=0,__rp_o=__rp_j,__rp_j=${__rp_count@P},(__rp_n||__rp_o||__rp_j||__rp_bg-__rp_i)*2]-}'
# Equal strings leave nothing; `##` tries the whole first, `#` would try every beginning.
__rp_look+='${PS1+${PS1##"$__rp_1"}${PS1@a}}${PS2+${PS2##"$__rp_2"}}${PS0+${PS0##"$__rp_0"}}'
__rp_look+='${PWD+${PWD##"$__rp_pwd"}}'

# __rp_wrap NAME BEFORE AFTER: puts two pieces around a prompt, after taking out every piece of ours that
# the user's own handling of it (virtualenv's save and restore, PS1="x$PS1") may have moved about.
__rp_wrap() {
  local __rp_v __rp_l __rp_r __rp_t
  __rp_v=${!1-} __rp_l=__rp_$2 __rp_r=__rp_$3
  __rp_v=${__rp_v//'${__rp_'[abcefg]'@P}'/}
  for __rp_t in "$__rp_b" "$__rp_c" "$__rp_f" "$__rp_g"; do __rp_v=${__rp_v//"$__rp_t"/}; done
  __rp_t=${__rp_v##*[!\\]}
  ((${#__rp_t} % 2)) && __rp_v+=\\ # a lone last backslash would take our `$`
  case $BASHOPTS in
    *promptvars*) __rp_l='${'$__rp_l'@P}' __rp_r='${'$__rp_r'@P}' ;;
    # Without references the pieces are text, and D, P and A are sent by the hook.
    *) __rp_l=${!__rp_l} __rp_r=${!__rp_r} __rp_l=${__rp_l##'${'*} ;;
  esac
  builtin printf -v "$1" %s "$__rp_l$__rp_v$__rp_r"
}

__rp_hook() {
  local __rp_t __rp_u __rp_k
  # An exported prompt would show our references to other shells, who cannot read them.
  case ${PS1+${PS1@a}} in *x*) builtin export -n PS1 ;; esac
  __rp_wrap PS1 a b
  __rp_wrap PS2 f g
  __rp_wrap PS0 e c
  __rp_1=$PS1 __rp_2=$PS2 __rp_0=$PS0

  __rp_pwd=$PWD
  if [[ $PWD == *[\\\;[:cntrl:]]* ]]; then
    __rp_t=${PWD//\\/\\\\} __rp_t=${__rp_t//;/\\x3b}
    for ((__rp_k = 1; __rp_k < 128; __rp_k += __rp_k == 31 ? 96 : 1)); do
      builtin printf -v __rp_u '\\x%02x' "$__rp_k"
      builtin printf -v __rp_u %b%s "$__rp_u" "$__rp_u"
      __rp_t=${__rp_t//"${__rp_u:0:1}"/"${__rp_u:1}"}
    done
    __rp_w[$PWD]=$__rp_t
  fi

  __rp_t=
  if [[ -n $__rp_last && ${!__rp_last} != *"$__rp_pc" ]]; then
    __rp_t=late # what was appended after us may replace PS1: speak now, be last next time
    for __rp_k in "${!PROMPT_COMMAND[@]}"; do
      __rp_u=${PROMPT_COMMAND[__rp_k]//"$__rp_pc"/:}
      if [[ $__rp_u == : ]]; then builtin unset "PROMPT_COMMAND[$__rp_k]"; else PROMPT_COMMAND[__rp_k]=$__rp_u; fi
    done
    __rp_append
  fi
  if [[ -n $__rp_t || $PS1 != *'${__rp_a@P}'* ]]; then
    builtin printf '\e]633;D;%s;%s\a\e]633;P;Cwd=%s;%s\a\e]633;A;%s\a' "$__rp_s" "$__rp_key" \
      "${__rp_w[$PWD]-$PWD}" "$__rp_key" "$__rp_key" >/dev/tty
  elif ((__rp_o || __rp_j || __rp_bg != __rp_i)); then
    builtin printf '\e]633;D;%s;%s\a' "$__rp_s" "$__rp_key" >/dev/tty
    __rp_m=1
  fi
  __rp_bg=$__rp_i
  if ((__rp_n)); then __rp_n=0; __rp_history; fi
}

# __rp_append makes our element the last of PROMPT_COMMAND. Where that can be an array, ours gets a place
# that PROMPT_COMMAND='…' leaves alone.
__rp_append() {
  if ((BASH_VERSINFO[0] * 100 + BASH_VERSINFO[1] < 501)); then
    PROMPT_COMMAND=${PROMPT_COMMAND:+$PROMPT_COMMAND$'\n'}$__rp_pc
    return
  fi
  PROMPT_COMMAND=("${PROMPT_COMMAND[@]}")
  PROMPT_COMMAND[999]=$__rp_pc
}

# The last history entry called a file: put what the file holds in its place. (This one forks.)
__rp_history() {
  local HISTTIMEFORMAT __rp_t __rp_u
  HISTTIMEFORMAT=
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
  *r*) __rp_last= && __rp_hook >/dev/null 2>&1 ;; # it may not be touched: the prompts have to do alone
  *)
    # __rp_e: when all of it is replaced, the next prompt or command puts ours back.
    if ((BASH_VERSINFO[0] * 100 + BASH_VERSINFO[1] < 501)); then
      __rp_last=PROMPT_COMMAND __rp_e='${__rp_w[${PROMPT_COMMAND:=$__rp_pc}]-}'
      __rp_look+='${PROMPT_COMMAND##*"$__rp_pc"}'
    else
      __rp_last='PROMPT_COMMAND[-1]' __rp_e='${__rp_w[${PROMPT_COMMAND[999]:=$__rp_pc}]-}'
      __rp_look+='${PROMPT_COMMAND[-1]##"$__rp_pc"}'
    fi
    __rp_append
    ;;
esac
:
