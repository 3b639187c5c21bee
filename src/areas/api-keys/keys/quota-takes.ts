import type { Act } from "../../../core/access.ts";
import type { quotaRejections } from "./schema.ts";

/** Takes amounts of the plan of a key's consumer. A later area implements it. */
export interface QuotaTakes {
  /** Whether the account has a metering bucket with this id or name. Synchronous if it is cached. */
  hasBucket(accountSeq: number, bucketId: string): boolean | Promise<boolean>;
  /** Takes all of the amounts or none. Synchronous if it is decided in memory. */
  take(request: TakeRequest): TakeResult | Promise<TakeResult>;
}

export interface TakeRequest {
  act: Act;
  bucketId: string;
  /** The name of the consumer. */
  customerKey: string;
  /** The name of the consumer's key bucket. */
  keyBucket: string;
  meters: Record<string, number>;
  /** Holds the amounts instead of counting them. */
  hold?: { expiresInSeconds: number; onExpiry: "release" | "count" } | undefined;
  /** Takes the amounts although they are rejected, if there is a quota to take them from. */
  observes: boolean;
  /** The amounts are taken once for this key. */
  once?: { credential: string; key: string } | undefined;
}

export interface TakeResult {
  /** Why the amounts are not allowed. */
  rejection?: (typeof quotaRejections)[number] | undefined;
  retryAfterSeconds?: number | undefined;
  /** Whether they were taken nevertheless. */
  isTaken?: true;
  /** What the response adds: members of a JSON object, without the braces. May be empty. */
  members: string;
}
