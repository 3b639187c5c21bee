import { TollgateError } from "./errors.ts";

/** The URL without a trailing slash. In a browser, a path is relative to the page's origin. */
export function checkedUrl(text: string): string {
  const { location } = globalThis as { location?: { origin: string } };
  try {
    const { protocol, origin, pathname } = new URL(text, location?.origin);
    if (/^https?:$/.test(protocol)) return `${origin}${pathname}`.replace(/\/+$/, "");
  } catch {
    // Reported below, like every other URL that is not HTTP.
  }
  const detail = `url must begin with http:// or https://, such as http://127.0.0.1:8787, not ${JSON.stringify(text)}`;
  throw new TollgateError({ status: 0, code: "invalid_parameter", detail });
}
