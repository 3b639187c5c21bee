import type { z } from "zod";
import { formatDateTime } from "../../../lib/time/time.ts";
import type { keyRuleChanges } from "./fields-schema.ts";
import type { KeyRules, RateLimit } from "./key-rules.ts";
import type { KeyRow, KnownKeyRow } from "./store.ts";

/** Returns the columns of the given fields. */
export function storedRules(given: z.output<z.ZodObject<typeof keyRuleChanges>>) {
  const { isEnabled, permissions, allowedIps, rateLimit, metadata } = given;
  return {
    ...(isEnabled === undefined ? {} : { is_enabled: isEnabled ? 1 : 0 }),
    // An empty list of permissions is the same as none.
    ...(permissions === undefined ? {} : { permissions: textOf(permissions?.length ? permissions : null) }),
    ...(allowedIps === undefined ? {} : { allowed_ips: textOf(allowedIps) }),
    ...(rateLimit === undefined ? {} : { rate_limit: textOf(rateLimit) }),
    ...(metadata === undefined ? {} : { metadata: textOf(metadata) }),
  };
}

export function presentRules(key: Omit<KeyRow, "seq">) {
  return {
    isEnabled: key.is_enabled === 1,
    ...(key.permissions === null ? {} : { permissions: JSON.parse(key.permissions) as string[] }),
    ...(key.allowed_ips === null ? {} : { allowedIps: JSON.parse(key.allowed_ips) as string[] }),
    ...(key.rate_limit === null ? {} : { rateLimit: JSON.parse(key.rate_limit) as RateLimit }),
    ...(key.metadata === null ? {} : { metadata: JSON.parse(key.metadata) as Record<string, unknown> }),
    lastUsedOn: key.last_used_on === null ? null : formatDateTime(key.last_used_on),
  };
}

/** The rules that are checked at each use. */
export function rulesOf(knownKey: KnownKeyRow): KeyRules {
  return {
    isEnabled: knownKey.is_enabled === 1,
    isSuspended: knownKey.is_suspended === 1,
    permissions: knownKey.permissions === null ? [] : JSON.parse(knownKey.permissions),
    allowedIps: knownKey.allowed_ips === null ? [] : JSON.parse(knownKey.allowed_ips),
    rateLimit: knownKey.rate_limit === null ? undefined : JSON.parse(knownKey.rate_limit),
  };
}

function textOf(value: object | null): string | null {
  return value && JSON.stringify(value);
}
