# A read-eval loop for tclsh that announces its prompts with OSC 633, in place of the built-in one, which reads
# startup files but takes no script. Steps for each command: D P A prompt B, read, C, run. The subcommands of
# chan stay when a user has puts, gets or flush renamed.
apply {{} {
    set ::tcl_interactive 1
    set ::argv0 tclsh
    set ::argv {}
    set ::argc 0
    info script {}
    chan configure stdin -encoding utf-8
    chan configure stdout -encoding utf-8
    chan configure stderr -encoding utf-8 -buffering none

    set escapes [list \\ \\\\ \; \\x3b \x7f \\x7f]
    for {set i 0} {$i < 32} {incr i} {
        lappend escapes [format %c $i] [format {\x%02x} $i]
    }
    set mark {{code} {
        chan puts -nonewline stdout "\x1b\]633;$code;{nonce}\x07"
    }}
    set status 0

    while 1 {
        apply $mark D\;$status
        if {![catch pwd here]} {
            apply $mark P\;Cwd=[string map $escapes $here]
        }
        apply $mark A
        chan puts -nonewline stdout "% "
        apply $mark B
        chan flush stdout
        if {[chan gets stdin command] < 0 && [chan eof stdin]} {
            exit
        }
        # A block of several lines comes in a file and is one script.
        if {[regexp {^source -encoding utf-8 \{(.*/\.ripple-exec-[^\}]*)\}$} $command -> path]} {
            set file [open $path]
            chan configure $file -encoding utf-8
            set command [read -nonewline $file]
            close $file
        }
        while {![info complete $command\n]} {
            apply $mark F
            apply $mark G
            chan flush stdout
            if {[chan gets stdin line] < 0 && [chan eof stdin]} {
                break ;# what is missing is an error
            }
            append command \n $line
        }
        apply $mark C
        chan flush stdout
        if {[string trim $command] ne {}} {
            history add $command
        }
        set status [catch {uplevel #0 $command} result options]
        if {$status == 1} {
            set ::errorInfo [regsub {\n    \("uplevel" body line \d+\)\n    invoked from within\n.*$} [dict get $options -errorinfo] {}]
            catch {chan puts stderr $result}
        } else {
            if {$status == 2} {
                set status 0 ;# return, as from a file
            }
            if {$result ne {}} {
                catch {chan puts stdout $result}
            }
        }
    }
}}
