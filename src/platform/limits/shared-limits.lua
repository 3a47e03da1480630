-- The limits that all processes of the service share, in Valkey or Redis: exact sliding windows, and waits after failures.
-- KEYS: the keys of the operations, one after the other. ARGV: the lease in microseconds, then the operations, as
-- limit-operations.ts writes them. Returns the moment of the call, in microseconds, and then the numbers of each operation.
--
-- A window is a list c0 t1 c1 t2 c2 …: entry i counts from the moment ti on, for the ci - c(i-1) requests admitted with it.
-- Requests admitted at one moment share an entry. Expired entries are cut off at the head in one piece. The number of
-- requests in the window is the last c less the first.
-- Invariant: the moments of a list grow, and no admission is used after the moment of its entry. No moment is further ahead
-- of this server's clock than the lease: if the clock was set back or an old state restored, moments are moved back to it.

local clock = redis.call('TIME')
local now = clock[1] * 1000000 + clock[2]
local latest = now + tonumber(ARGV[1])
local answer = { now }
local keysRead, wordsRead = 0, 1

local function nextKey()
  keysRead = keysRead + 1
  return KEYS[keysRead]
end

local function nextNumber()
  wordsRead = wordsRead + 1
  return tonumber(ARGV[wordsRead])
end

local function say(number)
  answer[#answer + 1] = number
end

-- tostring would round a moment to 14 digits.
local function digits(number)
  return string.format('%.0f', number)
end

local function momentOf(key, entry)
  return tonumber(redis.call('LINDEX', key, 2 * entry - 1))
end

local function countUpTo(key, entry)
  return tonumber(redis.call('LINDEX', key, 2 * entry))
end

-- Binary search: the first entry from `from` to `to` for which `holds` is true. It is true for all later ones, too. If it is
-- true for no entry, the result is to + 1.
local function firstEntry(from, to, holds)
  while from <= to do
    local middle = math.floor((from + to) / 2)
    if holds(middle) then to = middle - 1 else from = middle + 1 end
  end
  return from
end

-- Cuts expired entries off and returns the rest of the window. `length` is in microseconds.
local function openWindow(key, length)
  local window = { key = key, length = length, entries = 0, before = 0, first = 0, firstUpTo = 0, last = 0, upTo = 0 }
  local entries = math.floor(redis.call('LLEN', key) / 2)
  if entries == 0 then return window end
  local head = redis.call('LRANGE', key, 0, 2)
  if tonumber(head[2]) <= now - length then
    local left = firstEntry(2, entries, function(entry) return momentOf(key, entry) > now - length end) - 1
    if left == entries then
      redis.call('DEL', key)
      return window
    end
    redis.call('LTRIM', key, 2 * left, -1)
    entries = entries - left
    head = redis.call('LRANGE', key, 0, 2)
  end
  local tail = entries == 1 and { head[2], head[3] } or redis.call('LRANGE', key, -2, -1)
  if tonumber(tail[1]) > latest then
    entries = firstEntry(1, entries, function(entry) return momentOf(key, entry) >= latest end)
    redis.call('LTRIM', key, 0, 2 * entries - 2)
    redis.call('RPUSH', key, digits(latest), tail[2])
    redis.call('PEXPIRE', key, math.ceil((latest - now + length) / 1000))
    tail[1] = latest
    if entries == 1 then head = { head[1], latest, tail[2] } end
  end
  window.entries, window.before = entries, tonumber(head[1])
  window.first, window.firstUpTo = tonumber(head[2]), tonumber(head[3])
  window.last, window.upTo = tonumber(tail[1]), tonumber(tail[2])
  return window
end

local function used(window)
  return window.upTo - window.before
end

local function add(window, count, moment)
  local key = window.key
  window.upTo = window.upTo + count
  if window.entries > 0 and moment <= window.last then
    redis.call('LSET', key, -1, digits(window.upTo))
    if window.entries == 1 then window.firstUpTo = window.upTo end
  else
    if window.entries == 0 then
      redis.call('RPUSH', key, '0', digits(moment), digits(window.upTo))
      window.first, window.firstUpTo = moment, window.upTo
    else
      redis.call('RPUSH', key, digits(moment), digits(window.upTo))
    end
    window.entries, window.last = window.entries + 1, moment
  end
  redis.call('PEXPIRE', key, math.ceil((window.last - now + window.length) / 1000))
end

-- Microseconds until `count` requests have expired; 0 if the window is empty or none has to expire.
local function untilLeft(window, count)
  if count <= 0 or used(window) == 0 then return 0 end
  local wanted = math.min(count, used(window)) + window.before
  local moment = window.first
  if window.firstUpTo < wanted then
    moment = momentOf(window.key, firstEntry(2, window.entries, function(entry)
      return countUpTo(window.key, entry) >= wanted
    end))
  end
  return moment + window.length - now
end

-- Uncounts `count` requests of the newest entry that is not later than `moment`. The caller must open the window again.
local function giveBack(window, moment, count)
  local key, entry = window.key, window.entries
  if entry == 0 then return end
  if moment < window.last then
    entry = firstEntry(1, entry, function(each) return momentOf(key, each) > moment end) - 1
    if entry == 0 then return end
  end
  local before = entry == 1 and window.before or countUpTo(key, entry - 1)
  local rest = redis.call('LRANGE', key, 2 * entry - 1, -1)
  count = math.min(count, rest[2] - before)
  redis.call('LTRIM', key, 0, 2 * entry - 2)
  for place = 1, #rest, 2 do
    local upTo = rest[place + 1] - count
    if upTo > before then redis.call('RPUSH', key, rest[place], digits(upTo)) end
    before = upTo
  end
  if redis.call('LLEN', key) == 1 then redis.call('DEL', key) end
end

-- The failures of a name or person. Stored as "count waitUntil last", with moments in microseconds.
local function openFailures(key, waitMax, forgetAfter)
  local text = redis.call('GET', key) or ''
  local count, waitUntil, last = string.match(text, '^(%d+) (%d+) (%d+)$')
  local failures = { count = tonumber(count or 0), waitUntil = tonumber(waitUntil or 0), last = tonumber(last or 0) }
  failures.last = math.min(failures.last, now)
  failures.waitUntil = math.min(failures.waitUntil, now + waitMax)
  if failures.last + forgetAfter < now then failures.count, failures.waitUntil = 0, 0 end
  return failures
end

local function failuresText(failures)
  return digits(failures.count) .. ' ' .. digits(failures.waitUntil) .. ' ' .. digits(failures.last)
end

local operations = {}

-- Admits `wanted` requests in every window, or in none if one window has fewer left. Reserves up to `reserved` more if plenty
-- is left. isPartial: admits as many as fit. isInTurn: the windows before the one that refuses keep their count.
function operations.take()
  local windowCount, wanted, reserved = nextNumber(), nextNumber(), nextNumber()
  local isPartial, isInTurn = nextNumber() == 1, nextNumber() == 1
  local windows, admitted, refused = {}, wanted, 0
  for place = 1, windowCount do
    local key, length, limit, returned = nextKey(), nextNumber(), nextNumber(), nextNumber()
    local window = openWindow(key, length)
    if returned > 0 then
      giveBack(window, returned, 1)
      window = openWindow(key, length)
    end
    window.limit = limit
    windows[place] = window
    local left = math.max(0, limit - used(window))
    if left < admitted and (refused == 0 or isPartial) then
      refused, admitted = place, isPartial and left or 0
    end
  end
  if refused > 0 then reserved = 0 end
  for _, window in ipairs(windows) do
    reserved = math.max(0, math.min(reserved, math.floor((window.limit - used(window) - admitted) / 10)))
  end
  for place, window in ipairs(windows) do
    local count = (isInTurn and place < refused) and wanted or admitted
    window.moment = 0
    if count > 0 then
      add(window, count, now)
      window.moment = window.last
    end
    if reserved > 0 then add(window, reserved, latest) end
  end
  say(admitted)
  say(reserved)
  say(refused)
  local short = windows[refused]
  local needed = short and math.min(isPartial and 1 or wanted, short.limit) or 0
  say(short and untilLeft(short, used(short) + needed - short.limit) or 0)
  for _, window in ipairs(windows) do
    say(used(window))
    say(untilLeft(window, math.max(1, used(window) + 1 - window.limit)))
    say(window.moment)
  end
end

function operations.back()
  for _ = 1, nextNumber() do
    local window = openWindow(nextKey(), nextNumber())
    giveBack(window, nextNumber(), nextNumber())
  end
end

-- Counts a try as a failure before its check, by all names and networks, unless one of them has to wait.
function operations.try()
  local failuresCount, windowCount = nextNumber(), nextNumber()
  local waits, pairs, windows, isHeld = {}, {}, {}, false
  for place = 1, failuresCount do
    local key, free, waitMax, forgetAfter = nextKey(), nextNumber(), nextNumber(), nextNumber()
    local failures = openFailures(key, waitMax, forgetAfter)
    failures.key, failures.free, failures.waitMax, failures.forgetAfter = key, free, waitMax, forgetAfter
    failures.wait = math.max(0, failures.waitUntil - now)
    isHeld = isHeld or failures.wait > 0
    pairs[place] = failures
  end
  for place = 1, windowCount do
    local window = openWindow(nextKey(), nextNumber())
    window.wait = math.max(0, untilLeft(window, used(window) + 1 - nextNumber()))
    window.moment = 0
    isHeld = isHeld or window.wait > 0
    windows[place] = window
  end
  if not isHeld then
    for _, failures in ipairs(pairs) do
      failures.count, failures.last = failures.count + 1, now
      local beyond = failures.count - failures.free
      local wait = beyond < 0 and 0 or math.min(failures.waitMax, 2 ^ math.min(beyond, 30) * 1000000)
      failures.waitUntil = now + wait
      local keptFor = math.max(failures.forgetAfter, wait)
      redis.call('SET', failures.key, failuresText(failures), 'PX', math.ceil(keptFor / 1000))
    end
    for _, window in ipairs(windows) do
      add(window, 1, now)
      window.moment = window.last
    end
  end
  say(isHeld and 0 or 1)
  for _, failures in ipairs(pairs) do
    say(failures.wait)
    say(failures.count)
  end
  for _, window in ipairs(windows) do
    say(window.wait)
    say(window.moment)
  end
end

-- Uncounts a try that succeeded or could not be checked. Also ends the wait it caused, unless other tries failed since.
function operations.undo()
  for _ = 1, nextNumber() do
    local key, free, waitMax, forgetAfter = nextKey(), nextNumber(), nextNumber(), nextNumber()
    local count, last = nextNumber(), nextNumber()
    local failures = openFailures(key, waitMax, forgetAfter)
    local isNewest = failures.count == count and failures.last == last
    failures.count = failures.count - 1
    if isNewest or failures.count < free then failures.waitUntil = 0 end
    if failures.count > 0 then redis.call('SET', key, failuresText(failures), 'KEEPTTL')
    else redis.call('DEL', key) end
  end
end

function operations.forget()
  for _ = 1, nextNumber() do redis.call('DEL', nextKey()) end
end

while wordsRead < #ARGV do
  wordsRead = wordsRead + 1
  operations[ARGV[wordsRead]]()
end
return answer
