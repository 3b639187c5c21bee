import type { HttpHeaders } from "../../../platform/http1/message/headers.ts";
import type { RunningTarget } from "../targets/running-models.ts";

const passed = new Set(["content-type", "accept", "user-agent", "openai-beta"]);
const passedPrefixes = ["anthropic-", "x-stainless-", "x-claude-code-"];

/** The headers of a request to a provider: a few of the caller's, then the provider's own. */
export function headersForProvider(headers: HttpHeaders, target: RunningTarget): HttpHeaders {
  const sent = headers.copy();
  sent.deleteWhere((name) => !isPassed(name));
  if (!sent.has("content-type")) sent.setOwn("content-type", "application/json");
  // The response must be readable.
  sent.setOwn("accept-encoding", "identity");
  for (const [name, value] of target.headers)
    if (name !== "anthropic-version" || !sent.has(name)) sent.setOwn(name, value);
  return sent;
}

function isPassed(name: string): boolean {
  return passed.has(name) || passedPrefixes.some((prefix) => name.startsWith(prefix));
}
