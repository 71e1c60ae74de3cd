# ripple's OSC 633 integration for busybox ash, named by ENV. It has no hooks, so the prompts carry the markers: D, P,
# A, the prompt, B. They refer to variables, none of which has a complete marker, so that neither `echo "$PS1"` nor `set`
# prints an active one. Shells that are started within this one do not run this file again.

__rp_e=$(printf '\033]633;') __rp_z=$(printf ';{nonce}\a') __rp_n=0
PS1=${PS1-'$ '} PS2=${PS2-'> '}

# The user's own file may set the prompts.
ENV='{rc_file_previous}'
if [ -n "$ENV" ]; then
  export ENV
  eval "__rp_f=\"$ENV\""
  if [ -r "$__rp_f" ]; then . "$__rp_f"; fi
  unset __rp_f
else
  unset ENV
fi
# An exported prompt would show other shells our references, which mean nothing to them.
__rp_1=$PS1 __rp_2=$PS2
unset PS1 PS2
PS1='${__rp_e}D;$?;$((__rp_n=__rp_n+1))${__rp_z}${__rp_e}P;Cwd=${PWD##*[[:cntrl:]]*};$__rp_n${__rp_z}${__rp_e}A;$__rp_n${__rp_z}'$__rp_1'${__rp_e}B${__rp_z}'
PS2='${__rp_e}F${__rp_z}'$__rp_2'${__rp_e}G${__rp_z}'
unset __rp_1 __rp_2
