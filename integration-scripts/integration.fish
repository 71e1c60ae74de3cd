# ripple's OSC 633 integration for fish 3.4 and later, sourced after the user's config.fish.
#
# The line editor cannot be turned off. It stays, with nothing in it that looks at what is typed: no
# completions, suggestions, abbreviations or vi mode. Output is framed by events: D, P and A come from
# here directly, B with the prompt's text: then the terminal takes keys again.

# The other half of fish's startup: key bindings, completions, a greeting, and in a new HOME a job that reads
# all manual pages.
functions --erase __fish_on_interactive

set -g fish_autosuggestion_enabled 0
set -g __rp_end ';{nonce}'
set -g __rp_cwd ''
set -g __rp_dir ''
set -g __rp_n 0

# fish prints a title before a command's output.
function fish_title
end

function __rp_start
    if test "$PWD" != "$__rp_dir"
        set -g __rp_dir "$PWD"
        set -g __rp_cwd (string replace --all \\ \\\\ -- $PWD | string replace --all ';' \\x3b | string join \\x0a)
    end
    printf '\e]633;P;Cwd=%s%s\a\e]633;A%s\a' $__rp_cwd $__rp_end $__rp_end
end

# A prompt that replaced ours is noticed when it was drawn without B: the session then waits a moment longer, once.
function __rp_prompt --on-event fish_prompt
    set -q __rp_drawn; or __rp_wrap
    set -e __rp_drawn
    __rp_start
end

function __rp_wrap
    set -g __rp_n (math $__rp_n + 1)
    set -l theirs __rp_prompt_$__rp_n
    functions --copy fish_prompt $theirs; or function $theirs; end
    function fish_prompt --inherit-variable theirs
        $theirs
        set -l mark B
        set -q __rp_more; and set mark F
        set -e __rp_more
        set -g __rp_drawn
        printf '\e]633;%s%s\a' $mark $__rp_end
    end
end

function __rp_preexec --on-event fish_preexec
    printf '\e]633;C%s\a' $__rp_end
end

function __rp_postexec --on-event fish_postexec
    printf '\e]633;D;%s%s\a' $status $__rp_end
end

function __rp_cancel --on-event fish_cancel
    printf '\e]633;D;130%s\a' $__rp_end
    __rp_start
    commandline --function repaint # the prompt is kept as it was drawn, with F
end

# fish leaves a line with a syntax error in the editor, and waits for the rest of an unfinished one.
function __rp_enter
    set -l last $status
    set -l line (commandline --current-buffer | string collect)
    commandline --is-valid
    switch $status
        case 0 # complete
        case 2
            commandline --insert \n
            set -g __rp_more
            commandline --function repaint # draws F: a key that came earlier would be lost
            return
        case '*'
            if string match --quiet --regex '\S' -- $line
                printf '\r\n\e]633;C%s\a' $__rp_end
                eval $line
                printf '\e]633;D;%s%s\a' $status $__rp_end
                commandline --replace ''
                __rp_start
                commandline --function repaint
                return
            end
            printf '\e]633;D;%s%s\a' $last $__rp_end
    end
    commandline --function execute
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
