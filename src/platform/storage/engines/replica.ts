import type { History, ReplicaStatus } from "../history.ts";
import { PostgresHosts } from "../postgres-hosts.ts";
import type { PostgresOptions } from "../postgres-options.ts";
import type { ReadStorage, Reads } from "../storage.ts";
import { openPostgresReads } from "./postgres.ts";

/** A replica that is older is not used. */
const maxLagMilliseconds = 10_000;
const notChecked = "not checked yet";

interface ReplicaOptions extends Pick<PostgresOptions, "observer" | "warn"> {
  url: string;
  primary: Reads;
}

const place = `current_database() AS name, (SELECT system_identifier::text FROM pg_control_system()) AS system`;
interface Place {
  name: string;
  system: string;
}

/**
 * A standby of PostgreSQL. Its lag is computed from log positions, because the clocks of two machines differ: if the
 * standby has replayed a position, it has every write up to that position.
 */
export class Replica implements History {
  readonly #storage: ReadStorage;
  /** Positions of the primary's log by time, oldest first. */
  #positions: { time: number; position: bigint }[] = [];
  /** The time up to which the replica is known to contain everything. */
  #currentUntil: number | undefined;
  #error: string | undefined = notChecked;
  #fallbacks = 0;

  constructor(private readonly options: ReplicaOptions) {
    const { url, observer, warn } = options;
    // A pooler in front of the replica may be in any mode: nothing here relies on a session.
    this.#storage = openPostgresReads(new PostgresHosts(url), { feedUrl: url, observer, warn });
  }

  async read<Result>(work: (reads: Reads) => Promise<Result>): Promise<Result> {
    if (!this.status().isUsed) return work(this.options.primary);
    try {
      return await work(this.#storage.reads);
    } catch {
      // The replica may have ended the query because of a conflict with replication. An error of the work itself is
      // thrown again by the primary.
      this.#fallbacks += 1;
      return work(this.options.primary);
    }
  }

  status(): ReplicaStatus {
    const lagMilliseconds = this.#currentUntil === undefined ? undefined : performance.now() - this.#currentUntil;
    const isCurrent = lagMilliseconds !== undefined && lagMilliseconds <= maxLagMilliseconds;
    const error = this.#error ?? (isCurrent ? undefined : `more than ${maxLagMilliseconds / 1000} s behind`);
    return { isUsed: error === undefined, lagMilliseconds, error, fallbacks: this.#fallbacks };
  }

  /** Called periodically. Never throws. */
  async check(): Promise<void> {
    const before = this.status();
    try {
      await this.#readPositions();
      this.#error = undefined;
    } catch (error) {
      this.#error = (error as Error).message;
    }
    const { isUsed, error } = this.status();
    if (isUsed && !before.isUsed && before.error !== notChecked)
      this.options.warn("the replica is used again", undefined);
    if (!isUsed && (before.isUsed || before.error === notChecked))
      this.options.warn(`the replica is not used, so the primary serves its reads: ${error}`, undefined);
  }

  close(): Promise<void> {
    return this.#storage.close();
  }

  async #readPositions(): Promise<void> {
    const time = performance.now();
    const primary = await this.options.primary.one<Place & { position: string }>(
      `SELECT pg_current_wal_lsn()::text AS position, ${place}`,
      [],
    );
    this.#positions.push({ time, position: positionOf(primary!.position) });
    const replica = await this.#storage.reads.one<Place & { standby: boolean; position: string | null }>(
      `SELECT pg_is_in_recovery() AS standby, pg_last_wal_replay_lsn()::text AS position, ${place}`,
      [],
    );
    const { standby, position, name, system } = replica!;
    if (system !== primary!.system || name !== primary!.name) throw new Error("it is not a replica of this database");
    if (!standby || position === null) throw new Error("it is not a standby");
    const replayed = positionOf(position);
    while (this.#positions[0] && this.#positions[0].position <= replayed)
      this.#currentUntil = this.#positions.shift()!.time;
    // While the replica is away, only the oldest positions matter.
    if (this.#positions.length > 1000) this.#positions.length = 1000;
  }
}

/** "16/B374D848" → 0x16B374D848 */
function positionOf(text: string): bigint {
  const [high = "", low = ""] = text.split("/");
  return (BigInt(`0x${high}`) << 32n) | BigInt(`0x${low}`);
}
