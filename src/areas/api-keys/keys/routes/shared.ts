import { z } from "zod";
import { type ConsumerFinder, consumerPath } from "../../consumer-addresses/consumer-address.ts";
import type { KeyBucketDirectory } from "../../key-buckets/directory.ts";
import type { Keys } from "../keys.ts";
import type { QuotaTakes } from "../quota-takes.ts";
import type { KeyReveals } from "../reveals.ts";
import { keyFormat, type verificationCodes } from "../schema.ts";
import type { KeyVerifier, Verdict } from "../verification/verifier.ts";

export const keysPath = `${consumerPath}/keys` as const;
export const keyPath = `${keysPath}/{keyId}` as const;
export const formatQuery = z.object({ "key-format": keyFormat });

export const example = {
  id: "key_0QGzNqW81Kx8VhTb3mPcRdZu",
  createdOn: "2026-01-31T10:00:00.000Z",
  updatedOn: "2026-01-31T10:00:00.000Z",
  expiresOn: null,
  description: "production",
  isEnabled: true,
  permissions: ["orders:*", "invoices:read"],
  allowedIps: ["192.0.2.0/24", "2001:db8::/32"],
  rateLimit: { requests: 600, windowSeconds: 60 },
  metadata: { environment: "production" },
  lastUsedOn: "2026-02-01T08:15:00.000Z",
  key: "****1b2c3d4e",
};

export const createdExample = { ...example, lastUsedOn: null, key: "tg_0123456789abcdef0123456789abcdef_7759b50e" };

/** Why a key would be rejected without `observe`. */
export interface Observed {
  readonly code: string;
  readonly retryAfterSeconds: number | undefined;
}

/** The result of verify-key, as it is counted. */
export interface CountedVerdict extends Pick<Verdict, "known"> {
  readonly rejection?: (typeof verificationCodes)[number] | undefined;
  /** What the caller observes instead of a rejection. */
  readonly observed?: Observed | undefined;
}

/** Counts the results of verify-key. */
interface VerificationCounts {
  count(bucketSeq: number, verdict: CountedVerdict, now: number): void;
}

/** The dependencies of the key operations. */
export interface KeyServices {
  keys: Keys;
  consumers: ConsumerFinder;
  verifier: KeyVerifier;
  /** Undefined if verifications are not counted. */
  verifications: VerificationCounts | undefined;
  buckets: KeyBucketDirectory;
  takes: QuotaTakes;
  reveals: KeyReveals;
}
