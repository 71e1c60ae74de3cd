# ripple's OSC 633 integration for tcsh, staged as `.tcshrc` in a HOME of its own, which it gives back first.
#
# Without its line editor tcsh leaves the terminal in its normal mode. Prompts carry the markers: D, P, A, the prompt,
# B. tcsh reads \033 in them itself, and takes out the %{%} within the nonce, so nothing that prints a variable prints a
# live marker.

setenv HOME '{rc_dir_previous}'
set home = '{rc_dir_previous}'
if (-r ~/.tcshrc) then
  source ~/.tcshrc
else if (-r ~/.cshrc) then
  source ~/.cshrc
endif

# A session's history is its own: the user's is read, not written.
if ($?savehist) then
  if (! $?histfile) set histfile = ~/.history
  if (-r $histfile:q) history -L $histfile:q
  set histfile = '{temp_dir}/history'
endif

unset edit autologout autolist correct rmstar
# `!` stays: the arguments of aliases are written with it.
if (! $?prompt2) set prompt2 = '%R? '
if (! $?prompt) set prompt = '%# '
# A directory whose name has a control character, which could end the marker, is reported as none. `echo` is the builtin, also
# if it has an alias: a directory of PATH may be the project's.
set __rp_d = '%/'
if ("`alias cwdcmd`" == "") then
  set __rp_k = "*[`set echo_style = sysv; ''echo '\001\002\003\004\005\006\007\010\013\014\015\016\017\020\021\022\023\024\025\026\027\030\031\032\033\034\035\036\037'`]*"
  set __rp_w = 'set __rp_p = "$cwd:q"; if ("$cwd:q" =~ $__rp_k) set __rp_p = ""'
  eval $__rp_w:q
  alias cwdcmd 'eval $__rp_w:q'
  set __rp_d = '%$__rp_p'
endif
set __rp_a = '\033]633;D;%?;%{%}{nonce}\007\033]633;P;Cwd='"$__rp_d"';%{%}{nonce}\007\033]633;A;%{%}{nonce}\007'
set __rp_b = '\033]633;B;%{%}{nonce}\007'
set prompt = "${__rp_a}$prompt:q${__rp_b}"
set prompt2 = '\033]633;F;%{%}{nonce}\007'"$prompt2:q"
# A prompt that was replaced or unset gets the markers again. Of this, `set echo` shows one line.
set __rp_c = 'if (! $?prompt) set prompt = ""; if ("$prompt:q" !~ *{nonce}*) set prompt = "${__rp_a}$prompt:q${__rp_b}"'
if ("`alias precmd`" == "") alias precmd 'eval $__rp_c:q >& /dev/null'
