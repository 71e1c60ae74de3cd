# Announces irb's prompts with OSC 633. Every context, also those of `irb obj` and binding.irb, gets an input
# method of this script instead of a line editor. The primary prompt begins with a byte that the others lack.
lambda do |here|
  key = ";{nonce}\a"
  status = 0
  terminal = IO.for_fd(1, "w", autoclose: false)
  terminal.sync = true

  mark = ->(code, argument = "") { "\e]633;#{code}#{argument}#{key}" }

  directory = lambda do
    path = Dir.pwd.b.gsub(/[\\;\x00-\x1f\x7f]/n) { |c| c == "\\" ? "\\\\" : format("\\x%02x", c.ord) }
    mark["P", ";Cwd=" + path.force_encoding("UTF-8")]
  rescue SystemCallError
    "" # it was removed
  end

  announced = lambda do |prompt|
    if prompt.delete_prefix!("\0")
      code, status = status, 0
      mark["D", ";#{code}"] + directory.call + mark["A"] + prompt + mark["B"]
    else
      mark["F"] + prompt + mark["G"]
    end
  end

  input = Class.new(IRB::StdioInputMethod) do
    define_method(:gets) do
      [$stdout, STDOUT, $stderr].each { |out| out.flush rescue nil }
      terminal.write(announced[@prompt.dup])
      line = @stdin.gets
      # A block of several lines comes in a file, and is run as if it were typed.
      path = line && line[/\Aload "(.*\/\.ripple-exec-[^"]*)"$/, 1]
      if path
        line = File.read(path, encoding: "UTF-8").chomp + "\n"
        line += ";\n" if line.match?(/^\s*#.*\n\z/) # irb 1 waits for what follows a last comment
      end
      @line[@line_no += 1] = line
    end

    define_method(:eof?) { false }
  end

  IRB::Context.prepend(Module.new do
    define_method(:initialize) do |irb, workspace = nil, from = nil, *rest|
      $LOADED_FEATURES.delete(here)
      super(irb, workspace, from || input.new, *rest)
    end
    define_method(:prompt_i) { "\0#{super()}" }
  end)

  IRB::Irb.prepend(Module.new do
    define_method(:handle_exception) do |error|
      status = error.is_a?(IRB::Abort) || error.is_a?(Interrupt) ? 130 : 1
      super(error)
    end
  end)
end.call(__FILE__)
