-- What wrk asks of the server, and what it counts: statuses, refusals without Retry-After, latencies.
-- wrk --script load.lua URL -- FILE, where every line of FILE is the address of a request.

local threads = {}
local addresses = {}
local position = 0

function setup(thread)
  thread:set("number", #threads)
  table.insert(threads, thread)
end

function init(arguments)
  for line in io.lines(arguments[1]) do
    table.insert(addresses, line)
  end
  position = number * 7
  answered, refused, other, unexplained = 0, 0, 0, 0
end

function request()
  position = position + 1
  return wrk.format("GET", addresses[position % #addresses + 1])
end

function response(status, headers)
  if status == 200 then
    answered = answered + 1
  elseif status == 503 then
    refused = refused + 1
    if not (headers["retry-after"] or headers["Retry-After"]) then
      unexplained = unexplained + 1
    end
  else
    other = other + 1
  end
end

function done(summary, latency)
  local sums = { answered = 0, refused = 0, other = 0, unexplained = 0 }
  for _, thread in ipairs(threads) do
    for name in pairs(sums) do
      sums[name] = sums[name] + thread:get(name)
    end
  end
  local broken = summary.errors.connect + summary.errors.read + summary.errors.write + summary.errors.timeout
  io.write(string.format(
    '\nJSON {"seconds": %f, "answered": %d, "refused": %d, "other": %d, "unexplained": %d, "broken": %d, '
      .. '"p50_ms": %f, "p95_ms": %f, "p99_ms": %f, "max_ms": %f}\n',
    summary.duration / 1e6, sums.answered, sums.refused, sums.other, sums.unexplained, broken,
    latency:percentile(50) / 1000, latency:percentile(95) / 1000, latency:percentile(99) / 1000, latency.max / 1000))
end
