import { Client } from "pg";
import type { Database } from "./engines.ts";

/** A row of `usage_events` as nodes wrote it before there were keys of events. */
export type OldRow = Record<
  "bucket_seq" | "part" | "subscription_seq" | "time" | "period_start" | "received_on" | "whole" | "billionths",
  number
> &
  Record<"source" | "event_id" | "meter", string>;

/** A node of a release that does not know keys of usage events: its connection, and its way to insert events. */
export class OlderNode {
  private constructor(readonly client: Client) {}

  static async connect({ environment }: Database): Promise<OlderNode> {
    const client = new Client({
      connectionString: environment.DATABASE_URL,
      application_name: "tollgate node 0123abcd older-host",
    });
    client.on("error", () => {});
    await client.connect();
    return new OlderNode(client);
  }

  /** Returns how many of the events were new. They are counted in the same transaction. */
  async record(rows: OldRow[], { commits = true } = {}): Promise<number> {
    const columns = Object.keys(rows[0]!).join(", ");
    await this.client.query("BEGIN");
    try {
      const { rows: stored } = await this.client.query(
        `INSERT INTO usage_events (${columns}) SELECT ${columns} FROM json_populate_recordset(NULL::usage_events, $1)
         ON CONFLICT DO NOTHING RETURNING bucket_seq, source, event_id, part, subscription_seq, period_start, meter, whole`,
        [JSON.stringify(rows)],
      );
      for (const { subscription_seq, period_start, meter, whole } of stored)
        await this.client.query(
          `UPDATE usage_counters SET events = events + 1, whole = whole + $4
           WHERE subscription_seq = $1 AND period_start = $2 AND meter = $3`,
          [subscription_seq, period_start, meter, whole],
        );
      if (commits) await this.client.query("COMMIT");
      return stored.length;
    } catch (error) {
      await this.client.query("ROLLBACK");
      throw error;
    }
  }

  async commit(): Promise<void> {
    await this.client.query("COMMIT");
  }

  close(): Promise<void> {
    return this.client.end();
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.close();
  }
}
