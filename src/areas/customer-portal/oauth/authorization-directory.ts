import { SecondChanceCache } from "../../../lib/cache/second-chance-cache.ts";
import type { Change } from "../../../platform/storage/change.ts";
import { FollowedCache } from "../../../platform/storage/change-feed/followed-cache.ts";
import type { Storage } from "../../../platform/storage/storage.ts";
import { outdateConsumer } from "../../api-keys/consumer-addresses/consumer-address.ts";
import { settingsOf } from "../portal/settings/present.ts";
import { permitsClient } from "./enabled.ts";
import type { AuthorizationRules } from "./rules.ts";
import { findServedAuthorization } from "./store.ts";

const maximumBytes = 16 * 1024 * 1024;
const entryBytes = 1200;

/** An authorization that has not ended, as a gateway needs it. */
export interface KnownAuthorization {
  readonly id: string;
  /** It is not valid from this time on. Infinity for service clients. */
  readonly expiresOn: number;
  /** False while OAuth or the portal is off: then no token is accepted. */
  readonly isEnabled: boolean;
  readonly accountSeq: number;
  /** The key bucket of the consumer, which the policy names. */
  readonly bucket: { readonly seq: number; readonly name: string };
  readonly consumer: {
    readonly id: string;
    readonly name: string;
    readonly metadata: Record<string, unknown>;
    readonly isSuspended: boolean;
  };
  /** The `iss` of its tokens is the origin of this portal. */
  readonly portal: { readonly id: string; readonly name: string; readonly host: string | null };
  /** `id` is the `client_id` of its tokens. */
  readonly client: { readonly id: string; readonly name: string };
  /**
   * Where its tokens are valid: the one that was consented to, or all of the portal for a service client. None that was removed
   * from the portal, and none at all if the portal does not permit such clients any more.
   */
  readonly deployments: readonly string[];
  /** The granted permissions that a new key of the customer would have had when the last token was issued. */
  readonly permissions: readonly string[];
  readonly allowedIps: readonly string[];
  readonly rateLimit: AuthorizationRules["rateLimit"];
  /** The metadata that a new key of the customer would have. */
  readonly metadata: AuthorizationRules["metadata"];
  readonly bytes: number;
}

/**
 * Returns whether an authorization is active, and the rules of its requests. An authorization that ended, with its
 * consumer, its manager, its client or alone, is evicted when the change feed announces it.
 */
export class AuthorizationDirectory {
  readonly cache: FollowedCache<KnownAuthorization>;

  constructor(private readonly storage: Storage) {
    const entries = new SecondChanceCache<KnownAuthorization>(maximumBytes, ({ bytes }) => bytes);
    this.cache = new FollowedCache(storage.feed, entries, ({ consumer }) => consumer.id);
    const evict = ({ subject }: { subject: string }) => this.cache.evict(subject);
    const evictConsumer = ({ subject }: { subject: string }) => this.cache.evictGroup(subject);
    const evictConsumers = ({ data }: Change<"consumers.updated" | "consumers.deleted">) => {
      for (const id of data.consumerIds) this.cache.evictGroup(id);
    };
    // These changes are rare and affect many entries, so the whole cache is cleared.
    const clear = () => this.cache.clear();
    storage.feed.follow(
      "authorizations",
      {
        "authorization.updated": evict,
        "authorization.ended": evict,
        "consumer.updated": (change) => outdateConsumer(this.cache, change),
        "consumer.deleted": evictConsumer,
        "consumers.updated": evictConsumers,
        "consumers.deleted": evictConsumers,
        "manager.updated": ({ data }) => this.cache.evictGroup(data.consumerId),
        "manager.deleted": ({ data }) => this.cache.evictGroup(data.consumerId),
        "oauth-client.updated": clear,
        "oauth-client.deleted": clear,
        "portal.updated": clear,
        "portal.deleted": clear,
        "bucket.updated": clear,
        "bucket.deleted": clear,
        "account.deleted": clear,
      },
      () => this.cache.outdate(),
    );
  }

  /** Returns undefined if it has ended or never existed. Synchronous if it is cached. */
  find(id: string): KnownAuthorization | undefined | Promise<KnownAuthorization | undefined> {
    return this.cache.peek(id) ?? this.cache.load(id, () => this.#read(id));
  }

  async #read(id: string): Promise<KnownAuthorization | undefined> {
    const row = await findServedAuthorization(this.storage.reads, id);
    if (!row) return undefined;
    const rules = JSON.parse(row.rules) as AuthorizationRules;
    const { deployments, oauth } = settingsOf({ settings: row.portal_settings });
    const isPermitted = !oauth || permitsClient(oauth, row.client_type);
    return {
      id: row.id,
      expiresOn: row.expires_on ?? Number.POSITIVE_INFINITY,
      isEnabled: row.portal_is_enabled === 1 && oauth?.isEnabled === true,
      accountSeq: row.account_seq,
      bucket: { seq: row.bucket_seq, name: row.bucket_name },
      consumer: {
        id: row.consumer_id,
        name: row.consumer_name,
        metadata: row.consumer_metadata === null ? {} : JSON.parse(row.consumer_metadata),
        isSuspended: row.consumer_is_suspended === 1,
      },
      portal: { id: row.portal_id, name: row.portal_name, host: row.portal_host },
      client: { id: row.client_document_url ?? row.client_id, name: row.client_name },
      deployments: isPermitted ? deployments.filter((each) => (row.deployment ?? each) === each) : [],
      permissions: rules.permissions ?? [],
      allowedIps: rules.allowedIps ?? [],
      rateLimit: rules.rateLimit,
      metadata: rules.metadata,
      bytes: entryBytes + 2 * (row.rules.length + (row.consumer_metadata?.length ?? 0)),
    };
  }
}
