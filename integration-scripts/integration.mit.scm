;; Announces the prompts of MIT Scheme's own REPL, at every level, with OSC 633. It reads line by line, so that one
;; line or block is one command, however many expressions there are in it. It lives in an environment of its own.
(eval
 '(begin
    (define nonce "{nonce}")
    (define console (nearest-cmdl/port))
    (define source #f) ; a port with the expressions of the command that are still to be read
    (define depth 1)   ; the level at which the command was read
    (define failed #f) ; whether an expression was read and came to no value, or there was an interrupt

    (define (mark . parts)
      (string-append "\x1b;]633;" (apply string-append parts) ";" nonce "\a"))

    (define (say . texts)
      (for-each (lambda (text) (write-string text console)) texts)
      (flush-output console))

    (define (escaped path)
      (define (escape c)
        (string-append "\\x" (string-pad-left (number->string (char->integer c) 16) 2 #\0)))
      (apply string-append
             (map (lambda (c) (if (or (memv c '(#\\ #\;)) (char<? c #\space)) (escape c) (string c)))
                  (string->list path))))

    ;; Without the escapes that MIT Scheme puts into the names of files. Names with letters beyond ASCII are to
    ;; it, mostly, strings with a character for each byte.
    (define (directory)
      (let ((path (apply string-append "/" (slashed (cdr (pathname-directory (working-directory-pathname)))))))
        (escaped (if (any (lambda (c) (char<? #\xff c)) (string->list path))
                     path
                     (utf8->string (apply bytevector (map char->integer (string->list path))))))))

    (define (slashed names)
      (cond ((or (null? names) (null? (cdr names))) names)
            (else (cons* (car names) "/" (slashed (cdr names))))))

    (define (show-prompt level prompt)
      (fresh-line console)
      (say (mark "D;" (if (or (> level depth) (and failed (= level depth))) "1" "0"))
           (mark "P;Cwd=" (directory))
           (mark "A") "\n" (number->string level) " " prompt " " (mark "B")))

    ;; A block of several lines comes in a file. The line that names it would work in any MIT Scheme.
    (define before "(load \"{temp_dir}/.ripple-exec-")
    (define after "\")")

    (define (open-text text)
      (let ((line (string-trim-right text)))
        (if (and (string-prefix? before line) (string-suffix? after line))
            (open-input-file (substring line (string-length "(load \"") (- (string-length line) (string-length after))))
            (open-input-string text))))

    (define (drop-rest!)
      (if source (close-port source))
      (set! source #f))

    (define (next-char port)
      (let ((c (peek-char port)))
        (cond ((and (char? c) (char-whitespace? c)) (read-char port) (next-char port))
              (else c))))

    (define (unfinished? text)
      (let ((port (open-input-string text)))
        (call-with-current-continuation
         (lambda (return)
           (with-exception-handler
            (lambda (condition)
              (return (and (eof-object? (peek-char port))
                           (string-prefix? "Premature EOF" (condition/report-string condition)))))
            (lambda ()
              (let loop ()
                (if (eof-object? (read port)) #f (loop)))))))))

    (define (read-text)
      (let loop ((text (read-line console)))
        (cond ((eof-object? text) (exit 14)) ; as MIT Scheme does it at the end of its input
              ((unfinished? text)
               (say (mark "F") (mark "G"))
               (let ((more (read-line console)))
                 (if (eof-object? more) text (loop (string-append text "\n" more)))))
              (else text))))

    ;; The rest of a line that was typed as input for the command belongs to the command.
    (define (more-of-the-line?)
      (and (char-ready? console)
           (let ((c (peek-char console)))
             (cond ((eof-object? c) #f)
                   ((char-whitespace? c) (read-char console) (more-of-the-line?))
                   (else #t)))))

    ;; A syntax error is an error of the REPL's own level, so nothing is caught here.
    (define (read-expression repl)
      (let ((level (cmdl/level repl)))
        (if (and source (or failed (not (= level depth))))
            (drop-rest!))
        (if source
            (fresh-line console)
            (let ((prompted (not (more-of-the-line?))))
              (if prompted (show-prompt level (repl/prompt repl)))
              (set! depth level)
              (set! failed #f)
              (set! source (open-text (read-text)))
              (if prompted (say (mark "C")))))
        (if (eof-object? (next-char source))
            (drop-rest!)
            (set! failed #t))
        (let ((expression (if source (read source) (eof-object))))
          (if (eof-object? expression)
              (begin
                (drop-rest!)
                (set! failed #f)
                (read-expression repl))
              (begin
                (repl-history/record! (repl/reader-history repl) expression)
                expression)))))

    (set! hook/repl-read read-expression)
    (set! hook/repl-write
          (lambda (value expression repl)
            (default/repl-write value expression repl)
            (set! failed #f)))
    ;; An interrupt between two expressions of a command gives up the rest, too.
    (let ((interrupts (->environment '(runtime interrupt-handler))))
      (for-each (lambda (hook)
                  (environment-assign! interrupts hook (lambda () (set! failed #t))))
                '(hook/^g-interrupt hook/^u-interrupt hook/^x-interrupt))))
 (extend-top-level-environment (->environment '(runtime rep))))
