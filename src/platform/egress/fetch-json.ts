import type { Egress } from "./egress.ts";
import { fetchBytes } from "./fetch-bytes.ts";

const timeoutSeconds = 5;

/**
 * Fetches a JSON document through the egress rules. Follows no redirects; takes at most 5 s and 1 MiB. Throws if the response is not
 * 200 with JSON.
 */
export async function fetchJson(egress: Egress, url: string): Promise<unknown> {
  const headers = [["accept", "application/json"]] as const;
  const { status, bytes } = await fetchBytes(egress, url, { timeoutSeconds, headers });
  if (status !== 200) throw new Error(`${url} responded with ${status}`);
  return JSON.parse(Buffer.from(bytes).toString());
}
