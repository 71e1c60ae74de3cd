-- Announces the prompts of lua's own REPL with OSC 633. From Lua 5.4 on it calls tostring for a prompt; the
-- markers are for the REPL only, which nothing in Lua has called, so that a program may print what is in _G.
local function mark(code)
  return "\27]633;" .. code .. ";{nonce}\a"
end

-- A block of several lines is one chunk; the value of an expression at its end is shown, as the REPL does.
local function run(path)
  local file = assert(io.open(path, "rb"))
  local text = file:read("a")
  file:close()
  local head, last = text:match("^(.*\n)(%s*%S[^\n]*)%s*$")
  local whole, message = load("return " .. text, "=stdin")
  if not whole then
    whole, message = load(text, "=stdin")
    -- Without a name at its start the last line may go on from the line before.
    if last and load(head, "=stdin") and (not whole or last:find("^%s*[%a_]")) then
      whole = load(head .. "return " .. last, "=stdin") or whole
    end
  end
  if whole then
    return whole()
  end
  io.stderr:write(message, "\n")
end

local getinfo, setmetatable, tostring = debug.getinfo, setmetatable, tostring

local function prompt(text, before, after)
  if _VERSION < "Lua 5.4" then
    return before .. text .. after
  end
  return setmetatable({run = run}, {__tostring = function()
    return getinfo(3, "l") and text or before .. text .. after
  end})
end

-- If the terminal echoes, because a command has turned the echo on, readline shows only the part of a prompt that it takes to fit
-- on the line. It does not count what is between \1 and \2.
local open, close = "", ""
local maps = io.open("/proc/self/maps")
if maps then
  if maps:read("a"):find("/libreadline.so", 1, true) then
    open, close = "\1", "\2"
  end
  maps:close()
end

local function uncounted(marks)
  return open .. marks .. close
end

_PROMPT = prompt("> ", uncounted(mark("D") .. mark("A")), uncounted(mark("B")))
_PROMPT2 = prompt(">> ", uncounted(mark("F")), uncounted(mark("G")))
arg = {[0] = arg[-2]}
