# ripple's OSC 633 integration for fish 3.4 and later, sourced after the user's config.fish.
#
# The line editor cannot be turned off. It stays, with nothing in it that looks at what is typed: no
# completions, suggestions, abbreviations or vi mode. Output is framed by events: D, P and A come from
# here directly, B with the prompt's text: then the terminal takes keys again. The markers are numbered by their prompts.

# The other half of fish's startup: key bindings, completions, a greeting, and in a new HOME a job that reads
# all manual pages.
functions --erase __fish_on_interactive

set -g fish_autosuggestion_enabled 0
set -g fish_history '' # a session's history is its own, in memory
set -g __rp_end ';{nonce}'
set -g __rp_cwd ''
set -g __rp_dir ''
set -g __rp_n 0
set -g __rp_k 0

# A right prompt would be drawn into the line, where it looks like typed text.
function fish_right_prompt
end

# These parts of a prompt ask git and others, which run programs that the settings of a repository name.
for __rp_name in fish_vcs_prompt fish_git_prompt fish_hg_prompt fish_svn_prompt
    function $__rp_name
        return 1
    end
end
set -e __rp_name

# fish prints a title before a command's output.
function fish_title
end

# The first marker of a prompt gives it its number.
function __rp_begin
    set -q __rp_begun; or set -g __rp_k (builtin math $__rp_k + 1)
    set -g __rp_begun 1
end

function __rp_done
    __rp_begin
    builtin printf '\e]633;D;%s;%s%s\a' $argv $__rp_k $__rp_end
end

function __rp_start
    __rp_begin
    if test "$PWD" != "$__rp_dir"
        set -g __rp_dir "$PWD"
        set -g __rp_cwd (string replace --all \\ \\\\ -- $PWD | string replace --all ';' \\x3b | string join \\x0a)
    end
    builtin printf '\e]633;P;Cwd=%s;%s%s\a\e]633;A;%s%s\a' $__rp_cwd $__rp_k $__rp_end $__rp_k $__rp_end
    set -e __rp_begun
end

# A prompt that replaced ours is noticed when it was drawn without B: the session then waits a moment longer, once.
function __rp_prompt --on-event fish_prompt
    set -q __rp_running; and return # a command has sent the event
    set -q __rp_drawn; or __rp_wrap
    set -e __rp_drawn
    __rp_start
end

function __rp_wrap
    set -g __rp_n (builtin math $__rp_n + 1)
    set -l theirs __rp_prompt_$__rp_n
    if builtin functions --query fish_prompt
        builtin functions --copy fish_prompt $theirs
    else
        function $theirs; end
    end
    function fish_prompt --inherit-variable theirs
        switch "$__rp_running$__rp_begun" # keeps $status and $pipestatus
            case 1 11
                __rp_missed
        end
        $theirs
        set -l mark B
        set -q __rp_more; and set mark F
        set -e __rp_more
        set -g __rp_drawn
        builtin printf '\e]633;%s%s\a' $mark $__rp_end
    end
end

# An interrupt after a command cancels the event handlers up to its prompt. The markers that they have not sent go to the
# terminal from here, after the mark for an unfinished line, which D precedes otherwise.
function __rp_missed
    set -l last $status
    if test (status current-command) = fish # no command calls fish_prompt
        set -e __rp_running
        builtin printf '\r\e[K'
        __rp_done $last
        __rp_start
    end >&2
    return $last
end

function __rp_preexec --on-event fish_preexec
    builtin printf '\e]633;C;%s%s\a' $__rp_k $__rp_end
    set -g __rp_running 1
end

function __rp_postexec --on-event fish_postexec
    __rp_done $status
    set -e __rp_running
end

# After a hang-up fish exits with 0, also if a command runs: its end is reported as that of a command that the signal has ended.
function __rp_exit --on-event fish_exit
    set -q __rp_running; and __rp_done 129
end

function __rp_cancel --on-event fish_cancel
    __rp_done 130
    __rp_start
    builtin commandline --function repaint # the prompt is kept as it was drawn, with F
end

# What is wrong with a line, in the words of another fish, which runs nothing: eval would name places in this file.
function __rp_wrong
    set -l fish (status fish-path)
    builtin printf '%s\n' $argv | $fish --no-config --no-execute 2>&1 |
        string replace --regex '^.*\(line (\d+)\): ' 'fish: line $1: ' | string replace 'line 1: ' '' >&2
    return 123 # as eval does
end

# fish leaves a line with a syntax error in the editor, and waits for the rest of an unfinished one.
function __rp_enter
    set -l last $status
    set -l line (builtin commandline --current-buffer | string collect)
    builtin commandline --is-valid
    switch $status
        case 0 # complete
        case 2
            builtin commandline --insert \n
            set -g __rp_more
            builtin commandline --function repaint # draws F: a key that came earlier would be lost
            return
        case '*'
            if string match --quiet --regex '\S' -- $line
                builtin printf '\r\n\e]633;C;%s%s\a' $__rp_k $__rp_end
                __rp_wrong $line
                __rp_done $status
                builtin commandline --replace ''
                __rp_start
                builtin commandline --function repaint
                return
            end
            __rp_done $last
    end
    builtin commandline --function execute
end

bind --erase --all --preset
bind --erase --all
set -g fish_bind_mode default
bind '' self-insert
bind \r __rp_enter
bind \n __rp_enter
bind \cc cancel-commandline
bind \cd delete-or-exit
bind \x7f backward-delete-char
