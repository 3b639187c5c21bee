import type { Socket } from "node:net";
import { Client, type ClientBase, type ClientConfig, Pool, types } from "pg";
import { connectionOf, type DatabaseHistory } from "../database-history.ts";
import { StorageUnavailable } from "../errors.ts";
import type { PostgresHosts } from "../postgres-hosts.ts";
import { applicationName, keepAlive, type PostgresOptions, type PostgresTimeouts } from "../postgres-options.ts";
import { isStandby } from "./postgres-checks.ts";
import { sessionLimits } from "./postgres-driver.ts";

/** Connections that a proxy or an address led elsewhere do not last. */
const maxLifetimeSeconds = 1800;

interface PoolOptions extends Pick<PostgresOptions, "feedUrl"> {
  max: number;
  /** Nothing else chooses the host. */
  isAlone?: boolean;
  timeouts: PostgresTimeouts;
  /** Undefined for a replica. */
  history: DatabaseHistory | undefined;
}

/**
 * Connections lead to the current host. The feed chooses it, if it uses the same hosts, otherwise the pool does. A
 * connection that was given up, because its statement took too long, occupies its place until PostgreSQL has closed it:
 * a COMMIT that waits for a synchronous standby continues without its client, and others would join it without end.
 */
export class ConnectionPool extends Pool {
  readonly #givenUp = new Set<Socket>();
  readonly #waiting = new Set<() => void>();
  #writes = 0;

  constructor(hosts: PostgresHosts, { feedUrl, isAlone = feedUrl !== undefined, max, timeouts, history }: PoolOptions) {
    const admitted = new WeakSet<ClientBase>();
    const givenUp = new WeakSet<ClientBase>();
    class PooledClient extends Client {
      constructor(config?: ClientConfig) {
        const url = hosts.current;
        super({ ...config, connectionString: url });
        this.once("end", () => {
          if (isAlone && !admitted.has(this)) hosts.failed(url);
        });
      }

      /** The original closes both halves of a connection whose statement runs, and nothing shows when PostgreSQL does. */
      override end(callback?: unknown): Promise<void> {
        if (!givenUp.has(this)) return super.end(callback as never) as unknown as Promise<void>;
        connectionOf(this).end();
        if (typeof callback === "function") callback();
        return Promise.resolve();
      }
    }
    super({
      Client: PooledClient,
      ...keepAlive,
      // Differs from node to node.
      maxLifetimeSeconds: maxLifetimeSeconds * (0.8 + 0.4 * Math.random()),
      max,
      connectionTimeoutMillis: timeouts.start,
      query_timeout: timeouts.transaction,
      application_name: applicationName,
      // The pool waits for the promise before the first query, although its type does not say so.
      onConnect: async (client) => {
        // A connection that breaks fails its query. Without a listener, the error event would end the process too.
        client.on("error", () => {});
        const limits = feedUrl ? "" : sessionLimits(timeouts);
        if (history) await history.admit(client, limits);
        else if (hosts.areSeveral && !(await isStandby(client))) throw new Error("the server is not a standby");
        admitted.add(client);
      },
      types: { getTypeParser },
    });
    this.on("acquire", (client) => history?.used(client));
    this.on("release", (error, client) => {
      history?.released(client);
      const socket = connectionOf(client).stream;
      if (!error || socket.destroyed || history?.mayBeLost(client)) return;
      givenUp.add(client);
      this.#giveUp(socket);
    });
    // An idle connection that breaks is replaced by the next query, which throws if that fails.
    this.on("error", () => {});
  }

  /**
   * Runs a write, which waits for its turn as for a connection. Writes never use the last connection: while commits wait
   * for a standby, reads continue.
   */
  async writing<Result>(milliseconds: number, write: () => Promise<Result>): Promise<Result> {
    if (this.#writes >= this.#maxWrites) await this.#place(milliseconds);
    this.#writes += 1;
    try {
      return await write();
    } finally {
      this.#writes -= 1;
      this.#continue();
    }
  }

  override async end(): Promise<void> {
    await super.end();
    for (const socket of this.#givenUp) socket.destroy();
  }

  get #maxWrites(): number {
    return this.options.max - 1;
  }

  #giveUp(socket: Socket): void {
    this.options.max -= 1;
    this.#givenUp.add(socket);
    socket.once("close", () => {
      this.options.max += 1;
      this.#givenUp.delete(socket);
      this.#continue();
    });
  }

  async #place(milliseconds: number): Promise<void> {
    const until = performance.now() + milliseconds;
    do {
      const { promise, resolve } = Promise.withResolvers<void>();
      this.#waiting.add(resolve);
      const timer = setTimeout(resolve, Math.max(1, until - performance.now()));
      await promise;
      clearTimeout(timer);
      this.#waiting.delete(resolve);
      if (performance.now() >= until) throw new StorageUnavailable(new Error("no connection is free for a write"));
    } while (this.#writes >= this.#maxWrites);
  }

  #continue(): void {
    for (const resolve of this.#waiting) {
      resolve();
      this.#waiting.delete(resolve);
      return;
    }
  }
}

/** 64-bit integers are times and counts, all below 2^53. */
export function getTypeParser(oid: number, format?: "text" | "binary") {
  const int8 = 20;
  return oid === int8 && format !== "binary" ? Number : types.getTypeParser(oid, format);
}
