import type { Generated } from "kysely";

declare module "../../../platform/storage/tables.ts" {
  interface Tables {
    metering_buckets: {
      seq: Generated<number>;
      id: string;
      account_seq: number;
      name: string | null;
      /** The time in a test bucket. Null in others, which have the time of the server. */
      test_clock: number | null;
      /** The name of the key bucket whose consumers are its customers. Null: consumers of any. */
      key_bucket: Generated<string | null>;
      version: number;
      created_on: number;
      updated_on: number;
    };
    plans: {
      seq: Generated<number>;
      id: string;
      bucket_seq: number;
      external_id: string;
      label: string;
      meters: string;
      trial_days: number | null;
      trial_end_status: string | null;
      is_trial_collect_payment: number | null;
      /** JSON, like `rates`, `rollover` and `features`. */
      price: string | null;
      rates: string | null;
      rollover: Generated<string | null>;
      features: string | null;
      description: string | null;
      is_public: number | null;
      list_position: number | null;
      version: number;
      created_on: number;
      updated_on: number;
    };
    subscriptions: {
      seq: Generated<number>;
      id: string;
      /** Null of a deleted subscription, which no query of a bucket finds. */
      bucket_seq: number;
      /** The status as it was set. The current status depends on the time, see metering/status.ts. */
      status: string;
      renewal_strategy: string;
      region: string;
      customer_key: string;
      external_id: string;
      customer_external_id: string;
      quota_reset_anchor: number;
      metadata: string | null;
      trial_end_status: string | null;
      trial_start_date: number | null;
      trial_end_date: number | null;
      next_billing_cycle: number | null;
      product_key: string | null;
      /** The start of the period in which a prorated change of plans applies, and the maximum of each meter in it. */
      allowance_period: number | null;
      allowance: string | null;
      /** When the next period begins. 0 and -1 if that is not computed yet, see webhooks/renewals.ts. */
      renews_on: Generated<number>;
      /** When the next step of billing is due. Null if none is. */
      bills_on: number | null;
      /** From when on the status reads `unpaid`. Null if no payment is overdue. */
      blocks_on: number | null;
      /** When a purchase that is not paid expires. Null if it is paid, and for other subscriptions. */
      expires_on: number | null;
      /** JSON: the state of its payments. Null if it was never billed. */
      payment: string | null;
      /** JSON: fees that are charged, and changes at the period's end. Null if it was never billed. */
      billing: string | null;
      /** 1 if grants or caps of the customer may change its limits. */
      has_credits: Generated<number>;
      /** The bucket that it was deleted from, until its late usage is billed. */
      former_bucket_seq: Generated<number | null>;
      version: number;
      created_on: number;
      updated_on: number;
    };
    /** Former limits and prices of a plan that was changed or deleted. */
    plan_history: {
      plan_seq: number;
      valid_until: number;
      bucket_seq: number;
      meters: string;
      price: string | null;
      rates: string | null;
      rollover: Generated<string | null>;
    };
    /** Former plans and prorations of a subscription. */
    subscription_history: {
      subscription_seq: number;
      valid_until: number;
      /** The plans in order, as a JSON array. */
      plan_seqs: string;
      allowance_period: number | null;
      allowance: string | null;
    };
    subscription_plans: {
      subscription_seq: number;
      position: number;
      plan_seq: number;
    };
    /** The plans from the end of the period on, if a change is scheduled. */
    scheduled_plans: {
      subscription_seq: number;
      position: number;
      plan_seq: number;
    };
    usage_counters: {
      subscription_seq: number;
      period_start: number;
      meter: string;
      events: number;
      whole: number;
      billionths: number;
      /** The sum of the events that retention has removed. */
      removed_events: number;
      removed_whole: number;
      removed_billionths: number;
      consumed_whole: number;
      consumed_billionths: number;
      /** 1 from a write until its thresholds are checked, see webhooks/thresholds.ts. */
      is_unchecked: Generated<number>;
      /** The highest threshold that was announced, and its maximum. */
      announced_percent: Generated<number>;
      announced_max: string | null;
      /** Increases with each change of the total, which may decrease. */
      version: Generated<number>;
    };
    /** Open holds by node, see counting/quotas/published-holds.ts. */
    quota_holds: {
      /** The name of the node's batch writer. */
      writer: string;
      subscription_seq: number;
      period_start: number;
      meter: string;
      /** In billionths. */
      amount: string;
      expires_on: number;
      /** What counts if the node is killed, in billionths, and when it was used. */
      estimate: string;
      used_on: number;
    };
    /** What verify-key holds, see areas/metering/takes. */
    metering_holds: {
      id: string;
      bucket_seq: number;
      subscription_seq: number;
      period_start: number;
      /** In the time of the bucket: when the usage is counted. */
      time: number;
      created_on: number;
      expires_on: number;
      on_expiry: "release" | "count";
      state: "open" | "expired" | "settled" | "released";
      /** The amounts that were held, in billionths by meter. */
      held: string;
      /** The amounts that the counters include now. */
      counted: string;
    };
    usage_events: {
      seq: Generated<number>;
      bucket_seq: number;
      source: string;
      event_id: string;
      /** The index of the event's meter, from 0. */
      part: number;
      subscription_seq: number;
      time: number;
      period_start: number;
      received_on: number;
      meter: string;
      whole: number;
      billionths: number;
      /** When it was taken back. Its amounts are 0 since then. */
      voided_on: Generated<number | null>;
    };
    /** Usage in an hour of a period, of events and consumed quotas together; see metering/usage-series.ts. */
    usage_hours: {
      time: number;
      subscription_seq: number;
      period_start: number;
      meter: string;
      whole: number;
      billionths: number;
    };
    /** The last ranking of a large bucket, see metering/usage/rank-usage.ts. */
    usage_rankings: {
      bucket_seq: number;
      /** When it was begun. Null if none is complete yet. */
      ranked_on: number | null;
      /** The one before it, which is kept for lists that began with it. */
      previous_ranked_on: number | null;
      /** The time of a test bucket at which it was ranked. */
      bucket_clock: number | null;
      /** The number of ranked subscriptions. */
      size: number;
      /** When the next one is due. */
      next_on: number;
      /** Until when a node computes one. */
      lease_until: number;
    };
    /** Parts of rankings, of equal size except the last. */
    usage_ranking_blocks: {
      bucket_seq: number;
      ranked_on: number;
      block: number;
      /** The smallest share in it, in millionths. */
      last_share: number;
      /** JSON: the numbers of the subscriptions, and their shares in millionths. */
      ranks: string;
    };
    /** Usage by day. The days of a period add up to its counter. */
    usage_days: {
      time: number;
      subscription_seq: number;
      period_start: number;
      meter: string;
      whole: number;
      billionths: number;
    };
  }
}
