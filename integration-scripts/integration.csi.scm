;; Announces csi's prompts with OSC 633 through the hooks of its REPL. It reads line by line, so that one line
;; or block is one command, however many expressions there are in it. A definition at the prompt replaces the
;; standard procedure of that name for everybody, so those that are used are kept here.
(let ((nonce "{nonce}")
      (terminal ##sys#standard-input)
      (source #f)  ; a port with the expressions of the command that are still to be read
      (failed #f)  ; whether the last expression was given up
      (chosen #f)  ; whether the REPL was just given an expression
      (peeked #f)   ; whether a character of the terminal was looked at and not read
      (prompted #f) ; whether the command was typed at a prompt
      (esc (integer->char 27))
      (bel (integer->char 7))
      (append append) (apply apply) (car car) (char->integer char->integer) (char-whitespace? char-whitespace?)
      (char-ready? char-ready?) (char<? char<?) (char? char?) (close-input-port close-input-port) (eof-object? eof-object?) (eq? eq?)
      (for-each for-each) (list list) (map map) (memv memv) (number->string number->string)
      (open-input-file open-input-file) (pair? pair?) (peek-char peek-char) (read read) (read-char read-char)
      (string string) (string->list string->list) (string-append string-append) (string-length string-length)
      (string=? string=?) (string? string?) (substring substring) (< <) (> >) (- -)
      (call-with-current-continuation call-with-current-continuation))

  (define (say . texts)
    (for-each (lambda (text) (##sys#print text #f ##sys#standard-output)) texts)
    (chicken.base#flush-output ##sys#standard-output))

  (define (mark . parts)
    (apply string-append (string esc) "]633;" (append parts (list ";" nonce (string bel)))))

  (define (escaped path)
    (define (escape c)
      (let ((digits (number->string (char->integer c) 16)))
        (string-append (if (< (string-length digits) 2) "\\x0" "\\x") digits)))
    (apply string-append
           (map (lambda (c) (if (or (memv c '(#\\ #\;)) (char<? c #\space)) (escape c) (string c)))
                (string->list path))))

  (define (directory)
    (call-with-current-continuation
     (lambda (return)
       (chicken.condition#with-exception-handler
        (lambda (condition) (return ""))
        chicken.process-context#current-directory))))

  (define (show-prompt)
    (say (mark "D;" (if failed "1" "0"))
         (mark "P;Cwd=" (escaped (directory)))
         (mark "A") ((chicken.repl#repl-prompt)) (mark "B")))

  ;; A block of several lines comes in a file. The line that names it would work in any csi.
  (define before "(load \"{temp_dir}/.ripple-exec-")
  (define after "\")\n")
  (define (block-path text)
    (let ((path-end (- (string-length text) (string-length after))))
      (and (> path-end (string-length before))
           (string=? before (substring text 0 (string-length before)))
           (string=? after (substring text path-end (string-length text)))
           (substring text (string-length "(load \"") path-end))))

  (define (open-text text)
    (let ((path (block-path text)))
      (if path
          (open-input-file path)
          (chicken.base#open-input-string text))))

  (define (drop-rest!)
    (if source (close-input-port source))
    (set! source #f))

  (define (next-char)
    (let ((c (peek-char source)))
      (cond ((and (char? c) (char-whitespace? c)) (read-char source) (next-char))
            (else c))))

  (define (read-line)
    (let ((line (chicken.io#read-line terminal)))
      (if (string? line) (string-append line "\n") line)))

  (define (try thunk otherwise)
    ((call-with-current-continuation
      (lambda (return)
        (chicken.condition#with-exception-handler
         (lambda (condition) (return (lambda () (otherwise condition))))
         (lambda () (let ((result (thunk))) (lambda () result))))))))

  ;; The rest of a line that was typed as input for the command belongs to the command.
  (define (more-of-the-line?)
    (and (or peeked (char-ready? terminal))
         (let ((c (peek-char terminal)))
           (cond ((eof-object? c) #f)
                 ((char-whitespace? c) (read-char terminal) (more-of-the-line?))
                 (else #t)))))

  ;; Where the text ends within an expression the terminal is asked for more.
  (define (read-one text)
    (try (lambda ()
           (let ((expression (read source)))
             (if (and text prompted) (say (mark "C")))
             expression))
         (lambda (condition)
           (let ((more (and text (eof-object? (peek-char source))
                            (begin (say (mark "F") (mark "G")) (read-line)))))
             (cond ((string? more)
                    (let ((text (string-append text more)))
                      (set! source (open-text text))
                      (read-one text)))
                   (else
                    (if (and text prompted) (say (mark "C")))
                    (chicken.condition#print-error-message condition ##sys#standard-output)
                    (set! failed #t)
                    (drop-rest!)
                    (read-command)))))))

  (define (read-command)
    (set! prompted (not (more-of-the-line?)))
    (if prompted (show-prompt))
    (set! failed #t)
    (let ((line (read-line)))
      (if (eof-object? line)
          line
          (begin
            (set! source (open-text line))
            (let ((expression (read-one line)))
              (cond ((eof-object? expression) (drop-rest!) (set! failed #f) (read-command))
                    (else expression)))))))

  ;; A command of csi itself reads its arguments from the current port.
  (define (with-arguments expression)
    (if (and (pair? expression) (eq? 'unquote (car expression)))
        (set! ##sys#standard-input source)
        (set! chosen #t))
    expression)

  (define (watch!)
    (let ((reset (##sys#reset-handler)))
      (##sys#reset-handler (lambda () (set! failed #t) (reset)))))

  (define (read-expression)
    (set! ##sys#standard-input terminal)
    (watch!)
    (if (and source (or failed (eof-object? (next-char)))) (drop-rest!))
    (let ((expression (if source (read-one #f) (read-command))))
      (cond ((and source (eof-object? expression)) (drop-rest!) (read-expression))
            ((eof-object? expression) expression)
            (else (set! failed #f) (with-arguments expression)))))

  ;; When it has an expression the REPL looks whether the rest of its line is there to be dropped, and would wait
  ;; for one: that look is answered here. And char-ready? knows nothing of a character that was peeked at, nor of
  ;; a buffer.
  (define (watch-terminal!)
    (let* ((operations (list->vector (vector->list (##sys#slot terminal 2))))
           (peek (vector-ref operations 1)))
      (define (reading! number)
        (let ((operation (vector-ref operations number)))
          (vector-set! operations number (lambda arguments (set! peeked #f) (apply operation arguments)))))
      (vector-set! operations 1
                   (lambda (port)
                     (cond (chosen (set! chosen #f) #\space)
                           (else (set! peeked #t) (peek port)))))
      (for-each reading! '(0 7 8)) ; read-char, read-string!, read-line
      (##sys#setslot terminal 2 operations)
      (chicken.port#set-buffering-mode! terminal #:none)))

  ;; Between two expressions of a command there is a moment without our reset handler.
  (define (watch-interrupt!)
    (let ((interrupt ##sys#user-interrupt-hook))
      (set! ##sys#user-interrupt-hook (lambda () (set! failed #t) (interrupt)))))

  (watch-terminal!)
  (watch-interrupt!)
  (set! ##sys#read-prompt-hook (lambda () #f))
  (set! ##sys#repl-read-hook read-expression))
