-- A read-eval loop for LuaJIT that announces its prompts with OSC 633, in place of the built-in one, which cuts
-- lines at 512 bytes. Steps for each command: D P A prompt B, read, C, run.
local ffi = require("ffi")
ffi.cdef([[
  void *ripple_signal(int, void *) __asm__("signal");
  char *ripple_getcwd(char *, size_t) __asm__("getcwd");
]])

-- LuaJIT's handler for Ctrl-C works once and then restores the default action, so it is installed again.
local signal, getcwd, ignored = ffi.C.ripple_signal, ffi.C.ripple_getcwd, ffi.cast("void *", 1)
local interrupt = signal(2, ignored)
local string_of = ffi.string
local buffer = ffi.new("char[4096]")

local stdin, stdout, stderr, open = io.stdin, io.stdout, io.stderr, io.open
local loadstring, xpcall, traceback, tostring, select, unpack = loadstring, xpcall, debug.traceback, tostring, select, unpack
local char, format, gsub, find, match, sub = string.char, string.format, string.gsub, string.find, string.match, string.sub
local os_exit, global, type, getmetatable = os.exit, _G, type, getmetatable

local function mark(code)
  return "\27]633;" .. code .. ";{nonce}\a"
end

local function directory()
  if getcwd(buffer, 4096) == nil then
    return "" -- it was removed
  end
  return mark("P;Cwd=" .. gsub(string_of(buffer), "[\\;%c]", function(c)
    return c == "\\" and "\\\\" or format("\\x%02x", c:byte())
  end))
end

-- Code that gives the values of an expression. Not in a tail call, where an error would not know its line.
local function valued(expression)
  return "return (function(...) return ... end)(" .. expression .. "\n)"
end

local function compile(text)
  text = gsub(text, "^=", "return ")
  local chunk, message = loadstring(valued(text), "=stdin")
  if not chunk then
    chunk, message = loadstring(text, "=stdin")
  end
  return chunk, message
end

-- A block of several lines comes in a file and is one chunk; the value of an expression at its end is shown.
local function block(line)
  local path = match(line, '^dofile%("(.*/%.ripple%-exec%-[^"]*)"%)\n$')
  if not path then
    return nil
  end
  local file = open(path, "rb")
  local text = file:read("*a")
  file:close()
  local chunk, message = compile(text)
  local head, last = match(text, "^(.*\n)(%s*%S[^\n]*)%s*$")
  -- Without a name at its start the last line may go on from the line before.
  if last and loadstring(head, "=stdin") and (not chunk or find(last, "^%s*[%a_]")) then
    chunk = loadstring(head .. valued(last), "=stdin") or chunk
  end
  return chunk, message
end

local function failure(message)
  if type(message) ~= "string" then
    local meta = getmetatable(message)
    message = type(meta) == "table" and meta.__tostring and tostring(message)
      or format("(error object is a %s value)", type(message))
  end
  return (gsub(traceback(message, 2), "\n%s*%[C%]: in function 'xpcall'.*", "\n\t[C]: ?"))
end

local function complain(text)
  stderr:write(text, "\n")
  stderr:flush()
  return 1
end

local function finish(ok, ...)
  if not ok then
    return complain((...))
  elseif select("#", ...) > 0 then
    local values = {n = select("#", ...), ...}
    local shown, message = xpcall(global.print, tostring, unpack(values, 1, values.n))
    if not shown then
      return complain("error calling 'print' (" .. message .. ")")
    end
  end
  return 0
end

local function read()
  local line = stdin:read("*L")
  if not line then
    stdout:write("\n")
    os_exit(0)
  end
  local chunk, message = block(line)
  if chunk or message then
    return chunk, message
  end
  chunk, message = compile(line)
  while not chunk and match(message, "'<eof>'$") do
    stdout:write(mark("F"), ">> ", mark("G"))
    stdout:flush()
    local more = stdin:read("*L")
    if not more then
      break -- what is missing is an error
    end
    line = line .. more
    chunk, message = compile(line)
  end
  return chunk, message
end

arg = {[0] = arg[-1]}
local status = 0
while true do
  stdout:write(mark("D;" .. status), directory(), mark("A"), "> ", mark("B"))
  stdout:flush()
  local chunk, message = read()
  stdout:write(mark("C"))
  stdout:flush()
  if chunk then
    signal(2, interrupt)
    status = finish(xpcall(chunk, failure))
    signal(2, ignored)
  else
    status = complain(message)
  end
end
