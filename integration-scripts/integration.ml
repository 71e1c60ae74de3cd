(* ripple's OSC 633 integration for the OCaml toplevel 4.08 and later, started as `ocaml -I +compiler-libs -init THIS`.
   The toplevel's own reader stays: it is given a prompt with marks. A line is longer than what the reader takes at
   once, so there is a prompt only where the line before has ended. *)
let () =
  let mark s = "\x1b]633;" ^ s ^ ";{nonce}\x07" in
  let escaped c =
    match c with
    | '\\' -> "\\\\"
    | ';' | '\x00' .. '\x1f' | '\x7f' -> Printf.sprintf "\\x%02x" (Char.code c)
    | _ -> String.make 1 c in
  let directory () =
    match Sys.getcwd () with
    | path -> mark ("P;Cwd=" ^ String.concat "" (List.map escaped (List.init (String.length path) (String.get path))))
    | exception Sys_error _ -> "" in
  let read = !Toploop.read_interactive_input in
  let between = ref true (* lines *) and blank = ref true (* is all of the phrase *) in
  Toploop.read_interactive_input := fun prompt buffer length ->
    if prompt = "# " then blank := true;
    let prompt =
      if not !between then ""
      else if !blank then mark "D" ^ directory () ^ mark "A" ^ "# " ^ mark "B"
      else mark "F" ^ prompt ^ mark "G" in
    between := true; (* also after an interrupt *)
    let count, _ as result = read prompt buffer length in
    let text = Bytes.sub_string buffer 0 count in
    between := count = 0 || text.[count - 1] = '\n';
    blank := !blank && String.trim text = "";
    result;;
