%% ripple's OSC 633 integration for the shells of Erlang and Elixir: an I/O server instead of `user`, without a line
%% editor. It writes for each command: D P A prompt B, then it reads a line, C, and the output of the command.
%%
%% A shell's prompts differ from those of programs in their first character: 14 where a command begins, 15 where it
%% continues. A line that begins with 14 names a file whose text is handed over whole, so there is no prompt inside.
-module(ripple).
-export([start/3, prompt/1]).
%% It is compiled at every start: that takes most of its time in what makes code fast.
-compile([no_copt, no_postopt, no_ssa_opt, no_bool_opt, no_type_opt, no_bsm_opt, no_share_opt, no_recv_opt, no_module_opt]).

-record(s, {port, start, shell,
            in = <<>>,       % typed and not yet read
            block = <<>>,    % of a command, not yet read
            reads = [],      % requests that wait for input
            running = false, % a command was handed over
            binary = false}).
-record(r, {from, as, monitor, who, prompt, asked = false, fresh = true, collect, extra, state = start}).

start(M, F, A) ->
    spawn(fun() -> init({M, F, A}) end).

prompt(History) ->
    [14, io_lib:format("~w> ", [proplists:get_value(history, History, 0)])].

init(Start) ->
    process_flag(trap_exit, true),
    stty(["-isig"]), % an interrupt comes as a character: there is no handler for the signal
    unregister(user),
    register(user, self()),
    group_leader(self(), self()),
    loop(run(#s{port = open_port({fd, 0, 1}, [in, out, binary, eof]), start = Start})).

stty(Settings) ->
    %% A relative directory of PATH may be the project's.
    Path = lists:append(lists:join(":", [D || D = [$/ | _] <- string:split(os:getenv("PATH", ""), ":", all)])),
    Port = open_port({spawn_executable, os:find_executable("stty", Path)}, [nouse_stdio, exit_status, {args, Settings}]),
    receive {Port, {exit_status, _}} -> ok end.

run(S = #s{start = {M, F, A}}) ->
    Shell = apply(M, F, A),
    link(Shell),
    put(shell, Shell), % where user:interfaces looks
    S#s{shell = Shell}.

loop(S = #s{port = Port, shell = Shell}) ->
    receive
        {io_request, From, As, Request} -> loop(request(From, As, Request, S));
        {Port, {data, Data}} -> loop(serve(typed(Data, S)));
        {Port, eof} -> halt();
        {'DOWN', Monitor, _, _, _} -> loop(serve(S#s{reads = lists:keydelete(Monitor, #r.monitor, S#s.reads)}));
        {'EXIT', Shell, _} -> loop(run(S));
        _ -> loop(S)
    end.

typed(Data, S = #s{in = In}) ->
    case binary:split(Data, <<3>>) of
        [_] -> S#s{in = <<In/binary, Data/binary>>};
        [_, Rest] -> typed(Rest, interrupt(S#s{in = <<>>, block = <<>>}))
    end.

%% At the prompt an interrupt comes too late for the command that it was meant for.
interrupt(S = #s{reads = [#r{who = shell, fresh = true}], running = false}) ->
    S;
interrupt(S) ->
    [reply(R, {error, interrupted}) || R <- S#s.reads],
    exit(S#s.shell, interrupt),
    S#s{reads = [], running = true}.

reply(#r{from = From, as = As, monitor = Monitor}, Answer) ->
    demonitor(Monitor, [flush]),
    From ! {io_reply, As, Answer}.

request(From, As, Request, S) ->
    case handle(Request, S) of
        {read, Prompt, Collect, Extra} ->
            R = #r{from = From, as = As, monitor = monitor(process, From), collect = Collect, extra = Extra},
            serve(S#s{reads = S#s.reads ++ [whose(Prompt, R)]});
        {Answer, S1} ->
            From ! {io_reply, As, Answer},
            S1
    end.

handle({put_chars, Encoding, M, F, A} = Request, S) ->
    try apply(M, F, A) of
        Text -> handle({put_chars, Encoding, Text}, S)
    catch
        _:_ -> {{error, Request}, S}
    end;
handle({put_chars, Encoding, Text} = Request, S) ->
    case unicode:characters_to_binary(Text, Encoding) of
        Bytes when is_binary(Bytes) -> write(Bytes, S), {ok, S};
        _ -> {{error, Request}, S}
    end;
handle({put_chars, M, F, A}, S) -> handle({put_chars, latin1, M, F, A}, S);
handle({put_chars, Text}, S) -> handle({put_chars, latin1, Text}, S);
handle({requests, Requests}, S) ->
    lists:foldl(fun(R, {ok, S1}) -> handle(R, S1); (_, Failed) -> Failed end, {ok, S}, Requests);
handle({setopts, Options}, S) -> {ok, S#s{binary = proplists:get_value(binary, Options, S#s.binary)}};
handle(getopts, S) -> {[{binary, S#s.binary}, {encoding, unicode}], S};
handle({get_line, _, Prompt}, _) -> {read, Prompt, collect_line, []};
handle({get_line, Prompt}, _) -> {read, Prompt, collect_line, []};
handle({get_chars, _, Prompt, N}, _) -> {read, Prompt, collect_chars, N};
handle({get_chars, Prompt, N}, _) -> {read, Prompt, collect_chars, N};
handle({get_until, _, Prompt, M, F, A}, _) -> {read, Prompt, get_until, {M, F, A}};
handle({get_until, Prompt, M, F, A}, _) -> {read, Prompt, get_until, {M, F, A}};
handle(_, S) -> {{error, enotsup}, S}.

whose(Prompt, R) ->
    case unicode:characters_to_list(io_lib:format_prompt(Prompt, unicode)) of
        [14 | Text] -> R#r{who = shell, prompt = Text};
        [15 | Text] -> R#r{who = shell, prompt = Text, fresh = false};
        Text -> R#r{who = program, prompt = Text}
    end.

%% Serves the requests that wait as far as there is input.
serve(S = #s{reads = [R | Others]}) ->
    case next(R, S) of
        ask ->
            S1 = ask(R, S),
            serve(S1#s{reads = [R#r{asked = true} | Others]});
        wait ->
            S;
        {Block, #s.block, S1} when R#r.who =:= shell, R#r.collect =:= collect_line ->
            reply(R, Block),
            serve(S1#s{reads = Others});
        {Text, Source, S1} ->
            Data = case S#s.binary of true -> Text; false -> unicode:characters_to_list(Text) end,
            case io_lib:(R#r.collect)(R#r.state, Data, unicode, R#r.extra) of
                {stop, Result, Rest} ->
                    reply(R, Result),
                    serve(back(Source, Rest, S1#s{reads = Others}));
                State ->
                    Fresh = R#r.fresh andalso re:run(Text, "^\\s*(%.*)?\\s*$") =/= nomatch, % nothing has begun yet
                    serve(S1#s{reads = [R#r{state = State, fresh = Fresh, asked = false} | Others]})
            end
    end;
serve(S) ->
    S.

next(#r{who = shell}, S = #s{block = Block}) when Block =/= <<>> ->
    {Block, #s.block, S#s{block = <<>>}};
next(#r{asked = false}, _) ->
    ask;
next(#r{who = Who}, S) ->
    case binary:split(S#s.in, <<"\n">>) of
        [_] ->
            wait;
        [<<14, Path/binary>>, Rest] when Who =:= shell ->
            {ok, Block} = file:read_file(Path),
            {Block, #s.block, begins(S#s{in = Rest})};
        [Line, Rest] when Who =:= shell ->
            {<<Line/binary, "\n">>, #s.block, begins(S#s{in = Rest})}; % text that the shell does not parse belongs to this command
        [Line, Rest] ->
            {<<Line/binary, "\n">>, #s.in, S#s{in = Rest}}
    end.

begins(S) ->
    write(mark("C"), S),
    S#s{running = true}.

back(_, eof, S) -> S;
back(Source, Rest, S) -> setelement(Source, S, <<(unicode:characters_to_binary(Rest))/binary, (element(Source, S))/binary>>).

ask(#r{who = program, prompt = Text}, S) ->
    write(unicode:characters_to_binary(Text), S),
    S;
ask(#r{fresh = true, prompt = Text}, S) ->
    Ended = case S#s.running of true -> mark("D"); false -> [] end,
    write([Ended, directory(), mark("A"), unicode:characters_to_binary(Text), mark("B")], S),
    S#s{running = false};
ask(#r{prompt = Text}, S) ->
    write([mark("F"), unicode:characters_to_binary(Text), mark("G")], S),
    S.

write(Text, S) ->
    port_command(S#s.port, Text).

mark(Text) ->
    ["\e]633;", Text, ";{nonce}\7"].

directory() ->
    case file:get_cwd() of
        {ok, Path} -> mark(["P;Cwd=", [escaped(C) || <<C>> <= unicode:characters_to_binary(Path)]]);
        _ -> []
    end.

escaped($\\) -> "\\\\";
escaped(C) when C < $\s; C =:= $;; C =:= 127 -> io_lib:format("\\x~2.16.0b", [C]);
escaped(C) -> C.
