import type { Amount } from "../../lib/amount.ts";
import type { Period } from "../../lib/time/calendar.ts";
import type { Reads } from "../../platform/storage/storage.ts";
import type { CustomerPlace } from "./customer-place.ts";

/** Why usage is rejected: the quota of the period, the credit or the spend cap is used up. */
export type ShortageCode = "quota_exceeded" | "credit_exhausted" | "spend_cap_reached";

/** The maximum of a meter. Undefined if it may be exceeded, because more has a price. */
export interface QuotaLimit {
  max: Amount | undefined;
  code: ShortageCode;
}

/** Billed usage is not limited by its plan. */
export const billedLimit: QuotaLimit = { max: undefined, code: "quota_exceeded" };

/** The cost of usage in a period that a cap and prepaid money allow. */
export interface SpendBudget {
  /** The meters whose usage costs. */
  readonly meters: ReadonlySet<string>;
  /** Returns why the meters must not go from these totals to those. Undefined if the cost is allowed, or does not rise. */
  rejects(before: (meter: string) => Amount, after: (meter: string) => Amount): ShortageCode | undefined;
}

/** What policies in code see of a subscription. */
export interface SubscriptionTerms {
  /** The external id of the subscription's first plan; further plans are add-ons. */
  readonly plan: string;
  /** The features of all plans. */
  readonly features: Readonly<Record<string, true | number | string>>;
}

/** The subscription of a rejected request, for its record. */
export interface Subscriber {
  plans: string[];
  subscriptionId: string;
}

/** The subscription that a quota belongs to, as callers need it. It is passed on and not interpreted. */
export interface QuotaOwner {
  readonly terms: SubscriptionTerms;
  readonly subscriber: Subscriber;
  /** Returns the usage of all meters and the end of the period as members of a JSON object, without the braces. */
  usageText(usedOf: (meter: string) => Amount): string;
}

/** The counters of a customer in a period, and their limits. */
export interface QuotaDefinition {
  /** Quotas of one group are evicted together. */
  groupKey: string;
  /** When the definition is valid: within the period, until time changes the limits. */
  valid: Period;
  /** Undefined if the customer has no quota. */
  subscribed: SubscribedQuota | undefined;
  /** Without a quota: whether overdue invoices are the reason. */
  needsPayment: boolean;
  /** The key bucket whose consumers may use the quota. Undefined: consumers of any. */
  keyBucket: string | undefined;
  /** Returns the definition at another time, without storage. */
  at(now: number): QuotaDefinition;
}

interface SubscribedQuota {
  owner: QuotaOwner;
  subscriptionSeq: number;
  period: Period;
  limits: ReadonlyMap<string, QuotaLimit>;
  /** The time of a test bucket, which stands still. Undefined in other buckets. */
  testTime: number | undefined;
  /** What a cap and prepaid money allow. Undefined without a cap and prepaid money. */
  budget: SpendBudget | undefined;
}

/** A customer whose quota is needed at a time. */
export interface WantedQuota {
  customer: CustomerPlace;
  now: number;
}

/** Reads the definitions of customers' quotas, in the same order. */
export type QuotaSource = (reads: Reads, wanted: WantedQuota[]) => Promise<QuotaDefinition[]>;
