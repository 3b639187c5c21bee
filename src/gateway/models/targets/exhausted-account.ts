import { Body } from "../../../platform/http1/message/body.ts";
import type { HttpResponse } from "../../../platform/http1/message/http-response.ts";

const maxBytes = 64 * 1024;
const maxMs = 5_000;

/** Codes of errors that concern all requests with the credential. */
const exhaustedCodes = /"(?:insufficient_quota|billing_hard_limit_reached|account_deactivated)"/;

/** Headers in which a provider says what is left for its account. */
const remaining = /^(?:x-ratelimit-remaining-|anthropic-ratelimit-.*-remaining$)/;

/**
 * Reads whether a 429 says that the provider's account is exhausted, so that no customer is served. Otherwise the
 * request may have been too large by itself. Consumes the response.
 */
export async function isAccountExhausted({ headers, body }: HttpResponse): Promise<boolean> {
  for (const [name, value] of headers)
    if (remaining.test(name) && /^0+$/.test(value.trim())) {
      if (body instanceof Body) body.cancel();
      return true;
    }
  if (!(body instanceof Body)) return exhaustedCodes.test(Buffer.from((body ?? "") as Uint8Array).toString("latin1"));
  const timer = setTimeout(() => body.cancel(), maxMs);
  const bytes = await body.bytes(maxBytes).catch(() => undefined);
  clearTimeout(timer);
  return bytes !== undefined && exhaustedCodes.test(bytes.toString("latin1"));
}
