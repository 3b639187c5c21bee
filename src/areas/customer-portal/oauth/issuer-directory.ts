import { SecondChanceCache } from "../../../lib/cache/second-chance-cache.ts";
import { FollowedCache } from "../../../platform/storage/change-feed/followed-cache.ts";
import type { Storage } from "../../../platform/storage/storage.ts";
import type { KeyBucketPlace } from "../../api-keys/key-buckets/directory.ts";
import { settingsOf } from "../portal/settings/present.ts";
import { findPortalOfBucket } from "./store.ts";

const maximumBytes = 1024 * 1024;
const entryBytes = 300;

/** The authorization server of a key bucket. */
export interface KnownIssuer {
  /** The origin of its portal. Undefined if it has none, or OAuth is off there. */
  readonly url: string | undefined;
}

/** Which portal is the authorization server of a bucket, for the metadata of deployments (RFC 9728). */
export class IssuerDirectory {
  readonly #cache: FollowedCache<KnownIssuer>;

  constructor(
    private readonly storage: Storage,
    private readonly urlOf: (portal: { name: string; host: string | null }) => string,
  ) {
    this.#cache = new FollowedCache(storage.feed, new SecondChanceCache<KnownIssuer>(maximumBytes, () => entryBytes));
    const clear = () => this.#cache.clear();
    storage.feed.follow(
      "oauth issuers",
      {
        "portal.created": clear,
        "portal.updated": clear,
        "portal.deleted": clear,
        "bucket.created": clear,
        "bucket.deleted": clear,
        "account.deleted": clear,
      },
      () => this.#cache.outdate(),
    );
  }

  /** Synchronous if it is cached. */
  find({ accountSeq, name }: Pick<KeyBucketPlace, "accountSeq" | "name">): KnownIssuer | Promise<KnownIssuer> {
    const key = `${accountSeq} ${name}`;
    return this.#cache.peek(key) ?? (this.#cache.load(key, () => this.#read(accountSeq, name)) as Promise<KnownIssuer>);
  }

  async #read(accountSeq: number, bucketName: string): Promise<KnownIssuer> {
    const portal = await findPortalOfBucket(this.storage.reads, accountSeq, bucketName);
    const isOn = portal?.is_enabled === 1 && settingsOf(portal).oauth?.isEnabled === true;
    return { url: isOn ? this.urlOf(portal) : undefined };
  }
}
