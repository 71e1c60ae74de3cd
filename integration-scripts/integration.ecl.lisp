;;; ripple's OSC 633 integration for ECL, loaded with -load.
;;;
;;; Standard input becomes a stream that hands out lines. When the loop wants a command and there is nothing left
;;; of the last line, the stream announces the prompt: D P A prompt B, then comes the line, then C. So an empty
;;; line gets a prompt, and two forms on one line get one. A staged block is handed out as if it had been typed.

(make-package "RIPPLE" :use '("COMMON-LISP"))
(in-package "RIPPLE")

(defvar *in* *standard-input*)
(defvar *out* *standard-output*)
(defvar *text* "") ; what was read and not handed out
(defvar *at* 0)
(defvar *prompt* nil) ; of the loop, when it wants a command
(defvar *level* 0) ; of the debugger, at the last prompt

(defun level ()
  (- si::*tpl-level* si::*step-level*))

(defun mark (&rest parts)
  (format *out* "~C]633;~{~A~};{nonce}~C" (code-char 27) parts (code-char 7)))

(defun directory-path ()
  "The file names of older versions are the bytes, one character each."
  (let ((path (namestring (ext:getcwd))))
    (handler-case (read-line (ext:make-sequence-input-stream (map '(vector (unsigned-byte 8)) #'char-code path)
                                                             :external-format :utf-8))
      (error () path))))

(defun escaped (text)
  (with-output-to-string (out)
    (loop for c across text
          do (cond ((char= c #\\) (write-string "\\\\" out))
                   ((or (char< c #\Space) (find c '(#\; #\Rubout))) (format out "\\x~(~2,'0X~)" (char-code c)))
                   (t (write-char c out))))))

(defun announce ()
  (let ((path (ignore-errors (string-right-trim "/" (escaped (directory-path)))))
        (*print-base* 10) (*print-radix* nil) (*print-pretty* nil))
    (mark "D")
    (when path
      (mark "P;Cwd=" (if (equal path "") "/" path)))
    (mark "A")
    (write-string *prompt* *out*)
    (mark "B")
    (finish-output *out*)))

(defun idle-p (line)
  (let ((c (find #\Space line :test #'char/=)))
    (or (null c) (char= c #\;))))

(defun block-path (line)
  (let ((start (search "(cl:load \"" line)) (end (search "\")" line :from-end t)))
    (and (eql start 0) end (search "/.ripple-exec-" line)
         (subseq line (length "(cl:load \"") end))))

(defun contents (path)
  (with-open-file (file path :external-format :utf-8)
    (with-output-to-string (out)
      (loop for line = (read-line file nil) while line do (write-line line out)))))

(defun fill-text ()
  "Reads the next line; false at the end of input."
  (loop
    (when *prompt*
      (announce))
    (let ((line (read-line *in* nil)))
      (unless line
        (return nil))
      (unless (and *prompt* (idle-p line))
        (let ((path (and *prompt* (block-path line))))
          (when *prompt*
            (mark "C")
            (finish-output *out*))
          (setf *prompt* nil *at* 0
                *text* (if path (contents path) (format nil "~A~%" line))))
        (return t)))))

(defun prompt (text)
  "The loop wants a command."
  (finish-output *standard-output*)
  (let ((level (level)))
    (when (> level *level*) ; there was an error: the rest is void
      (setf *text* "" *at* 0))
    (setf *level* level *prompt* text)))

(defclass lines (gray:fundamental-character-input-stream) ())

(defun next-char (advance)
  (if (or (< *at* (length *text*)) (fill-text))
      (prog1 (char *text* *at*)
        (when advance (incf *at*)))
      :eof))

(defmethod gray:stream-read-char ((stream lines)) (next-char t))
(defmethod gray:stream-peek-char ((stream lines)) (next-char nil))
(defmethod gray:stream-unread-char ((stream lines) c) (declare (ignore c)) (decf *at*) nil)
(defmethod gray:stream-listen ((stream lines)) (or (< *at* (length *text*)) (listen *in*)))
(defmethod gray:stream-clear-input ((stream lines)) (setf *text* "" *at* 0) nil)
(defmethod gray:stream-read-line ((stream lines))
  (if (or (< *at* (length *text*)) (fill-text))
      (let ((end (or (position #\Newline *text* :start *at*) (length *text*))))
        (multiple-value-prog1 (values (subseq *text* *at* end) nil)
          (setf *at* (min (length *text*) (1+ end)))))
      (values "" t)))

(setf si::*tpl-prompt-hook*
      (lambda ()
        (fresh-line)
        (prompt (format nil "~A~V,,,'>A " (if (eq *package* (find-package "CL-USER")) "" (package-name *package*)) (1+ (level)) ""))))

(setf *standard-input* (make-instance 'lines)
      *debug-io* (make-two-way-stream *standard-input* *standard-output*)
      *query-io* *debug-io*)
(in-package "COMMON-LISP-USER")
