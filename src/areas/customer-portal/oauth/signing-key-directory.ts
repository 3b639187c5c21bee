import { createPublicKey, type KeyObject } from "node:crypto";
import type { JWK } from "jose";
import { SecondChanceCache } from "../../../lib/cache/second-chance-cache.ts";
import { FollowedCache } from "../../../platform/storage/change-feed/followed-cache.ts";
import type { Storage } from "../../../platform/storage/storage.ts";
import { findPublicKey } from "./key-store.ts";

/** A public key that verifies the access tokens of one portal. */
export interface KnownSigningKey {
  readonly kid: string;
  readonly portalId: string;
  readonly key: KeyObject;
  /** It verifies no token from this time on. Infinity if no successor exists. */
  readonly expiresOn: number;
}

const maximumBytes = 4 * 1024 * 1024;
const entryBytes = 2048;
/** The base64url text of a SHA-256. Other texts need no look-up. */
const kidPattern = /^[A-Za-z0-9_-]{43}$/;

/** The public keys of all portals, by `kid`, for gateways. */
export class SigningKeyDirectory {
  readonly cache: FollowedCache<KnownSigningKey>;

  constructor(private readonly storage: Storage) {
    const entries = new SecondChanceCache<KnownSigningKey>(maximumBytes, () => entryBytes);
    this.cache = new FollowedCache(storage.feed, entries);
    const clear = () => this.cache.clear();
    // A new key determines when its predecessors expire.
    storage.feed.follow("oauth keys", { "oauth-key.created": clear, "oauth-key.deleted": clear }, () =>
      this.cache.outdate(),
    );
  }

  /** Returns undefined for an unknown key. Synchronous if it is cached. The caller checks `expiresOn`. */
  find(kid: string): KnownSigningKey | undefined | Promise<KnownSigningKey | undefined> {
    if (!kidPattern.test(kid)) return undefined;
    return this.cache.peek(kid) ?? this.cache.load(kid, () => this.#read(kid));
  }

  async #read(kid: string): Promise<KnownSigningKey | undefined> {
    const row = await findPublicKey(this.storage.reads, kid);
    if (!row) return undefined;
    const key = createPublicKey({ key: JSON.parse(row.public_key) as JWK, format: "jwk" });
    return { kid, portalId: row.portal_id, key, expiresOn: row.expires_on ?? Number.POSITIVE_INFINITY };
  }
}
