import type { None, Values } from "../arguments/command.ts";
import { boolean, formed, jsonObject, listOption, named, option } from "../arguments/values.ts";

const rateLimit = formed(
  "REQUESTS/SECONDS",
  /^(\d{1,10})\/(\d{1,7})$/,
  (requests, seconds) => ({ requests: Number(requests), windowSeconds: Number(seconds) }),
  "REQUESTS/SECONDS such as 600/60",
);

/** The options for a key's rules. */
export const keyRuleOptions = {
  enabled: option("whether the key is enabled", boolean),
  permission: listOption("a permission, such as orders:read", named("NAME")),
  allowedIp: listOption("an address or CIDR from which the key can be used", named("ADDRESS")),
  rateLimit: option("a rate limit, such as 600/60: 600 requests in 60 seconds", rateLimit),
  metadata: option("any JSON object to store with the key", jsonObject),
};

/** The rules as the API takes them; absent options are undefined. */
export function keyRulesOf({
  enabled: isEnabled,
  permission: permissions,
  allowedIp: allowedIps,
  rateLimit,
  metadata,
}: Values<None, typeof keyRuleOptions>) {
  return { isEnabled, permissions, allowedIps, rateLimit, metadata };
}
