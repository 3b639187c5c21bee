import { boolean, jsonObject, listOption, named, option } from "../arguments/values.ts";
import { UsageError } from "../process/usage-error.ts";

/** The options for a key's rules. */
export const keyRuleOptions = {
  enabled: option("whether the key is enabled", boolean),
  permission: listOption("a permission, such as orders:read", named("NAME")),
  allowedIp: listOption("an address or CIDR from which the key can be used", named("ADDRESS")),
  rateLimit: option("a rate limit, such as 600/60: 600 requests in 60 seconds", {
    placeholder: "REQUESTS/SECONDS",
    parse(text: string) {
      const [, requests, seconds] = /^(\d{1,10})\/(\d{1,7})$/.exec(text) ?? [];
      if (seconds === undefined) throw new UsageError(`must be REQUESTS/SECONDS such as 600/60, not "${text}"`);
      return { requests: Number(requests), windowSeconds: Number(seconds) };
    },
  }),
  metadata: option("any JSON object to store with the key", jsonObject),
};

interface KeyRuleValues {
  enabled: boolean | undefined;
  permission: string[];
  allowedIp: string[];
  rateLimit: { requests: number; windowSeconds: number } | undefined;
  metadata: Record<string, unknown> | undefined;
}

/** The rules as the API takes them; absent options are undefined. */
export function keyRulesOf({ enabled, permission, allowedIp, rateLimit, metadata }: KeyRuleValues) {
  return {
    isEnabled: enabled,
    permissions: permission.length > 0 ? permission : undefined,
    allowedIps: allowedIp.length > 0 ? allowedIp : undefined,
    rateLimit,
    metadata,
  };
}
