import type { Reads } from "../../../platform/storage/storage.ts";
import type { ConsumerReference } from "../../api-keys/consumer-addresses/consumer-address.ts";
import type { Keys } from "../../api-keys/keys/keys.ts";
import { grantsPermission } from "../../api-keys/keys/permissions.ts";
import { type NewKeyRules, rulesOfNewKey } from "../portal/customer/customer-keys.ts";

/** What applies to the requests of an authorization: the fields of a key. */
export type AuthorizationRules = NewKeyRules;

/**
 * The rules of an authorization now: the addresses, the rate limit and the metadata of a new key of the portal, and of
 * the granted permissions those that it would have.
 */
export async function rulesNow(
  reads: Reads,
  keys: Keys,
  consumer: ConsumerReference,
  granted: readonly string[],
  now: number,
): Promise<AuthorizationRules> {
  const { permissions = [], ...rest } = await rulesOfNewKey(reads, keys, consumer, now);
  const kept = permittedOf(granted, permissions);
  return { ...rest, ...(kept.length === 0 ? {} : { permissions: kept }) };
}

/** The permissions of a list that another one grants. */
export function permittedOf(requested: readonly string[], granting: readonly string[]): string[] {
  return requested.filter((permission) => granting.some((granted) => grantsPermission(granted, permission)));
}
