import { Connection, type Fetch } from "./connection.ts";
import { invalidParameter } from "./errors.ts";
import type { Waiting } from "./retry.ts";
import { type Routes, Transport } from "./transport.ts";

export interface TollgateOptions {
  /** The server's URL, such as `http://127.0.0.1:8787`. */
  url: string;
  /** Not needed in pages that the server itself serves to a signed-in person (`sessions`). */
  token?: string | undefined;
  /** The default is the token's account. The operator must name one. */
  account?: string | undefined;
  fetch?: Fetch | undefined;
  /** The number of retries after 429, 503, a timeout or a lost connection; 3 by default. */
  retries?: number | undefined;
  /** The timeout of each attempt; 30 seconds by default. */
  timeoutMs?: number | undefined;
  /** Identifies the program in the server's log. */
  userAgent?: string | undefined;
}

/** Throws if `url` is not an http or https URL. */
export function transportOf(options: TollgateOptions, waiting: Waiting, routes: Routes): Transport {
  const { url, token, account, userAgent, retries = 3, timeoutMs = 30_000 } = options;
  // Browsers throw if `fetch` is called as a method of another object.
  const fetch: Fetch = options.fetch ?? ((address, init) => globalThis.fetch(address, init));
  const connection = new Connection({ fetch, retries, timeoutMs, waiting });
  return new Transport({ url: checkedUrl(url), token: token?.trim(), account, userAgent }, connection, routes);
}

/** The URL without a trailing slash. In a browser, a path is relative to the page's origin. */
function checkedUrl(text: string): string {
  const { location } = globalThis as { location?: { origin: string } };
  try {
    const { protocol, origin, pathname } = new URL(text, location?.origin);
    if (/^https?:$/.test(protocol)) return `${origin}${pathname}`.replace(/\/+$/, "");
  } catch {
    // Reported below, like every other URL that is not HTTP.
  }
  throw invalidParameter(
    `url must begin with http:// or https://, such as http://127.0.0.1:8787, not ${JSON.stringify(text)}`,
  );
}
