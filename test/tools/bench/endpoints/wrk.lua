-- Sends the requests of a file in turns, each of which ends with a NUL, and prints what came of them as a line of JSON.
local all = assert(io.open(os.getenv("REQUESTS"), "rb")):read("*a")
local requests = {}
for one in all:gmatch("([^%z]+)%z") do
  requests[#requests + 1] = one
end
local at = 0

function request()
  at = at % #requests + 1
  return requests[at]
end

function done(summary, latency)
  local errors = summary.errors
  io.write(string.format(
    '\n{"requests":%d,"microseconds":%d,"errors":%d,"median":%d,"p99":%d}\n',
    summary.requests, summary.duration,
    errors.connect + errors.read + errors.write + errors.status + errors.timeout,
    latency:percentile(50), latency:percentile(99)))
end
