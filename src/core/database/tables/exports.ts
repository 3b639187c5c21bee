import type { Generated } from "kysely";

declare module "../../../platform/storage/tables.ts" {
  interface Tables {
    /** Destinations to which closed hours are written. Hours are times in milliseconds. */
    exports: {
      seq: Generated<number>;
      id: string;
      account_seq: number;
      name: string;
      url: string;
      endpoint: string | null;
      region: string | null;
      /** The secret part of the credential, encrypted. */
      credential: Uint8Array | null;
      access_key_id: string | null;
      /** JSON: a list. */
      kinds: string;
      format: string;
      /** 1 or 0. */
      is_enabled: number;
      /** The first hour that was or will be written, without a backfill in progress. */
      first_hour: number;
      /** The next hour to write. */
      next_hour: number;
      /** The first and the next hour of the backfill in progress, which ends before `backfill_to`, or `first_hour`. */
      backfill_from: number | null;
      backfill_next: number | null;
      backfill_to: Generated<number | null>;
      /** When the last hour was written. */
      written_on: number | null;
      last_error: string | null;
      failing_since: number | null;
      failures: number;
      /** The time of the next attempt after a failure. */
      attempt_on: number | null;
      /** The node that writes an hour. */
      lease: string | null;
      leased_until: number | null;
      version: number;
      created_on: number;
      updated_on: number;
    };
  }
}
