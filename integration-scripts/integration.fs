\ ripple's OSC 633 for Gforth: the loop that QUIT runs, without the line editor, announcing what it does.
\ QUIT itself prints the errors, resets the stacks, and begins anew here.

variable ripple-failed
4000000 constant ripple-max
ripple-max allocate throw constant ripple-line

: ripple-mark ( c -- ) 27 emit ." ]633;" emit ." ;{nonce}" 7 emit ;

: ripple-prompt ( -- )
  27 emit ." ]633;D;" ripple-failed @ 0 .r ." ;{nonce}" 7 emit
  'A ripple-mark 'B ripple-mark ;

\ A definition that is open asks for its rest.
: ripple-ask ( -- )
  state @ if 'F ripple-mark 'G ripple-mark else ripple-prompt then
  stdout flush-file drop ;

: ripple-loop ( -- )
  begin
    ripple-ask
    1 ripple-failed ! \ until the end of the line is reached
    ripple-line ripple-max stdin read-line throw
  while
    'C ripple-mark
    ripple-line swap evaluate
    0 ripple-failed !
  repeat
  drop bye ;

0 ripple-failed !
' ripple-loop is 'quit
