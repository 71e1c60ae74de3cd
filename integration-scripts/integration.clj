;; ripple's OSC 633 integration for Clojure, loaded as `clojure -i THIS -e "(ripple/start)"`.
;;
;; It runs Clojure's own loop with a prompt that announces itself: D A prompt B, then comes the line, then C. Input
;; is taken by lines: a line, or a staged block, is read to its end, form by form, before the next prompt. So an
;; empty line gets a prompt, two forms on one line get one, and (read-line) waits for a line of its own.
(ns ripple
  (:require [clojure.main :as main] [clojure.repl :as repl])
  (:import [clojure.lang LineNumberingPushbackReader]
           [java.io FileDescriptor FileInputStream FileOutputStream InputStreamReader OutputStreamWriter PrintWriter Reader StringReader]))

(set! *warn-on-reflection* false)

(def ^FileOutputStream terminal (FileOutputStream. FileDescriptor/out))
(def source (atom nil)) ; the rest of the line or block
(def status (atom 0))
(def announced (atom false)) ; the prompt; C was not sent since
(def running (atom false)) ; there is a form to stop
(def interrupted (atom false)) ; an interrupt came between two forms
(def lock (Object.))

(defn write [& parts]
  (.write terminal (.getBytes ^String (apply str parts) "UTF-8")))

(defn mark [code] (str "\u001b]633;" code ";{nonce}\u0007"))

(defn forget []
  (when-let [^Reader r @source]
    (.close r))
  (reset! source nil))

(defn open-source [^Reader reader]
  (reset! source (LineNumberingPushbackReader. reader)))

(defn fetch
  "The next form of the source, in a vector; nil when there is none."
  []
  (when @source
    (let [form (read {:read-cond :allow :eof source} @source)]
      (if (identical? form source)
        (forget)
        [form]))))

(defn incomplete? [^Throwable e]
  (boolean (re-find #"EOF while reading" (str (.getMessage e)))))

(defn take-line
  "The first form of the next line, and of more lines while it is incomplete, in a vector; :end after the last line."
  []
  (loop [text (read-line)]
    (if-not text
      :end
      (let [form (do (open-source (StringReader. text))
                     (try (fetch)
                          (catch RuntimeException e
                            (if (incomplete? e) :more (throw e)))))]
        (if (= :more form)
          (do (write (mark "F") (mark "G"))
              (recur (when-let [more (read-line)] (str text "\n" more))))
          form)))))

(defn block-path [form]
  (when (and (seq? form) (= 'load-file (first form)) (string? (second form))
             (.contains ^String (second form) "/.ripple-exec-"))
    (second form)))

(defn end-of-command
  "From here on an interrupt has nothing to stop; one that is on its way is awaited."
  []
  (loop []
    (when-not (try (locking lock (reset! running false)) (Thread/interrupted) true
                   (catch ThreadDeath _ (reset! status 130) false))
      (recur))))

(defn prompt? []
  (end-of-command)
  (when-not (zero? @status) ; there was an error: the rest is void
    (forget))
  (nil? @source))

(defn prompt []
  (flush)
  (.flush System/out)
  (write (mark (str "D;" @status)) (mark "A") (ns-name *ns*) "=> " (mark "B"))
  (reset! status 0)
  (reset! announced true))

(defn execute [form]
  (when @announced
    (reset! interrupted false) ; it was the prompt's
    (write (mark "C"))
    (reset! announced false))
  (when (locking lock (reset! running true) @interrupted)
    (reset! interrupted false)
    (throw (ThreadDeath.)))
  form)

(defn read-command [request-prompt request-exit]
  (let [form (if @source (fetch) (take-line))]
    (cond
      (= :end form) request-exit
      (nil? form) request-prompt
      :else (if-let [path (block-path (first form))]
              (do (open-source (InputStreamReader. (FileInputStream. ^String path) "UTF-8"))
                  request-prompt)
              (execute (first form))))))

(defn caught [e]
  (reset! status (if (instance? ThreadDeath e) 130 1))
  (main/repl-caught e))

(defn interrupt [^Thread thread]
  (locking lock
    (if @running
      (try (.stop thread)
           (catch Throwable _ (.interrupt thread))) ; Java 20 and later
      (reset! interrupted true))))

(defn start []
  (let [out (OutputStreamWriter. System/out "UTF-8")
        err (PrintWriter. (OutputStreamWriter. System/err "UTF-8") true)
        in (LineNumberingPushbackReader. (InputStreamReader. System/in "UTF-8"))
        thread (Thread/currentThread)]
    (repl/set-break-handler! (fn [_] (interrupt thread)))
    (binding [*in* in *out* out *err* err]
      (loop []
        (when-not (try (main/repl :init #(apply require main/repl-requires)
                                  :need-prompt prompt?
                                  :prompt prompt
                                  :read read-command
                                  :caught caught)
                       true
                       (catch ThreadDeath _ (forget) (reset! status 130) false)) ; while it told of an error
          (recur))))
    (System/exit 0)))
