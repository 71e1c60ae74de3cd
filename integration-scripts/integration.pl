% ripple's OSC 633 integration for SWI-Prolog 9, started as `swipl -q -f THIS --no-tty -t ripple_top`: the top level
% of this file reads the queries, and the system's own evaluator answers them. D P A prompt B, read, answer; F and G
% around the prompt for the rest of a query.
:- set_prolog_flag(color_term, false),
   forall(member(S, [user_input, user_output, user_error]), set_stream(S, encoding(utf8))).
:- '$set_source_module'(_, system). % what is defined there is not listed

ripple_top :-
    repeat,
    catch(ripple_query, E, ripple_report(E)),
    fail.

ripple_report(E) :-
    (   E = unwind(halt(_)) -> throw(E)
    ;   memberchk(E, ['$aborted', unwind(abort)]) -> format(user_error, '% Execution Aborted~n', [])
    ;   print_message(error, E)
    ).

ripple_query :-
    ripple_drop, % the end of the line that a program read a term from
    prompt(_, '\e]633;F;{nonce}\a\e]633;G;{nonce}\a'),
    repeat,
    ripple_prompt,
    ripple_begins,
    !,
    call_cleanup(read_term(user_input, Goal, [variable_names(Bindings)]), ripple_drop),
    prompt(_, '|: '),
    (   Goal == end_of_file -> halt ; '$toplevel':'$execute_query'(Goal, Bindings, _) ).

% Fails for a line of blanks or a comment.
ripple_begins :-
    peek_char(user_input, C),
    (   memberchk(C, [' ', '\t']) -> get_char(user_input, _), ripple_begins
    ;   C == '\n' -> get_char(user_input, _), fail
    ;   C == '%' -> skip(user_input, 0'\n), fail
    ;   true
    ).

ripple_drop :-
    read_pending_codes(user_input, _, []).

ripple_prompt :-
    ripple_directory(Directory),
    format(user_output, '\e]633;D;{nonce}\a~w\e]633;A;{nonce}\a?- \e]633;B;{nonce}\a', [Directory]),
    prompt1(''),
    flush_output(user_output).

ripple_directory(Mark) :-
    catch(working_directory(Path, Path), _, fail),
    !,
    (   Path \== '/', atom_concat(Short, '/', Path) -> true ; Short = Path ),
    ripple_escape(Short, '\\', '\\\\', Half),
    ripple_escape(Half, ';', '\\x3b', Whole),
    format(atom(Mark), '\e]633;P;Cwd=~w;{nonce}\a', [Whole]).
ripple_directory('').

ripple_escape(Text, Char, Code, Escaped) :-
    atomic_list_concat(Parts, Char, Text),
    atomic_list_concat(Parts, Code, Escaped).

% A solution that may not be the last is a prompt, too.
:- multifile user:message_hook/3.
:- dynamic user:message_hook/3.
user:message_hook(query(more(_, _, _)), query, Lines) :-
    append(Shown, [flush], Lines),
    (   append(Solution, [' '-[]], Shown) -> true ; Solution = Shown ),
    print_message_lines(user_output, '', Solution),
    format(user_output, '\e]633;D;{nonce}\a\e]633;A;{nonce}\a ? \e]633;B;{nonce}\a', []),
    flush_output(user_output).

:- '$set_source_module'(_, user).
