# Reads a cask as Homebrew does on a system and a processor (ruby cask.rb macos arm FILE): what it
# says there, as JSON. A stanza that is not in Homebrew's Cask Cookbook is an error.
require "json"

class Cask
  TEXT = %i[version sha256 url name desc homepage binary manpage bash_completion zsh_completion fish_completion].freeze
  SEVERAL = %i[name binary manpage].freeze
  attr_reader :said

  def initialize(token, os, cpu)
    @os, @cpu, @said = os, cpu, { cask: [token] }
  end

  TEXT.each do |stanza|
    define_method(stanza) do |text|
      raise "#{stanza} #{text.inspect}: a text is expected" unless text.is_a?(String) && !text.empty?
      raise "#{stanza} stands twice" if @said[stanza] && !SEVERAL.include?(stanza)
      raise "sha256 #{text}: 64 digits are expected" if stanza == :sha256 && text !~ /\A[0-9a-f]{64}\z/
      raise "#{stanza} #{text}: https is expected" if %i[url homepage].include?(stanza) && text !~ %r{\Ahttps://}
      (@said[stanza] ||= []) << text
    end
  end

  # goreleaser writes its addresses with the version left open.
  def version(*text)
    text.empty? ? @said[:version].first : @said[:version] = text
  end

  def livecheck; end
  def on_macos; yield if @os == "macos"; end
  def on_linux; yield if @os == "linux"; end
  def on_arm; yield if @cpu == "arm"; end
  def on_intel; yield if @cpu == "intel"; end
end

os, cpu, file = ARGV
define_method(:cask) do |token, &block|
  one = Cask.new(token, os, cpu)
  one.instance_eval(&block)
  puts JSON.generate(one.said)
end
load file
