;; Announces the prompts of Gambit's own REPL, at every level, with OSC 633. It reads line by line, so that one line
;; or block is one command, however many expressions there are in it. A definition at the prompt replaces the
;; standard procedure of that name for everybody, so those that are used are kept here.
(let ((nonce "{nonce}")
      (channel (##thread-repl-channel-get! (current-thread)))
      (source #f) ; a port with the expressions of the command that are still to be read
      (depth 0)   ; the level at which the command was read
      (failed #f) ; whether an expression was read and came to no value
      (append append) (apply apply) (car car) (char->integer char->integer) (char-ready? char-ready?)
      (char-whitespace? char-whitespace?) (char<? char<?) (char? char?) (close-input-port close-input-port)
      (current-directory current-directory) (display display) (eof-object? eof-object?) (eq? eq?)
      (force-output force-output) (for-each for-each) (list list) (map map) (memv memv)
      (number->string number->string) (open-input-file open-input-file) (open-input-string open-input-string)
      (pair? pair?) (peek-char peek-char) (read read) (read-char read-char) (read-line read-line) (string string)
      (string->list string->list) (string-append string-append) (string-length string-length) (string=? string=?)
      (string? string?) (substring substring) (with-exception-catcher with-exception-catcher)
      (< <) (> >) (- -) (= =) (column-set! ##output-port-column-set!))

  (define terminal (##vector-ref channel 3))

  (define (mark . parts)
    (apply string-append "\x1b;]633;" (append parts (list ";" nonce "\a"))))

  (define (say . texts)
    (for-each (lambda (text) (display text terminal)) texts)
    (force-output terminal))

  (define (escaped path)
    (define (escape c)
      (let ((digits (number->string (char->integer c) 16)))
        (string-append (if (< (string-length digits) 2) "\\x0" "\\x") digits)))
    (apply string-append
           (map (lambda (c) (if (or (memv c '(#\\ #\;)) (char<? c #\space)) (escape c) (string c)))
                (string->list path))))

  ;; The interpreter is slow, so values that are the same as at the last prompt are reused.
  (define last-path "")
  (define last-mark (mark "P;Cwd="))
  (define (directory-mark)
    (let ((path (with-exception-catcher (lambda (e) "") current-directory)))
      (if (not (string=? path last-path))
          (let ((end (- (string-length path) 1))) ; it ends in a slash
            (set! last-path path)
            (set! last-mark (mark "P;Cwd=" (escaped (if (> end 0) (substring path 0 end) path))))))
      last-mark))

  (define good (mark "D;0"))
  (define bad (mark "D;1"))
  (define prompt-begins (mark "A"))
  (define prompt-ends (mark "B"))
  (define executes (mark "C"))

  (define (show-prompt level frame)
    (say (if (or (> level depth) (and failed (= level depth))) bad good)
         (directory-mark)
         prompt-begins
         (if (> level 0) (number->string level) "")
         (if (> frame 0) (string-append "\\" (number->string frame)) "")
         "> "
         prompt-ends))

  ;; A block of several lines comes in a file. The line that names it would work in any Gambit.
  (define before "(load \"{temp_dir}/.ripple-exec-")
  (define after "\")")
  (define (block-path text)
    (let ((path-end (- (string-length text) (string-length after))))
      (and (> path-end (string-length before))
           (string=? before (substring text 0 (string-length before)))
           (string=? after (substring text path-end (string-length text)))
           (substring text (string-length "(load \"") path-end))))

  (define (open-text text)
    (let ((path (block-path text)))
      (if path
          (open-input-file (list 'path: path 'char-encoding: 'UTF-8))
          (open-input-string text))))

  (define (drop-rest!)
    (if source (close-input-port source))
    (set! source #f))

  (define (next-char port)
    (let ((c (peek-char port)))
      (cond ((and (char? c) (char-whitespace? c)) (read-char port) (next-char port))
            (else c))))

  (define (unfinished? text)
    (let ((port (open-input-string (string-append text "\n")))) ; a wrong bracket at the end is not the end
      (with-exception-catcher
       (lambda (e) (eof-object? (peek-char port)))
       (lambda ()
         (let loop ()
           (if (eof-object? (read port)) #f (loop)))))))

  (define (read-text)
    (let loop ((text (read-line terminal)))
      (if (and (string? text) (unfinished? text))
          (begin
            (say (mark "F") (mark "G"))
            (let ((more (read-line terminal)))
              (if (eof-object? more) text (loop (string-append text "\n" more)))))
          text)))

  ;; The rest of a line that was typed as input for the command belongs to the command.
  (define (more-of-the-line?)
    (and (char-ready? terminal)
         (let ((c (peek-char terminal)))
           (cond ((eof-object? c) #f)
                 ((char-whitespace? c) (read-char terminal) (more-of-the-line?))
                 (else #t)))))

  (define (command? expression) ; ,t and the like
    (let ((code (##desourcify expression)))
      (and (pair? code) (eq? (car code) 'unquote))))

  (define (read-command channel level frame)
    (if (and source (or failed (not (= level depth)) (eof-object? (next-char source))))
        (drop-rest!))
    (if source
        (next-expression channel level frame)
        (let ((prompted (not (more-of-the-line?))))
          (if prompted (show-prompt level frame))
          (set! depth level)
          (set! failed #f)
          (let ((text (read-text)))
            (if prompted (begin (say executes) (column-set! terminal 1))) ; Gambit counts columns
            (cond ((eof-object? text) text)
                  (else
                   (set! source (open-text text))
                   (next-expression channel level frame)))))))

  (define (next-expression channel level frame)
    (set! failed #t)
    (let ((expression (##read-expr-from-port source)))
      (cond ((eof-object? expression)
             (drop-rest!)
             (set! failed #f)
             (read-command channel level frame))
            (else
             (set! failed (not (command? expression)))
             expression))))

  (define write-results (##vector-ref channel 7))

  (##vector-set! channel 6 read-command)
  (##vector-set! channel 7
    (lambda (channel results)
      (write-results channel results)
      (set! failed #f))))
