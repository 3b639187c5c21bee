import { hostname } from "node:os";
import { Client, type Pool } from "pg";
import type { Change } from "../change.ts";
import { ChangeFeed, type Trust } from "../change-feed.ts";
import type { DatabaseHistory, HistoryPoint } from "../database-history.ts";
import { isTimeout, StorageUnavailable } from "../errors.ts";
import type { PostgresHosts } from "../postgres-hosts.ts";
import { keepAlive, nodeApplicationName, type PostgresOptions, type PostgresTimeouts } from "../postgres-options.ts";

const channel = "tollgate_changes";
/** The poll interval: a lost notification delays a change by at most this time. */
const pollMilliseconds = 250;
/** Caches are at most a second and two round trips old, or storage is read. */
const freshMilliseconds = 900;
const slowMilliseconds = 2000;
/** The fastest of these polls is a round trip. */
const measuredPolls = 8;
/** The maximum number of changes in one poll. With more, followers start over, so one cheap poll ends any backlog. */
const maxChanges = 20_000;
const maxBytes = 8_000_000;

/** The least time between two connections that connections of the pool ask for. */
const rejoinMilliseconds = 1000;

interface PollRow {
  cursor: string;
  time: number;
  /** Changes when a dump is restored into the database. */
  table: string | null;
  /** Null if there are too many changes. */
  changes: ChangeRow[] | null;
  log: string | null;
  is_flushed: boolean;
}

interface ChangeRow {
  xid: string;
  at: number;
  origin: string;
  account_seq: number | null;
  actor: string;
  kind: string;
  subject: string;
  data: string | null;
}

/**
 * Follows the changes that other nodes write. Sequence numbers commit out of order, so "seq > last" would lose rows.
 * The cursor is a snapshot instead, and a poll reads exactly the rows that became visible since: transactions that were
 * in progress in the snapshot, or began after it. It does not read everything since the oldest transaction of the
 * snapshot, because a transaction that stays open for long, in any database of the cluster, would make each poll read
 * all changes since. Rows that a restored dump brought from another cluster (xid beyond the snapshot) are ignored.
 */
const time = "(extract(epoch FROM clock_timestamp()) * 1000)::float8 AS time";
const columns = "seq, xid::text, at, origin, account_seq, actor, kind, subject, data";
const pollWith = (log: string) => `
  WITH unread AS MATERIALIZED (
    (SELECT ${columns} FROM changes
      WHERE xid >= pg_snapshot_xmax($1::pg_snapshot) AND pg_visible_in_snapshot(xid, pg_current_snapshot()) AND origin <> $2
      ORDER BY changes.xid LIMIT ${maxChanges + 1})
    UNION ALL
    (SELECT ${columns} FROM changes
      WHERE changes.xid = ANY (ARRAY(SELECT pg_snapshot_xip($1::pg_snapshot))) AND origin <> $2
      ORDER BY changes.xid LIMIT ${maxChanges + 1})
    UNION ALL
    (SELECT ${columns} FROM changes WHERE xid = ANY ($3::xid8[]) AND origin = $2)
  )
  SELECT pg_current_snapshot()::text AS cursor, ${time}, to_regclass('changes')::oid::text AS table, ${log},
    CASE WHEN (SELECT count(*) > ${maxChanges} OR sum(octet_length(data)) > ${maxBytes} FROM unread) THEN NULL
      ELSE (SELECT coalesce(json_agg(unread ORDER BY seq), '[]') FROM unread) END AS changes`;
const poll = pollWith(
  "pg_current_wal_insert_lsn()::text AS log, coalesce(pg_current_wal_flush_lsn() >= $4::pg_lsn, true) AS is_flushed",
);
const pollWithoutLog = pollWith("$4::pg_lsn::text AS log, true AS is_flushed");

/** Whether a cursor is from transaction ids that the server has not handed out yet, or hands out again. */
const join = `SELECT pg_current_snapshot()::text AS cursor, ${time},
  coalesce(pg_snapshot_xmax($1::pg_snapshot) > pg_snapshot_xmax(pg_current_snapshot()), false) AS is_ahead`;

