import type { ApiKey } from "../../../../client/index.ts";
import { formatNumber, plural } from "../../../lib/format.ts";

/** The permissions, allowed IP addresses and rate limit of a key, abbreviated. The tooltip has them in full. */
export function KeyRules({ apiKey: { permissions, allowedIps, rateLimit } }: { apiKey: ApiKey }) {
  const limit = rateLimit && `${formatNumber(rateLimit.requests)} in ${formatNumber(rateLimit.windowSeconds)} s`;
  const parts = [
    permissions?.length === 1 ? permissions[0]! : permissions && plural(permissions.length, "permission"),
    allowedIps?.length === 1 ? allowedIps[0]! : allowedIps && plural(allowedIps.length, "address", "addresses"),
    limit,
  ].filter(Boolean);
  if (parts.length === 0) return null;
  const all = [permissions?.join(", "), allowedIps?.join(", "), limit].filter(Boolean).join("; ");
  return <span title={all}>{parts.join(" · ")}</span>;
}
