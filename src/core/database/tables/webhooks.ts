import type { Generated } from "kysely";

declare module "../../../platform/storage/tables.ts" {
  interface Tables {
    webhooks: {
      seq: Generated<number>;
      id: string;
      account_seq: number;
      name: string | null;
      url: string;
      /** Patterns of event types, as a JSON array. */
      events: string;
      description: string | null;
      is_enabled: number;
      /** Why the server disabled it. Null if a user did. */
      disabled_reason: string | null;
      /** Encrypted. */
      secret: Uint8Array;
      /** The former secret, which also signs until it expires. */
      previous_secret: Uint8Array | null;
      previous_until: number | null;
      /** The time of the first failed attempt since the last success. */
      failing_since: number | null;
      /** No delivery is due before this time. Null if none is pending. */
      next_due_on: number | null;
      version: number;
      created_on: number;
      updated_on: number;
    };
    webhook_messages: {
      seq: Generated<number>;
      account_seq: number;
      /** Derived from the cause, so that a change gives one message however often it is read. */
      id: string;
      type: string;
      /** The bytes that are signed and sent. */
      body: string;
      created_on: number;
    };
    /** Deleted accounts whose messages are still to be removed. */
    webhook_removals: {
      account_seq: number;
    };
    webhook_deliveries: {
      seq: Generated<number>;
      id: string;
      webhook_seq: number;
      message_seq: number;
      /** The `webhook-id` header: the message's id, or another one after a replay with new ids. */
      message_id: string;
      type: string;
      status: string;
      attempts: number;
      /** The number of attempts in the current schedule. */
      schedule_step: number;
      /** When it is attempted next; during an attempt, when the lease expires. Null once it is finished. */
      due_on: number | null;
      /** The attempt in progress. */
      lease: string | null;
      created_on: number;
      finished_on: number | null;
    };
    webhook_attempts: {
      delivery_seq: number;
      number: number;
      started_on: number;
      duration_ms: number;
      status: number | null;
      error: string | null;
      /** The first 4 KiB of the response's body. */
      response: string | null;
    };
    webhook_timers: {
      name: string;
      reached_time: number;
      reached_seq: number;
    };
  }
}
