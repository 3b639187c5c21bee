import { Connection, type Fetch } from "./transport/connection.ts";
import type { Waiting } from "./transport/retry.ts";
import { checkedUrl } from "./transport/server-url.ts";
import { Transport } from "./transport/transport.ts";

export interface TollgateOptions {
  /** Of the server, such as `http://127.0.0.1:8787`. */
  url: string;
  /** May be left out by a page of the server itself, in a browser that is signed in (`sessions`). */
  token?: string | undefined;
  /** By default the token's own. The operator, who has none, must name one. */
  account?: string | undefined;
  fetch?: Fetch | undefined;
  /** How often a call is tried again after 429, 503, a timeout or a lost connection; 3 by default. */
  retries?: number | undefined;
  /** Of each try; 30 seconds by default. */
  timeoutMs?: number | undefined;
  /** What the server's log shows of the program. */
  userAgent?: string | undefined;
}

/** Throws where `url` is no http or https address. */
export function transportOf(options: TollgateOptions, waiting: Waiting): Transport {
  const { url, token, account, userAgent, retries = 3, timeoutMs = 30_000 } = options;
  // Browsers throw where their own fetch is called as a method of something else.
  const fetch: Fetch = options.fetch ?? ((address, init) => globalThis.fetch(address, init));
  const connection = new Connection({ fetch, retries, timeoutMs, waiting });
  return new Transport({ url: checkedUrl(url), token, account, userAgent }, connection);
}
