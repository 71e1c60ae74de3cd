# ripple's OSC 633 integration for perl's debugger, loaded by PERL5DB in place of perl5db.pl, which it loads.
#
# It replaces the debugger's own readline(). A prompt is D (the command before it has ended), P with the
# directory, A, text, B; a continuation prompt is F. The terminal neither echoes nor edits, and a line is read
# byte by byte, so that what follows it is there for the program.

package DB;

BEGIN {
    delete $ENV{PERL5DB};
    $ENV{PERLDB_OPTS} = join ' ', grep { defined } $ENV{PERLDB_OPTS}, 'ReadLine=0';
    require 'perl5db.pl';
}

{
    my ($self, $text, $loader) = (__FILE__, '', '{temp_dir}/perldb.pl');
    if (open my $file, '<', $self) {
        local $/;
        $text = readline $file;
    }
    open my $tty, '+<', '/dev/tty' or die "no terminal: $!";
    my $next = \&DB::readline;
    my $reading = 0;    # an interrupt ends the reading of a line, and nothing else

    my $mark = sub { "\e]633;$_[0];{nonce}\a" };
    my $directory = sub {
        require Cwd;
        my $path = Cwd::getcwd();
        return '' unless defined $path;
        $path =~ s/([\x00-\x1f;\\\x7f])/$1 eq "\\" ? "\\\\" : sprintf "\\x%02x", ord $1/ge;
        $mark->("P;Cwd=$path");
    };
    my $within = sub {
        for (my $i = 2; my @frame = caller $i; $i++) { return 1 if $frame[3] eq $_[0] }
        0;
    };
    my $read = sub {
        my $before = shift;
        for my $handle (*STDOUT, *STDERR) {
            my $old = select $handle;
            my $flush = $|;
            $| = 1;    # writes what is pending
            $| = $flush;
            select $old;
        }
        my $line = '';
        $reading = 1;
        syswrite $tty, $before;
        while ($line !~ /\n\z/) {
            my $n = sysread $tty, $line, 1, length $line;
            next if $n || !defined $n && $!{EINTR} && $reading;
            $line = $reading ? undef : '';
            last;
        }
        $reading = 0;
        $line;
    };
    # Whether Perl wants more of this. Debugger commands compile or are wrong in other ways.
    my $incomplete = sub {
        my $code = shift;
        (my $rest = $code) =~ s/[^\[\](){}"'`<]//g;
        return 0 if $rest eq '';
        local ($@, $SIG{__DIE__}, $SIG{__WARN__}) = ('', undef, sub { });
        eval "package main; no strict; if (0) { $code\n}\n1" and return 0;
        $@ =~ /^Missing right|^Can't find string terminator|not terminated at/m;
    };

    no warnings 'redefine';
    *DB::readline = sub {
        return $next->(@_) if @DB::cmdfhs || @DB::typeahead;
        local ($., $@, $!, $/, $\, $,) = ($., $@, $!, "\n", undef, undef);
        my $prompt = shift;
        if ($prompt =~ /cont:/) { return $read->($mark->('F')) }
        $prompt =~ s/DB/DB ended/ if $within->('DB::fake::at_exit');
        my $line = $read->($mark->('D') . $directory->() . $mark->('A') . $prompt . $mark->('B'));
        return undef unless defined $line;
        while ($incomplete->($line)) {
            my $more = $read->($mark->('F'));
            return undef unless defined $more;
            $line = $more eq '' || $more eq "\cX\n" ? '' : $line . $more;    # given up
        }
        $line =~ s/\n\z//;
        $line = ';' if $line !~ /\S/;    # an empty line would repeat the last step, and blocks have such lines
        if ($line =~ /^\s*(?:R|rerun)\b/ && open my $file, '>', $loader) {
            print $file $text;
            $ENV{PERL5DB} = "BEGIN { require '$loader' }" if close $file;
        }
        $line;
    };
    my $stop = \&DB::catch;
    $SIG{INT} = sub {
        return $reading = 0 if $reading;
        die "Interrupted\n" if $within->('DB::eval');
        $stop->(@_);
    };
}

1;
