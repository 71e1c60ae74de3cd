;; ripple's OSC 633 integration for Racket, required with `racket -i -t THIS`.
;;
;; The prompt announces itself: D P A prompt B, then comes the line, then C. Input is taken by lines: a line, or
;; a staged block, is read to its end, form by form, before the next prompt. So an empty line gets a prompt, two
;; forms on one line get one, and (read-line) waits for a line of its own.
(module integration racket/base
  (define terminal (current-output-port))
  (define main (current-thread))

  (define source #f) ; the rest of the line or block
  (define running? #f) ; C was sent
  (define status 0)

  (define (mark . parts)
    (write-string "\e]633;" terminal)
    (for ([part (in-list parts)])
      (write-bytes (if (string? part) (string->bytes/utf-8 part) part) terminal))
    (write-string ";{nonce}\a" terminal))

  (define (escaped path)
    (regexp-replace* #rx#"[\0-\37;\\\177]" path
                     (lambda (c)
                       (define n (bytes-ref c 0))
                       (bytes-append (if (< n 16) #"\\x0" #"\\x") (string->bytes/latin-1 (number->string n 16))))))

  (define (directory)
    (define path (path->bytes (current-directory)))
    (define end (sub1 (bytes-length path)))
    (if (and (positive? end) (eqv? (bytes-ref path end) 47)) (subbytes path 0 end) path))

  (define (announce)
    (flush-output (current-output-port))
    (mark "D;" (number->string status))
    (mark "P;Cwd=" (escaped (directory)))
    (mark "A")
    (write-string "> " terminal)
    (mark "B")
    (flush-output terminal)
    (set! running? #f)
    (set! status 0))

  (define (executes)
    (unless running?
      (set! running? #t)
      (mark "C")
      (flush-output terminal)))

  (define (open-source port)
    (port-count-lines! port)
    (set! source port))

  (define (forget)
    (when source
      (close-input-port source)
      (set! source #f)))

  (define (fetch)
    ;; The next form of the source; eof when there is none. The stack of a syntax error has no function of this script.
    (define (bare e) (exn:fail:read (exn-message e) (continuation-marks #f) (exn:fail:read-srclocs e)))
    (define form
      (with-handlers ([(lambda (e) (and (exn:fail:read? e) (not (exn:fail:read:eof? e))))
                       (lambda (e) (raise (bare e)))])
        (if source ((current-read-interaction) (object-name source) source) eof)))
    (when (eof-object? form)
      (forget))
    form)

  (define (take-line in)
    ;; The first form of the next line, and of more lines while it is incomplete.
    (let more ([text (read-line in)])
      (when (eof-object? text)
        (exit))
      (open-source (open-input-string text 'stdin))
      (define form
        (with-handlers ([exn:fail:read:eof? (lambda (_) more)])
          (fetch)))
      (cond
        [(eq? form more)
         (mark "F")
         (mark "G")
         (flush-output terminal)
         (define next (read-line in))
         (more (if (eof-object? next) next (string-append text "\n" next)))]
        [else form])))

  (define (block-path form)
    (define datum (and (syntax? form) (syntax->datum form)))
    (and (pair? datum) (eq? (car datum) 'load) (pair? (cdr datum)) (string? (cadr datum))
         (regexp-match? #rx"/[.]ripple-exec-" (cadr datum))
         (cadr datum)))

  (define (read-command)
    (unless (eqv? status 0) ; there was an error: the rest is void
      (forget))
    (let again ([form (fetch)])
      (cond
        [(eof-object? form)
         (announce)
         (let* ([form (take-line (current-input-port))]
                [path (block-path form)])
           (when path
             (open-source (open-input-file path)))
           (again (if path (fetch) form)))]
        [else
         (executes)
         form])))

  (define (observed display)
    (lambda (message exn)
      (when (eq? (current-thread) main)
        (set! status (if (exn:break? exn) 130 1)))
      (display message exn)))

  (error-display-handler (observed (error-display-handler)))
  (current-prompt-read read-command))
