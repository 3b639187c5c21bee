-- What wrk has measured, as one line of JSON after its own words.
function done(summary, latency)
  local errors = summary.errors
  io.write(string.format(
    '\nsummary {"requests": %d, "microseconds": %d, "p50": %d, "p99": %d, "non2xx": %d, "broken": %d}\n',
    summary.requests, summary.duration, latency:percentile(50), latency:percentile(99), errors.status,
    errors.connect + errors.read + errors.write + errors.timeout))
end
