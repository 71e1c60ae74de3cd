;;; ripple's OSC 633 integration for CLISP (loaded with -i) and ABCL (with --load).
;;;
;;; The main prompt and the debugger's announce themselves: D P A prompt B, then comes the line, then C. Input
;;; is taken by lines: a line, or a staged block, is read to its end, form by form, before the next prompt. So
;;; an empty line gets a prompt, two forms on one line get one, and (read-line) waits for a line of its own.

(make-package "RIPPLE" :use '("COMMON-LISP"))
(in-package "RIPPLE")

(defvar *terminal* #+clisp *terminal-io* #-clisp *standard-output*)
(defvar *source* nil) ; the rest of the line or block
(defvar *depth* 0) ; the debugger's level where it was typed
(defvar *ready* nil) ; the next form of it, in a list
(defvar *running* nil) ; C was sent

(defun level ()
  #+clisp sys::*break-count*
  #+abcl ext:*debug-level*)

(defun mark (&rest parts)
  (format *terminal* "~C]633;~{~A~};{nonce}~C" (code-char 27) parts (code-char 7)))

(defun directory-path ()
  (namestring #+clisp (ext:default-directory) #-clisp (merge-pathnames *default-pathname-defaults*)))

(defun escaped (text)
  (with-output-to-string (out)
    (loop for c across text
          do (cond ((char= c #\\) (write-string "\\\\" out))
                   ((or (char< c #\Space) (find c '(#\; #\Rubout))) (format out "\\x~(~2,'0X~)" (char-code c)))
                   (t (write-char c out))))))

(defun announce (prompt)
  (fresh-line)
  (finish-output)
  (let ((path (ignore-errors (string-right-trim "/" (escaped (directory-path)))))
        (*print-base* 10) (*print-radix* nil) (*print-pretty* nil))
    (mark "D")
    (when path
      (mark "P;Cwd=" (if (equal path "") "/" path)))
    (mark "A")
    (write-string prompt *terminal*)
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
  (unless (= *depth* (level)) ; there was an error: the rest is void
    (forget))
  (when (and *source* (not *ready*))
    (let ((form (read *source* nil *source*)))
      (if (eq form *source*)
          (forget)
          (setf *ready* (list form)))))
  *ready*)

(defun open-source (stream)
  (setf *source* stream *ready* nil *depth* (level)))

(defun take-line (in eof commands)
  "Reads a line, and more of them while a form is incomplete. If COMMANDS knows it, gives what carries it out."
  (let ((text (read-line in nil)))
    (loop
      (unless text
        (return (funcall eof)))
      (let ((command (funcall commands text)))
        (when command
          (return command)))
      (open-source (make-string-input-stream text))
      (handler-case (return (progn (fetch) nil))
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
  (with-open-file (file path :external-format #+clisp charset:utf-8 #-clisp :utf-8)
    (with-output-to-string (out)
      (loop for line = (read-line file nil) while line do (write-line line out)))))

(defun next (prompt commands in eof)
  "The next form; or what carries out a command, and true."
  (loop until (fetch)
        do (announce prompt)
           (let* ((command (take-line in eof commands))
                  (path (block-path (first *ready*))))
             (when command
               (executes)
               (return-from next (values command t)))
             (when path
               (open-source (make-string-input-stream (contents path))))))
  (executes)
  (pop *ready*))

#+clisp
(defun command-in (commands)
  (lambda (line)
    (let* ((end (or (position #\Space line) (length line)))
           (command (find (subseq line 0 end) commands :key (lambda (c) (and (consp c) (car c))) :test #'equalp)))
      (and command (lambda () (funcall (cdr command) (subseq line end)))))))

#+clisp
(defun read-eval-print (prompt &optional commands)
  "Like CLISP's: true at the end of input. COMMANDS are pairs, and help in between."
  (multiple-value-bind (form command)
      (next prompt (command-in commands) *standard-input* (lambda () (return-from read-eval-print t)))
    (if command
        (funcall form)
        (let ((values (multiple-value-list (eval (setf - form)))))
          (setf +++ ++ ++ + + - /// // // / / values *** ** ** * * (first values))
          (fresh-line)
          (loop for (value . more) on values
                do (format t "~S~:[~; ;~%~]" value more))
          nil))))

#+clisp
(ext:without-package-lock ("SYSTEM")
  (setf (symbol-function 'sys::read-eval-print) #'read-eval-print))

#+abcl
(setf top-level::*repl-prompt-fun* (lambda (out) (declare (ignore out)))
      top-level::*repl-read-form-fun*
      (lambda (in out)
        (declare (ignore out))
        (loop
          (multiple-value-bind (form command)
              (next (with-output-to-string (text) (top-level::repl-prompt-fun text))
                    (lambda (line)
                      (and (> (length line) 1) (char= (char line 0) #\:) (lambda () (top-level::process-cmd line))))
                    in #'ext:quit)
            (unless command
              (incf top-level::*cmd-number*)
              (return form))
            (funcall form)))))

(in-package "COMMON-LISP-USER")