/**
 * PostgreSQL has no statistics of transaction ids. Without this setting a poll would read and sort all of a backlog or
 * the whole table, although it can walk the index of transactions and stop at the limit.
 */
const planning = "SET enable_seqscan = off; SET enable_bitmapscan = off; SET max_parallel_workers_per_gather = 0";

export class PostgresFeed extends ChangeFeed {
  /** Distinguishes this process from other nodes on the same database. */
  readonly node = crypto.randomUUID();
  #cursor: string | undefined;
  /**
   * Continues at this cursor after a reconnect, because a server that restarts after a crash hands out the transaction
   * ids beyond its flushed log again: a cursor beyond them would not select their rows.
   */
  #flushed: string | undefined;
  /** The next one, with the position of the log that must be flushed before. */
  #unflushed: { cursor: string; log: string | null } | undefined;
  #mustRejoin = false;
  #joinedAt = 0;
  readonly #waiting = new Set<() => void>();
  #caughtUpAt = 0;
  /** How long the last polls took, in milliseconds. */
  #polls: number[] = [];
  #roundTrip = 0;
  /** The time of the last poll, by the clock of this node. */
  #followedOn = 0;
  #away = false;
  /** A copy is read, because there has been no connection yet. */
  #isCopied = false;
  #stopped = false;
  /** A dedicated connection to listen and poll: a poll must not wait for a free connection of the pool. */
  #client: Client | undefined;
  #waking = false;
  /** Set by a notification. One that arrives during a poll makes the next poll follow immediately. */
  #signalled = false;
  #endNap: (() => void) | undefined;
  #loop: Promise<void> = Promise.resolve();
  /** Transactions of this node whose outcome is unknown. */
  readonly #uncertain = new Set<string>();

  constructor(
    private readonly pool: Pool,
    private readonly timeouts: PostgresTimeouts,
    private readonly options: PostgresOptions,
    private readonly databaseHistory: DatabaseHistory,
    private readonly hosts: PostgresHosts,
  ) {
    super(options.warn);
  }

  async start(): Promise<void> {
    this.#stopped = false;
    this.#client = await this.#connect(this.timeouts.start);
    this.#caughtUpAt = performance.now();
    this.#away = false;
    this.#isCopied = false;
    this.#loop = this.#follow();
  }

  /** Called instead of `start` with a copy of storage of that time. */
  startFromCopy(time: number): void {
    this.#caughtUpAt = performance.now() - Math.max(0, this.options.now() - time);
    this.#away = true;
    this.#isCopied = true;
  }

  async stop(): Promise<void> {
    this.#stopped = true;
    this.#signal();
    await this.#loop;
    await this.#client?.end().catch(() => {});
  }

  /**
   * Called after a write of unknown outcome. Its changes are published when they become visible, like those of other
   * nodes.
   */
  readBack(xid: string): void {
    this.#uncertain.add(xid);
    this.#signal();
  }

