import { hostname } from "node:os";
import { Client, type Pool, type QueryConfig } from "pg";
import type { Change } from "../change.ts";
import { ChangeFeed, type Trust } from "../change-feed.ts";
import {
  connectionTimeoutMillis,
  nodeApplicationName,
  type PostgresOptions,
  startTimeoutMillis,
} from "../postgres-options.ts";

const channel = "tollgate_changes";
/** A lost notification costs at most this long. */
const pollMilliseconds = 250;
const pollTimeoutMilliseconds = 1500;
/** Caches are exact to within a second, or they are not believed. */
const freshMilliseconds = 900;

interface ChangeRow {
  at: number;
  origin: string;
  account_seq: number | null;
  actor: string;
  kind: string;
  subject: string;
  data: string | null;
}

/**
 * Follows the changes that other nodes write. Sequence numbers commit out of order, so "seq > last" would
 * lose rows: the cursor is a snapshot instead, and a poll reads exactly what became visible since it.
 * Rows that a restored dump brought from another cluster (xid beyond the snapshot) are left alone.
 */
const poll = `
  SELECT pg_current_snapshot()::text AS cursor, (
    SELECT json_agg(c ORDER BY c.seq) FROM (
      SELECT seq, at, origin, account_seq, actor, kind, subject, data FROM changes
      WHERE xid >= pg_snapshot_xmin($1::pg_snapshot)
        AND xid < pg_snapshot_xmax(pg_current_snapshot())
        AND NOT pg_visible_in_snapshot(xid, $1::pg_snapshot)
    ) c
  ) AS changes`;

export class PostgresFeed extends ChangeFeed {
  /** Distinguishes this process from the other nodes on the same database. */
  readonly node = crypto.randomUUID();
  #cursor = "";
  #caughtUpAt = 0;
  #away = false;
  #stopped = false;
  #listener: Client | undefined;
  #waking = false;
  /** Set by a notification; one that comes during a poll makes the next poll follow at once. */
  #signalled = false;
  #endNap: (() => void) | undefined;
  #loop: Promise<void> = Promise.resolve();

  constructor(
    private readonly pool: Pool,
    private readonly options: PostgresOptions,
  ) {
    super();
  }

  async start(): Promise<void> {
    const result = await this.pool.query<{ cursor: string }>("SELECT pg_current_snapshot()::text AS cursor");
    this.#cursor = result.rows[0]!.cursor;
    this.#caughtUpAt = performance.now();
    await this.#listen(startTimeoutMillis);
    this.#loop = this.#follow();
  }

  async stop(): Promise<void> {
    this.#stopped = true;
    this.#signal();
    await this.#loop;
    await this.#listener?.end().catch(() => {});
  }

  override get nodeId(): string {
    return this.node.slice(0, 8);
  }

  override lagMilliseconds(): number {
    return performance.now() - this.#caughtUpAt;
  }

  trust(): Trust {
    const behind = performance.now() - this.#caughtUpAt;
    if (behind <= freshMilliseconds) return "fresh";
    if (!this.#away) return "behind";
    return behind <= this.options.staleSeconds * 1000 ? "away" : "lost";
  }

  /**
   * Not inside the writing transaction: NOTIFY takes a lock there that makes commits queue for each other.
   * A node that dies before it notifies is covered by the others' polling.
   */
  wakeOthers(): void {
    if (this.#waking) return;
    this.#waking = true;
    setImmediate(() => {
      this.#waking = false;
      this.pool.query("SELECT pg_notify($1, '')", [channel]).catch(() => {});
    });
  }

  async #follow(): Promise<void> {
    while (!this.#stopped) {
      this.#signalled = false;
      try {
        await this.#catchUp();
        if (this.#away) this.#recovered();
        if (!this.#listener) await this.#listen();
      } catch (error) {
        if (!this.#away) this.options.warn("storage is away; known keys and tokens go on working for a while", error);
        this.#away = true;
      }
      await this.#nap();
    }
  }

  #recovered(): void {
    this.#away = false;
    this.options.warn("storage is back", undefined);
  }

  async #catchUp(): Promise<void> {
    const started = performance.now();
    const result = await this.pool.query<{ cursor: string; changes: ChangeRow[] | null }>({
      text: poll,
      values: [this.#cursor],
      // A server that hangs is as good as away, and had better be noticed soon.
      query_timeout: pollTimeoutMilliseconds,
    } as QueryConfig);
    const { cursor, changes } = result.rows[0]!;
    const foreign = (changes ?? []).filter((change) => change.origin !== this.node);
    this.publish(foreign.map(toChange));
    for (const change of foreign) {
      this.options.observer.revocationLag(Math.max(0, this.options.now() - change.at) / 1000);
    }
    this.#cursor = cursor;
    this.#caughtUpAt = started;
  }

  async #listen(timeoutMillis = connectionTimeoutMillis): Promise<void> {
    const client = new Client({
      connectionString: this.options.url,
      connectionTimeoutMillis: timeoutMillis,
      keepAlive: true,
      // PostgreSQL keeps 63 bytes of it.
      application_name: `${nodeApplicationName}${this.nodeId} ${hostname().slice(0, 32)}`,
    });
    const drop = () => {
      if (this.#listener !== client) return;
      this.#listener = undefined;
      this.#signal();
    };
    client.on("error", drop);
    client.on("end", drop);
    client.on("notification", () => this.#signal());
    await client.connect();
    await client.query(`LISTEN ${channel}`);
    this.#listener = client;
  }

  #signal(): void {
    this.#signalled = true;
    this.#endNap?.();
  }

  /** Until a notification comes, but no longer than the poll interval. */
  async #nap(): Promise<void> {
    if (this.#signalled) return;
    await new Promise<void>((resolve) => {
      const timer = setTimeout(resolve, pollMilliseconds);
      this.#endNap = () => {
        clearTimeout(timer);
        resolve();
      };
    });
    this.#endNap = undefined;
  }
}

/** Rows hold what some node recorded; one of another version may have recorded a kind that nobody here follows. */
function toChange(row: ChangeRow): Change {
  return {
    accountSeq: row.account_seq,
    actor: row.actor,
    kind: row.kind,
    subject: row.subject,
    data: row.data === null ? undefined : JSON.parse(row.data),
  } as Change;
}
