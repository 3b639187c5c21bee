import { TollgateError } from "./errors.ts";

/** Without a slash at its end. In a browser, a path alone means the page's own origin. */
export function checkedUrl(text: string): string {
  const { location } = globalThis as { location?: { origin: string } };
  try {
    const { protocol, origin, pathname } = new URL(text, location?.origin);
    if (/^https?:$/.test(protocol)) return `${origin}${pathname}`.replace(/\/+$/, "");
  } catch {
    // Reported below, as is every other address that is not of HTTP.
  }
  const detail = `url must begin with http:// or https://, such as http://127.0.0.1:8787, not ${JSON.stringify(text)}`;
  throw new TollgateError({ status: 0, code: "invalid_parameter", detail });
}