  /** Called when a connection of the pool led to another history: determines which one to follow. */
  rejoin(): void {
    if (performance.now() - this.#joinedAt < rejoinMilliseconds) return;
    this.#mustRejoin = true;
    this.#signal();
  }

  /**
   * Resolves if the history has not changed since there were that many changes. A former primary confirms writes too, so
   * a write is acknowledged only while the feed is connected.
   */
  async confirm(historyChanges: number): Promise<void> {
    if (!this.#isJoined) await this.#joined();
    if (!this.#isJoined || this.historyChanges !== historyChanges)
      throw new StorageUnavailable(new Error("the history of the database is not known or has changed"));
  }

  override get history(): HistoryPoint | undefined {
    return this.databaseHistory.followed;
  }

  override get nodeId(): string {
    return this.node.slice(0, 8);
  }

  override lagMilliseconds(): number {
    return performance.now() - this.#caughtUpAt;
  }

  override get copyAge(): number | undefined {
    return this.#isCopied ? this.lagMilliseconds() : undefined;
  }

  trust(): Trust {
    const behind = performance.now() - this.#caughtUpAt;
    if (!this.#isCopied && behind <= freshMilliseconds + 2 * this.#roundTrip) return "fresh";
    if (!this.#away) return behind <= slowMilliseconds ? "slow" : "behind";
    if (behind > this.options.staleSeconds * 1000) return "lost";
    return this.#isCopied ? "copied" : "away";
  }

  /**
   * NOTIFY is not part of the writing transaction, because it takes a lock there that serializes commits. If a node
   * dies before it notifies, the other nodes find the change by polling.
   */
  wakeOthers(): void {
    if (this.#waking) return;
    this.#waking = true;
    setImmediate(() => {
      this.#waking = false;
      // Not prepared behind a pooler, which may not support that.
      const name = this.options.feedUrl ? undefined : "notify";
      this.pool.query({ name, text: "SELECT pg_notify($1, $2)", values: [channel, this.node] }).catch(() => {});
    });
  }

  async #follow(): Promise<void> {
    while (!this.#stopped) {
      this.#signalled = false;
      const started = performance.now();
      try {
        if (this.#mustRejoin) this.#disconnect();
        this.#mustRejoin = false;
        this.#client ??= await this.#connect(this.timeouts.connection);
        for (const resolve of this.#waiting) resolve();
        await this.#catchUp(this.#client);
        if (this.#away) this.#recovered();
      } catch (error) {
        if (!this.#away)
          this.options.warn("storage is unavailable; cached keys and tokens keep working for a while", error);
        this.#away = true;
        if (isTimeout(error)) this.databaseHistory.lost(started);
        this.#disconnect();
      }
      // A slow poll is followed by the next one at once.
      await this.#sleep(Math.max(pollMilliseconds - (this.#away ? 0 : performance.now() - started), 0));
    }
  }

  #recovered(): void {
    this.#away = false;
    this.options.warn("storage is available again", undefined);
  }

  async #catchUp(client: Client): Promise<void> {
    const started = performance.now();
    const uncertain = [...this.#uncertain];
    const result = await client.query<PollRow>({
      // Planned once per connection: planning takes longer than the poll itself.
      name: "poll",
      text: this.databaseHistory.followed!.timeline > 0 ? poll : pollWithoutLog,
      values: [this.#cursor, this.node, uncertain, this.#unflushed?.log],
    });
    const { cursor, time, changes, log, is_flushed, table } = result.rows[0]!;
    this.options.observeTime?.(time, performance.now() - started);
    if (!this.databaseHistory.followed!.place.endsWith(`/${table}`)) {
      this.#mustRejoin = true;
      this.#signal();
      return;
    }
    if (changes) this.#publishRead(changes);
    else this.#startOver();
    this.#cursor = cursor;
    if (is_flushed) {
      this.#flushed = this.#unflushed?.cursor ?? this.#flushed;
      this.#unflushed = { cursor, log };
    }
    this.#caughtUpAt = started;
    this.#polls = [...this.#polls.slice(1 - measuredPolls), performance.now() - started];
    this.#roundTrip = Math.min(...this.#polls);
    this.#followedOn = this.options.now();
    const published = new Set(changes?.map(({ xid }) => xid));
    for (const xid of uncertain) if (published.has(xid) || hasEnded(xid, cursor)) this.#uncertain.delete(xid);
  }

  #publishRead(changes: ChangeRow[]): void {
    this.publish(changes.map(toChange));
    for (const { at, origin } of changes)
      if (origin !== this.node) this.options.observer.revocationLag(Math.max(0, this.options.now() - at) / 1000);
  }

  #startOver(): void {
    this.options.warn("this node was far behind the changes of others; its caches start over", undefined);
    this.publishGap();
  }

  #connect(timeoutMillis: number): Promise<Client> {
    return this.hosts.connect((url) => this.#open(url, timeoutMillis));
  }

  async #open(url: string, timeoutMillis: number): Promise<Client> {
    const client = new Client({
      connectionString: url,
      connectionTimeoutMillis: timeoutMillis,
      ...keepAlive,
      // A server that hangs is treated as unavailable and must be detected soon.
      query_timeout: this.timeouts.poll,
      // PostgreSQL truncates the name to 63 bytes.
      application_name: `${nodeApplicationName}${this.nodeId} ${hostname().slice(0, 32)}`,
    });
    const drop = () => {
      if (this.#client !== client) return;
      this.#client = undefined;
      this.#signal();
    };
    client.on("error", drop);
    client.on("end", drop);
    client.on("notification", ({ payload }) => {
      // This node has published its own changes already: a poll for each of its writes would find nothing.
      if (payload !== this.node) this.#signal();
    });
    try {
      await client.connect();
      // Polls that timed out must not accumulate on the server.
      const pollLimit = `SET statement_timeout = ${this.timeouts.poll}`;
      await this.#join(client, await this.databaseHistory.read(client, `LISTEN ${channel}; ${pollLimit}; ${planning}`));
      return client;
    } catch (error) {
      client.end().catch(() => {});
      throw error;
    }
  }

  /** Continues at the cursor if the server has the same history, otherwise makes everything start over. */
  async #join(client: Client, found: HistoryPoint): Promise<void> {
    const history = this.databaseHistory;
    if (history.isFormer(found)) throw new Error("the server is a former primary, which was replaced by another one");
    const started = performance.now();
    const result = await client.query<{ cursor: string; time: number; is_ahead: boolean }>(join, [this.#flushed]);
    const { cursor, time, is_ahead } = result.rows[0]!;
    this.options.observeTime?.(time, performance.now() - started);
    const isFirst = history.followed === undefined;
    this.#joinedAt = performance.now();
    if (history.continuesAt(found) && !is_ahead) {
      this.#cursor = this.#flushed;
      return;
    }
    history.follow(found);
    this.#cursor = cursor;
    this.#flushed = cursor;
    this.#unflushed = undefined;
    this.#uncertain.clear();
    if (!isFirst) this.#changeHistory();
  }

  #changeHistory(): void {
    this.historyChanges += 1;
    this.lastHistoryChange = { followedUntil: this.#followedOn, on: this.options.now() };
    this.options.warn(
      "the database has another history, after a failover or because a dump was restored; all caches start over",
      undefined,
    );
    this.publishGap();
  }

  get #isJoined(): boolean {
    return this.#client !== undefined && !this.#mustRejoin;
  }

  /** Waits for the next connection, for a limited time. */
  async #joined(): Promise<void> {
    const { promise, resolve } = Promise.withResolvers<void>();
    const timer = setTimeout(resolve, this.timeouts.connection);
    this.#waiting.add(resolve);
    await promise;
    this.#waiting.delete(resolve);
    clearTimeout(timer);
  }

  #disconnect(): void {
    const client = this.#client;
    this.#client = undefined;
    client?.end().catch(() => {});
  }

  #signal(): void {
    this.#signalled = true;
    this.#endNap?.();
  }

  /** Waits for a notification, for a limited time. */
  async #sleep(milliseconds: number): Promise<void> {
    if (this.#signalled || milliseconds === 0) return;
    await new Promise<void>((resolve) => {
      const timer = setTimeout(resolve, milliseconds);
      this.#endNap = () => {
        clearTimeout(timer);
        resolve();
      };
    });
    this.#endNap = undefined;
  }
}

/**
 * Whether a transaction had ended when a snapshot was taken. The text of a snapshot begins with the oldest transaction
 * in progress.
 */
function hasEnded(xid: string, snapshot: string): boolean {
  return BigInt(xid) < BigInt(snapshot.slice(0, snapshot.indexOf(":")));
}

/** A row may have been written by a node of another version, with a kind that has no follower here. */
function toChange(row: ChangeRow): Change {
  return {
    accountSeq: row.account_seq,
    actor: row.actor,
    kind: row.kind,
    subject: row.subject,
    data: row.data === null ? undefined : JSON.parse(row.data),
  } as Change;
}
