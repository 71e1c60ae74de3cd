<?php
/*
 * A loop that announces its prompts with OSC 633, within that of `php -a`, which cannot: its prompt takes no control
 * characters, and it does not tell whether a line was complete. Before each command ripple sends the line that runs
 * this loop (input.clear_line in the adapter), which ignores it. Only a fatal error and `exit;` throw us out; PHP's
 * own loop survives both, and its prompt takes the next such line.
 */

final class Ripple
{
    private const MARK = "\e]633;%s;{nonce}\x07";
    private const ENTER = 'Ripple::enter(); while (Ripple::read()) try { eval(Ripple::code()); }'
        . ' catch (Throwable $ripple) { Ripple::report($ripple); unset($ripple); }';

    private const LEAVE = 'Ripple::leave();';

    public static bool $running = false; // the user's code
    private static int $status = 0;
    private static bool $shown = false; // the prompt
    private static string $code = '';
    private static $in, $out;

    private static function mark(string $code): string
    {
        return sprintf(self::MARK, $code);
    }

    public static function prompt(): void
    {
        self::$running = false;
        $path = preg_replace_callback('/[\\\\;\x00-\x1f\x7f]/',
            fn ($c) => $c[0] === '\\' ? '\\\\' : sprintf('\x%02x', ord($c[0])), (string) getcwd());
        $path = $path === '' ? '' : self::mark("P;Cwd=$path"); // none: it was removed
        self::write(self::mark('D;' . self::$status) . $path . self::mark('A') . 'php > ' . self::mark('B'));
        self::$status = 0;
    }

    private static function write(string $text): void
    {
        fwrite(self::$out ??= fopen('php://fd/1', 'w'), $text);
    }

    /** The next line; null at the end of the input. */
    private static function line(): ?string
    {
        $line = fread(self::$in ??= fopen('php://fd/0', 'r'), 65536); // the terminal gives one line at most
        if ($line === '' || $line === false) {
            self::$in = null; // what a terminal calls the end is not
            return null;
        }
        return rtrim($line, "\n");
    }

    public static function read(): bool
    {
        if (!self::$shown) {
            self::prompt();
        }
        self::$shown = false;
        do {
            $line = self::line();
        } while ($line === self::ENTER);
        if ($line === self::LEAVE) {
            return false;
        }
        if ($line === null || $line === 'exit' || $line === 'quit') {
            // PHP's own loop would have to read it. Without pcntl the process stays, at PHP's own prompt.
            function_exists('pcntl_exec') && pcntl_exec('/bin/true');
            return false;
        }
        self::$code = self::whole(self::block($line) ?? $line);
        self::$running = true;
        self::write(self::mark('C'));
        return true;
    }

    /** A block of several lines comes in a file. */
    private static function block(string $line): ?string
    {
        if (!preg_match("~^require '(.*/\\.ripple-exec-[^']*)';$~D", $line, $match)) {
            return null;
        }
        $text = rtrim(file_get_contents($match[1]));
        return str_starts_with($text, '<?') ? "?>$text" : $text;
    }

    /** The code with what it lacks: a semicolon, or more lines. */
    private static function whole(string $code): string
    {
        while (self::lacking($code)) {
            $open = preg_match('/^\s*(?:if|elseif|for|foreach|while|switch|declare)\b.*\)\s*$|\b(?:else|do)\s*$/s', $code);
            if (!$open && self::valid("$code;")) {
                return "$code;";
            }
            self::write(self::mark('F') . 'php { ' . self::mark('G'));
            if (($line = self::line()) === null) {
                return $code; // it is an error then
            }
            $code .= "\n$line";
        }
        return $code;
    }

    private static function valid(string $code, ?string &$why = null): bool
    {
        try {
            PhpToken::tokenize("<?php $code\n", TOKEN_PARSE);
            return true;
        } catch (ParseError $error) {
            $why = $error->getMessage();
            return false;
        }
    }

    /** Whether the end of the code comes too early. */
    private static function lacking(string $code): bool
    {
        if (!self::valid($code, $why)) {
            return str_contains($why, 'unexpected end of file') || str_starts_with($why, 'Un'); // closed, terminated
        }
        $tokens = PhpToken::tokenize("<?php $code\n");
        $last = end($tokens)->text; // of a comment the parser does not say that it is open
        return str_starts_with($last, '/*') && !str_ends_with($last, '*/');
    }

    public static function code(): string
    {
        return self::$code;
    }

    public static function leave(): void {}

    public static function enter(): void
    {
        self::$running = false;
        self::$shown = true;
    }

    /** As PHP's own loop reports what nobody has caught. */
    public static function report(Throwable $error): void
    {
        self::$running = false;
        self::$status = $error instanceof RippleInterrupt ? 130 : 1;
        if ($error instanceof RippleInterrupt) {
            self::write("\nInterrupted\n");
        } elseif ($error instanceof ParseError) {
            self::log('Parse error: ', "{$error->getMessage()} in {$error->getFile()} on line {$error->getLine()}");
        } else {
            self::log('Warning: ', "Uncaught $error\n  thrown in {$error->getFile()} on line {$error->getLine()}");
        }
    }

    private static function log(string $kind, string $text): void
    {
        if (ini_get('log_errors')) {
            error_log("PHP $kind $text");
        }
        if (ini_get('display_errors') && (!ini_get('log_errors') || ini_get('error_log'))) {
            echo "\n$kind $text\n";
        }
    }
}

final class RippleInterrupt extends Error {}

if (function_exists('pcntl_signal')) {
    pcntl_async_signals(true);
    pcntl_signal(SIGINT, fn () => Ripple::$running && throw new RippleInterrupt());
}
ini_set('cli.prompt', 'php -a> ');
Ripple::prompt();
