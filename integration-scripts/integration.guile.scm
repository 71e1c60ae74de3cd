;; Announces the prompts of Guile's own REPL, at every level of its debugger, with OSC 633. It reads line by
;; line, so that one line or block is one command, however many expressions there are in it.
(define-module (ripple)
  #:use-module (ice-9 rdelim))

(define nonce "{nonce}")
(define source #f) ; a port with the expressions of the command that are still to be read
(define depth 1)   ; the level at which the command was read
(define failed #f) ; whether an expression was read and could not be evaluated

(define meta-command-token (@@ (system repl repl) meta-command-token))

(define (level)
  (length (or (fluid-ref (@@ (system repl common) *repl-stack*)) '())))

(define (mark . parts)
  (string-append "\x1b]633;" (string-concatenate parts) ";" nonce "\a"))

(define (say . texts)
  (for-each display texts)
  (force-output))

(define (escaped path)
  (define (escape c)
    (let ((digits (number->string (char->integer c) 16)))
      (string-append (if (< (string-length digits) 2) "\\x0" "\\x") digits)))
  (string-concatenate
   (map (lambda (c) (if (or (memv c '(#\\ #\;)) (char<? c #\space)) (escape c) (string c)))
        (string->list path))))

(define (show-prompt prompt)
  (say (mark "D;" (if (or failed (> (level) depth)) "1" "0"))
       (mark "P;Cwd=" (escaped (catch #t getcwd (lambda _ ""))))
       (mark "A") (if (string? prompt) prompt (prompt)) (mark "B")))

;; A block of several lines comes in a file. The line that names it would work in any Guile.
(define (block-path line)
  (let ((before "(load \"") (after "\")"))
    (and (string-prefix? before line)
         (string-suffix? after line)
         (string-contains line "/.ripple-exec-")
         (substring line (string-length before) (- (string-length line) (string-length after))))))

(define (open-text text)
  (let ((path (block-path (string-trim-right text))))
    (if path
        (open-input-file path #:encoding "UTF-8")
        (let ((port (open-input-string text)))
          (set-port-filename! port "<stdin>")
          port))))

(define (drop-rest!)
  (when source
    (close-port source)
    (set! source #f)))

(define (next-char)
  (let ((c (peek-char source)))
    (cond ((and (char? c) (char-whitespace? c)) (read-char source) (next-char))
          (else c))))

;; Where the text ends within an expression the terminal is asked for more.
(define (read-one read text)
  (let ((start (ftell source)))
    (catch 'read-error
      (lambda () (read source))
      (lambda (key . rest)
        (let ((more (and text (eof-object? (peek-char source))
                         (begin (say (mark "F") (mark "G")) (read-line (current-input-port) 'concat)))))
          (unless (string? more) (apply throw key rest))
          (let ((text (string-append text more)))
            (set! source (open-text text))
            (seek source start SEEK_SET)
            (read-one read text)))))))

(define (read-next read text)
  (let ((c (next-char)))
    (cond ((eof-object? c) *unspecified*)
          ((char=? c #\,) ; a meta command reads its arguments from the terminal itself
           (unread-string (read-line source 'concat) (current-input-port))
           (read (current-input-port)))
          (else
           (let ((expression (read-one read text)))
             (if (eof-object? expression) *unspecified* expression))))))

(define (read-command read begin!)
  (let ((line (read-line (current-input-port) 'concat)))
    (set! depth (level))
    (if (eof-object? line)
        line
        (dynamic-wind
          (lambda () #f)
          (lambda () (set! source (open-text line)) (read-next read line))
          begin!))))

;; The rest of a line that was typed as input for the command belongs to the command.
(define (more-of-the-line?)
  (and (char-ready?)
       (let ((c (peek-char)))
         (cond ((eof-object? c) #f)
               ((char-whitespace? c) (read-char) (more-of-the-line?))
               (else #t)))))

(define (read-expression prompt read)
  (when (and source (or failed (not (= (level) depth)) (eof-object? (next-char))))
    (drop-rest!))
  (let ((result (cond (source (set! failed #t) (read-next read #f))
                      ((more-of-the-line?) (set! failed #t) (read-command read (lambda () #f)))
                      (else
                       (show-prompt prompt)
                       (set! failed #t)
                       (read-command read (lambda () (say (mark "C"))))))))
    (when (memq result (list *unspecified* meta-command-token))
      (set! failed #f))
    result))

(add-hook! before-eval-hook (lambda (expression) (set! failed #f)))

(set! repl-reader
      (lambda* (prompt #:optional (read (fluid-ref current-reader)))
        (if (equal? prompt "") ; the argument of a meta command
            (read (current-input-port))
            (read-expression prompt read))))

(for-each (lambda (port) (set-port-encoding! port "UTF-8"))
          (list (current-input-port) (current-output-port) (current-error-port)))
(set! %load-should-auto-compile #t) ; off while this was loaded
