;; Announces the prompts of Chez Scheme's own REPL, in every cafe, with OSC 633. It reads line by line, so that one
;; line or block is one command, however many expressions there are in it.
(let ([nonce "{nonce}"]
      [terminal (console-input-port)]
      [source #f]   ; a port with the expressions of the command that are still to be read
      [depth 1]     ; the cafe in which the command was read
      [failed #f]   ; whether the last expression was given up
      [watched #f]) ; the handler that notes it

  (define (mark . parts)
    (string-append "\x1b;]633;" (apply string-append parts) ";" nonce "\a"))

  (define (say . texts)
    (for-each (lambda (text) (put-string (console-output-port) text)) texts)
    (flush-output-port (console-output-port)))

  (define (escaped path)
    (define (escape c)
      (format "\\x~2,'0x" (char->integer c)))
    (apply string-append
           (map (lambda (c) (if (or (memv c '(#\\ #\;)) (char<? c #\space)) (escape c) (string c)))
                (string->list path))))

  (define (directory)
    (guard (condition [#t ""]) (current-directory)))

  (define (show-prompt level)
    (say (mark "D;" (if failed "1" "0"))
         (mark "P;Cwd=" (escaped (directory)))
         (mark "A") (apply string-append (make-list level (waiter-prompt-string))) " " (mark "B")))

  ;; A block of several lines comes in a file. The line that names it would work in any Chez Scheme.
  (define before "(load \"{temp_dir}/.ripple-exec-")
  (define after "\")")
  (define (block-path text)
    (let ([path-end (- (string-length text) (string-length after))])
      (and (> path-end (string-length before))
           (string=? before (substring text 0 (string-length before)))
           (string=? after (substring text path-end (string-length text)))
           (substring text (string-length "(load \"") path-end))))

  (define (open-text text)
    (let ([path (block-path text)])
      (if path (open-input-file path) (open-input-string text))))

  (define (drop-rest!)
    (if source (close-port source))
    (set! source #f))

  (define (next-char port)
    (let ([c (peek-char port)])
      (cond [(and (char? c) (char-whitespace? c)) (read-char port) (next-char port)]
            [else c])))

  (define (unfinished? text)
    (let ([port (open-input-string (string-append text "\n"))]) ; a wrong bracket at the end is not the end
      (guard (condition [#t (eof-object? (peek-char port))])
        (let loop ()
          (if (eof-object? (read port)) #f (loop))))))

  (define (read-text)
    (let loop ([text (get-line terminal)])
      (if (and (string? text) (unfinished? text))
          (begin
            (say (mark "F") (mark "G"))
            (let ([more (get-line terminal)])
              (if (eof-object? more) text (loop (string-append text "\n" more)))))
          text)))

  ;; The rest of a line that was typed as input for the command belongs to the command.
  (define (more-of-the-line?)
    (and (input-port-ready? terminal)
         (let ([c (peek-char terminal)])
           (cond [(eof-object? c) #f]
                 [(char-whitespace? c) (read-char terminal) (more-of-the-line?)]
                 [else #t]))))

  (define (watch-reset!)
    (unless (eq? watched (reset-handler))
      (let ([reset (reset-handler)])
        (set! watched (lambda () (set! failed #t) (reset)))
        (reset-handler watched))))

  ;; A syntax error is an error of the REPL itself, so nothing is caught here.
  (define (read-expression level)
    (watch-reset!)
    (if (and source (or failed (not (= level depth)) (eof-object? (next-char source))))
        (drop-rest!))
    (if source
        (next-expression level)
        (let ([prompted (not (more-of-the-line?))])
          (if prompted (show-prompt level))
          (set! depth level)
          (set! failed #f)
          (let ([text (read-text)])
            (if prompted (say (mark "C")))
            (cond [(eof-object? text) text]
                  [else
                   (set! source (open-text text))
                   (next-expression level)])))))

  (define (next-expression level)
    (let ([expression (read source)])
      (cond [(eof-object? expression) (drop-rest!) (read-expression level)]
            [else expression])))

  (waiter-prompt-string ">")
  (waiter-prompt-and-read read-expression))
