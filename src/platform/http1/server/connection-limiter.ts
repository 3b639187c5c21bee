import { addressGroup } from "../../../lib/network/address-group.ts";

export interface ConnectionLimits {
  /** The limit of admitted connections of all servers that share a limiter. */
  maxConnections: number;
  /** The limit of one client: an IPv4 address or an IPv6 network. */
  maxPerAddress: number;
  /** The limit of this process, if others share the limits above. */
  maxHere?: number;
}

/** The connections of other processes that share the limits. */
export interface ConnectionsElsewhere {
  readonly total: number;
  /** `group` is the client: an IPv4 address or an IPv6 network. */
  of(group: string): number;
  /** The number of connections of the client in this process has changed. */
  changed(group: string, count: number): void;
  /** There is no room for a connection, unless others close idle ones. The empty group stands for all clients. */
  crowded(group: string): void;
}

/** The methods of a connection that the limiter uses. */
export interface LimitedConnection {
  /** The seconds for which it has been waiting for a request. Undefined while it is busy. */
  readonly idleSeconds: number | undefined;
  /** Closes the connection immediately. */
  evict(): void;
}

/** The number of connections beyond the limits that may be open at once, so that each can get an error response. */
export const overflowConnections = 32;

/** Younger connections are not evicted, because their first request may be in transit. */
const minIdleSeconds = 1;
/** The share of the limit to evict: one scan of all connections makes room for several. */
const evictedShare = 1 / 16;

/**
 * Bounds the number of open connections. At a limit, the connections that have been idle longest are closed. If none is
 * idle, a new connection is not admitted: it gets an error response to its first request.
 */
export class ConnectionLimiter {
  readonly #admitted = new Map<LimitedConnection, string>();
  readonly #perAddress = new Map<string, number>();
  readonly #overflow = new Set<LimitedConnection>();
  /**
   * Scans that found nothing to evict since the last `tick`. Repeating them would make a flood of connections
   * expensive.
   */
  readonly #fruitless = new Set<string>();
  /** The total number of connections that were not admitted. */
  overflowed = 0;

  constructor(
    private readonly limits: ConnectionLimits,
    private readonly elsewhere?: ConnectionsElsewhere,
  ) {}

  get open(): number {
    return this.#admitted.size + this.#overflow.size;
  }

  /** Whether there is room for a connection from the address. The empty address has no limit of its own. */
  admits(address: string): boolean {
    const { maxConnections, maxPerAddress, maxHere = maxConnections } = this.limits;
    const group = addressGroup(address);
    if (group !== "" && this.#of(group) >= maxPerAddress) this.makeRoom(group);
    if (group !== "" && this.#of(group) >= maxPerAddress) {
      this.elsewhere?.crowded(group);
      return false;
    }
    const hasRoom = () => this.#total < maxConnections && this.#admitted.size < maxHere;
    if (!hasRoom()) this.makeRoom("");
    if (hasRoom()) return true;
    this.elsewhere?.crowded("");
    return false;
  }

  /** Closes connections of a client that have been idle longest; of any client if the group is empty. */
  makeRoom(group: string): void {
    this.#evictIdle(group === "" ? this.limits.maxConnections : this.limits.maxPerAddress, group);
  }

  #of(group: string): number {
    return (this.#perAddress.get(group) ?? 0) + (this.elsewhere?.of(group) ?? 0);
  }

  get #total(): number {
    return this.#admitted.size + (this.elsewhere?.total ?? 0);
  }

  add(connection: LimitedConnection, address: string): void {
    const group = addressGroup(address);
    this.#admitted.set(connection, group);
    const count = (this.#perAddress.get(group) ?? 0) + 1;
    this.#perAddress.set(group, count);
    this.elsewhere?.changed(group, count);
  }

  /** Replaces the oldest connection beyond the limits if there are too many. */
  addOverflow(connection: LimitedConnection): void {
    this.overflowed += 1;
    this.#overflow.add(connection);
    if (this.#overflow.size <= overflowConnections) return;
    const [oldest] = this.#overflow;
    this.#overflow.delete(oldest!);
    oldest!.evict();
  }

  remove(connection: LimitedConnection): void {
    if (this.#overflow.delete(connection)) return;
    const group = this.#admitted.get(connection);
    if (group === undefined) return;
    this.#admitted.delete(connection);
    const count = this.#perAddress.get(group)! - 1;
    if (count === 0) this.#perAddress.delete(group);
    else this.#perAddress.set(group, count);
    this.elsewhere?.changed(group, count);
  }

  /** Called about every second. */
  tick(): void {
    this.#fruitless.clear();
  }

  #evictIdle(limit: number, group: string): void {
    if (this.#fruitless.has(group)) return;
    const idle: { connection: LimitedConnection; seconds: number }[] = [];
    for (const [connection, ofGroup] of this.#admitted) {
      if (group !== "" && ofGroup !== group) continue;
      const seconds = connection.idleSeconds ?? 0;
      if (seconds >= minIdleSeconds) idle.push({ connection, seconds });
    }
    if (idle.length === 0) this.#fruitless.add(group);
    idle.sort((one, other) => other.seconds - one.seconds);
    for (const { connection } of idle.slice(0, Math.ceil(limit * evictedShare))) {
      this.remove(connection);
      connection.evict();
    }
  }
}
