;;; ripple's OSC 633 integration for SBCL, loaded with --load.
;;;
;;; The main prompt and the debugger's announce themselves: D P A prompt B, then comes the line, then C. Input
;;; is taken by lines: a line, or a staged block, is read to its end, form by form, before the next prompt. So
;;; an empty line gets a prompt, two forms on one line get one, and (read-line) waits for a line of its own.

(make-package "RIPPLE" :use '("COMMON-LISP"))
(in-package "RIPPLE")

;; Marks go to the terminal by a stream of their own: they take no column of *standard-output*, and nothing
;; that is bound or redirected moves them.
(defvar *terminal* (sb-sys:make-fd-stream 1 :output t :buffering :full :external-format :utf-8))
(defvar *reader* sb-int:*repl-read-form-fun*)
(defvar *source* nil) ; the rest of the line or block
(defvar *depth* 0) ; the debugger's level where it was typed
(defvar *ready* nil) ; the next form of it, in a list
(defvar *running* nil) ; C was sent
(defvar *level* 0) ; at the last prompt,
(defvar *condition* nil) ; and what was being debugged there

(defun mark (&rest parts)
  (format *terminal* "~C]633;~{~A~};{nonce}~C" (code-char 27) parts (code-char 7)))

(defun directory-path ()
  (let ((here (sb-ext:parse-native-namestring (sb-unix:posix-getcwd) nil *default-pathname-defaults* :as-directory t)))
    (string-right-trim "/" (sb-ext:native-namestring (merge-pathnames *default-pathname-defaults* here)))))

(defun escaped (text)
  (with-output-to-string (out)
    (loop for c across text
          do (cond ((char= c #\\) (write-string "\\\\" out))
                   ((or (char< c #\Space) (find c '(#\; #\Rubout))) (format out "\\x~(~2,'0X~)" (char-code c)))
                   (t (write-char c out))))))

(defun status ()
  "1 or 130 when the last command has brought up the debugger, for good."
  (let* ((level sb-debug::*debug-command-level*)
         (condition (and (plusp level) sb-debug::*debug-condition*))
         (old (or (< level *level*) (eq condition *condition*))))
    (setf *level* level *condition* condition)
    (cond (old 0)
          ((typep condition 'sb-sys:interactive-interrupt) 130)
          (t 1))))

(defun announce (prompt out)
  (fresh-line out)
  (finish-output out)
  (let ((path (ignore-errors (escaped (directory-path))))
        (*print-base* 10) (*print-radix* nil) (*print-pretty* nil))
    (mark "D;" (status))
    (when path
      (mark "P;Cwd=" (if (equal path "") "/" path)))
    (mark "A")
    ;; Not to OUT, whose column stays 0 so: the line that is typed will have moved the cursor there.
    (write-string (with-output-to-string (text) (funcall prompt text)) *terminal*)
    (mark "B"))
  (finish-output *terminal*)
  (setf *running* nil))

(defun executes ()
  (unless *running*
    (setf *running* t)
    (mark "C")
    (finish-output *terminal*)))

(defun forget ()
  (setf *source* nil *ready* nil)) ; not closed: a restart of a reader error may read on

(defun fetch ()
  "Makes the next form of the source ready; false when there is none."
  (unless (= *depth* sb-debug::*debug-command-level*) ; there was an error: the rest is void
    (forget))
  (when (and *source* (not *ready*))
    (let ((form (read *source* nil *source*)))
      (if (eq form *source*)
          (forget)
          (setf *ready* (list form)))))
  *ready*)

(defun open-source (stream)
  (setf *source* stream *ready* nil *depth* sb-debug::*debug-command-level*))

(defun take-line (in eof)
  "Reads a line, and more of them while a form is incomplete."
  (let ((text (read-line in nil)))
    (loop
      (unless text
        (return (funcall eof)))
      (open-source (make-string-input-stream text))
      (handler-case (return (fetch))
        (end-of-file (e)
          (unless (eq (stream-error-stream e) *source*)
            (error e))))
      (mark "F")
      (mark "G")
      (finish-output *terminal*)
      (let ((more (read-line in nil)))
        (setf text (and more (format nil "~A~%~A" text more)))))))

(defun block-path (form)
  (and (consp form) (eq (first form) 'load) (consp (rest form)) (stringp (second form))
       (search "/.ripple-exec-" (second form))
       (second form)))

(defun contents (path)
  (with-open-file (file path :external-format :utf-8)
    (with-output-to-string (out)
      (loop for line = (read-line file nil) while line do (write-line line out)))))

(defun next (prompt in out eof)
  (loop until (fetch)
        do (announce prompt out)
           (take-line in eof)
           (let ((path (block-path (first *ready*))))
             (when path
               (open-source (make-string-input-stream (contents path))))))
  (executes)
  (pop *ready*))

(defun read-command ()
  (if (eq sb-int:*repl-read-form-fun* *reader*)
      (next sb-int:*repl-prompt-fun* *standard-input* *standard-output* #'sb-ext:exit)
      (progn ; the user's own
        (announce sb-int:*repl-prompt-fun* *standard-output*)
        (multiple-value-prog1 (funcall sb-int:*repl-read-form-fun* *standard-input* *standard-output*)
          (executes)))))

(defun repl (noprint)
  (loop
    (unwind-protect
         (let ((values (multiple-value-list (sb-impl::interactive-eval (read-command)))))
           (unless noprint
             (dolist (value values)
               (fresh-line)
               (prin1 value))))
      (sb-impl::disable-stepping))))

(defun debugger-prompt (out)
  ;; As SBCL's, which leaves out the first level.
  (format out "~D[~D] " (sb-di:frame-number sb-debug::*current-frame*) sb-debug::*debug-command-level*))

(setf sb-impl::*repl-fun-generator* (lambda () #'repl))
(sb-int:encapsulate 'sb-debug::debug-prompt 'ripple (lambda (original out) (declare (ignore original out))))
(sb-int:encapsulate 'sb-debug::debug-read 'ripple
  (lambda (original in eof-restart)
    (declare (ignore original))
    (next #'debugger-prompt in in (lambda () (invoke-restart eof-restart)))))

(in-package "COMMON-LISP-USER")
(delete-package "RIPPLE")
