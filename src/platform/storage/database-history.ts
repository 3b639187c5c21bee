import type { Socket } from "node:net";
import type { ClientBase } from "pg";
import { StorageUnavailable } from "./errors.ts";

/** A point in the history of a database: two servers at the same point contain the same transactions. */
export interface HistoryPoint {
  /** The cluster, the database and the table of changes: a restored dump has others. */
  place: string;
  /** Increases with each promotion of a standby. 0 if the server does not permit to read it. */
  timeline: number;
}

const tables =
  "concat_ws('/', (SELECT oid FROM pg_database WHERE datname = current_database()), to_regclass('changes')::oid)";
/** The checkpoint in the control file has the former timeline for a while after a promotion; the log has the new one. */
const point = `SELECT concat_ws('/', (SELECT system_identifier FROM pg_control_system()), ${tables}) AS place,
  CASE WHEN NOT pg_is_in_recovery() THEN ('x' || left(pg_walfile_name(pg_current_wal_lsn()), 8))::bit(32)::int END AS timeline`;
const pointWithoutFunctions = `SELECT ${tables} AS place, CASE WHEN NOT pg_is_in_recovery() THEN 0 END AS timeline`;

/**
 * The history that this process follows. After a failover, connections may still lead to the former primary: what it
 * confirms is lost, and what it returns is outdated. So all connections of the pool belong to the history of the feed.
 */
export class DatabaseHistory {
  followed: HistoryPoint | undefined;
  /** Managed services may not permit the functions. */
  #isDenied = false;
  readonly #connections = new Map<ClientBase, HistoryPoint>();
  readonly #openedOn = new WeakMap<ClientBase, number>();
  /** When a server that did not respond was noticed last. */
  #lostOn = 0;
  /** When connections in use were taken from the pool. */
  readonly #usedSince = new WeakMap<ClientBase, number>();

  /** @param onOther called when a connection leads to a history that is not followed yet */
  constructor(private readonly onOther: () => void = () => {}) {}

  /** Asks a server after the statements that precede, in the same round trip. Throws if it is a standby. */
  async read(client: ClientBase, before = ""): Promise<HistoryPoint> {
    try {
      const results = await client.query(`${before}; ${this.statement}`);
      return pointOf(results);
    } catch (error) {
      if (this.#isDenied || !/^(42501|42883|0A000)$/.test(String((error as { code?: unknown }).code))) throw error;
      this.#isDenied = true;
      return this.read(client, before);
    }
  }

  /** The statement that `check` needs the result of. */
  get statement(): string {
    return this.#isDenied ? pointWithoutFunctions : point;
  }

  /** Throws if the server of a connection has another history. */
  check(found: HistoryPoint): void {
    const { followed } = this;
    if (!followed || (found.place === followed.place && found.timeline === followed.timeline)) return;
    if (!this.isFormer(found)) this.onOther();
    throw new StorageUnavailable(new Error("the connection leads to a database with another history"));
  }

  /** For new connections of the pool. They end when another history is followed. */
  async admit(client: ClientBase, before = ""): Promise<void> {
    const found = await this.read(client, before);
    this.check(found);
    this.#connections.set(client, found);
    this.#openedOn.set(client, performance.now());
    client.once("end", () => this.#connections.delete(client));
  }

  /** Whether a server is a primary that was replaced by the followed one. */
  isFormer({ place, timeline }: HistoryPoint): boolean {
    const { followed } = this;
    return followed !== undefined && place === followed.place && timeline < followed.timeline;
  }

  /** Whether the followed history continues at a new connection. Not known without a timeline. */
  continuesAt({ place, timeline }: HistoryPoint): boolean {
    return timeline > 0 && place === this.followed?.place && timeline === this.followed.timeline;
  }

  /** For the repeated message of the process that follows the feed. */
  beat(history: HistoryPoint): void {
    const { followed } = this;
    if (followed?.place !== history.place || followed.timeline !== history.timeline) this.follow(history);
  }

  /** Ends connections of other histories, also those in use: their transactions must not be confirmed. */
  follow(history: HistoryPoint): void {
    this.followed = history;
    for (const [client, found] of this.#connections) if (!this.continuesAt(found)) this.#end(client);
  }

  /**
   * Called when the server did not respond to what was sent at that time. It may have vanished without a reset: ends
   * connections that are idle, or have waited since then.
   */
  lost(time: number): void {
    this.#lostOn = performance.now();
    for (const client of [...this.#connections.keys()])
      if ((this.#usedSince.get(client) ?? 0) <= time) this.#end(client);
  }

  /** Whether the server has not responded since the connection was opened: it may never close it. */
  mayBeLost(client: ClientBase): boolean {
    return (this.#openedOn.get(client) ?? 0) < this.#lostOn;
  }

  used(client: ClientBase): void {
    this.#usedSince.set(client, performance.now());
  }

  released(client: ClientBase): void {
    this.#usedSince.delete(client);
  }

  #end(client: ClientBase): void {
    this.#connections.delete(client);
    // Ending it politely would wait for the server.
    connectionOf(client).stream.destroy();
  }
}

/** The type of clients lacks it. */
export function connectionOf(client: ClientBase) {
  return (client as unknown as { connection: { stream: Socket; end(): void } }).connection;
}

/** @param results of several statements, of which the last one is that of the history */
export function pointOf(results: unknown): HistoryPoint {
  const { rows } = [results].flat().at(-1) as { rows: (HistoryPoint | { timeline: null })[] };
  const found = rows[0]!;
  if (found.timeline === null) throw new StorageUnavailable(new Error("the database is a read-only standby"));
  return found;
}
