# Announces pry's prompts with OSC 633: pry asks this input for its lines. The prompt tells the primary one from
# the others by a byte in front.
lambda do |here|
  key = ";{nonce}\a"
  terminal = IO.for_fd(1, "w", autoclose: false)
  terminal.sync = true
  mark = ->(code, argument = "") { "\e]633;#{code}#{argument}#{key}" }
  quoted = ->(c) { c == "\\" ? "\\\\" : format("\\x%02x", c.ord) }

  directory = lambda do
    mark["P", ";Cwd=" + Dir.pwd.b.gsub(/[\\;\x00-\x1f\x7f]/n, &quoted).force_encoding("UTF-8")]
  rescue SystemCallError
    "" # it was removed
  end

  input = Object.new
  input.define_singleton_method(:readline) do |prompt|
    [$stdout, STDOUT, $stderr].each { |out| out.flush rescue nil }
    text = prompt.delete_prefix("\0")
    terminal.write(
      text == prompt ? mark["F"] + text + mark["G"] : mark["D"] + directory.call + mark["A"] + text + mark["B"]
    )
    line = STDIN.gets
    # A block of several lines comes in a file, and is run as if it were typed.
    path = line && line[/\Aload "(.*\/\.ripple-exec-[^"]*)"$/, 1]
    line = File.read(path, encoding: "UTF-8") if path
    line && line.chomp
  end
  Pry.config.input = input
  Pry.config.history_save = false # commands sent by a program do not belong in the history of the user

  Pry.prepend(Module.new do
    define_method(:select_prompt) do
      $LOADED_FEATURES.delete(here)
      text = super()
      eval_string.empty? ? "\0#{text}" : text
    end
  end)
end.call(__FILE__)
