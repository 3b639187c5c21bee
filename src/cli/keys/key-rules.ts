import { boolean, jsonObject, listOption, named, option } from "../arguments/values.ts";
import { UsageError } from "../process/usage-error.ts";

/** The options for a key's rules. */
export const keyRuleOptions = {
  enabled: option("whether it works", boolean),
  permission: listOption("something it may do, such as orders:read", named("NAME")),
  allowedIp: listOption("an address or CIDR that it works from", named("ADDRESS")),
  rateLimit: option("how often it may be used, such as 600/60: requests in so many seconds", {
    placeholder: "REQUESTS/SECONDS",
    parse(text: string) {
      const [, requests, seconds] = /^(\d{1,10})\/(\d{1,7})$/.exec(text) ?? [];
      if (seconds === undefined) throw new UsageError(`must be REQUESTS/SECONDS such as 600/60, not "${text}"`);
      return { requests: Number(requests), windowSeconds: Number(seconds) };
    },
  }),
  metadata: option("anything worth keeping with it", jsonObject),
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
