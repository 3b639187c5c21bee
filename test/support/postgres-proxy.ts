import { once } from "node:events";
import { connect, createServer, type Server, type Socket } from "node:net";
import { type Database, type Engine, postgres } from "./engines.ts";
import { started, stopped } from "./left-running.ts";

const commit = /commit\0/i;

/** A fault for a chunk of a client, usually one statement. */
export type Fault =
  /** Delays the chunk and everything after it on that connection. */
  | { kind: "delay"; milliseconds: number }
  /** Closes the connection before the server receives it. */
  | { kind: "drop" }
  /** Forwards it, and closes the connection instead of forwarding the response. */
  | { kind: "lose" };

/**
 * A TCP proxy in front of PostgreSQL that can lose the response to a COMMIT, stop forwarding, or disturb any statement.
 */
export class PostgresProxy {
  /** The number of lost responses to COMMIT. */
  lostResponses = 0;
  /** Called with each chunk; returns its fault, or undefined. */
  faultOf: ((piece: string) => Fault | undefined) | undefined;
  readonly #sockets = new Set<Socket>();
  readonly #clients = new Map<Socket, string>();
  readonly #database: string;
  readonly #server: Server;
  #target: URL;
  #lostCommits: string[] = [];
  #isPaused = false;

  private constructor(target: URL) {
    this.#target = target;
    this.#database = target.pathname.slice(1);
    // As on a line without a proxy, a client that ends its half learns when the server closes the other.
    this.#server = createServer({ allowHalfOpen: true }, (client) => this.#serve(client));
  }

  static async start(url: string): Promise<PostgresProxy> {
    const proxy = new PostgresProxy(new URL(url));
    proxy.#server.listen(0, "127.0.0.1");
    await once(proxy.#server, "listening");
    started(proxy, "A proxy in front of PostgreSQL");
    return proxy;
  }

  get url(): string {
    const url = new URL(this.#target);
    url.pathname = this.#database;
    const { port } = this.#server.address() as { port: number };
    url.hostname = "127.0.0.1";
    url.port = String(port);
    return url.href;
  }

  /**
   * From now on, new connections lead to another database, whose name is as long as that of the first. Those that are
   * open stay with theirs.
   */
  leadTo(url: string): void {
    this.#target = new URL(url);
  }

  /** Closes the connections of clients whose application name contains a text. */
  cut(name = ""): void {
    for (const [client, startup] of this.#clients) if (startup.includes(name)) client.destroy();
  }

  /**
   * The server executes the next COMMIT, but its response is lost with the connection. With a text, it applies to the
   * next transaction that sends this text, such as the kind of the recorded change. Several may be pending.
   */
  loseNextCommit(text = ""): void {
    this.#lostCommits.push(text);
  }

  /** Clears `faultOf` and all pending `loseNextCommit`. */
  clearFaults(): void {
    this.faultOf = undefined;
    this.#lostCommits = [];
  }

  /** Stops forwarding while connections stay open, like a failed machine or network. */
  pause(): void {
    this.#isPaused = true;
    for (const socket of this.#sockets) socket.pause();
  }

  resume(): void {
    this.#isPaused = false;
    for (const socket of this.#sockets) socket.resume();
  }

  async stop(): Promise<void> {
    stopped(this);
    const closed = [...this.#sockets].map((socket) => once(socket, "close"));
    for (const socket of this.#sockets) socket.destroy();
    this.#server.close();
    await Promise.all(closed);
  }

  #serve(client: Socket): void {
    const database = this.#target.pathname.slice(1);
    const { port, hostname } = this.#target;
    const server = connect({ port: Number(port || 5432), host: hostname, allowHalfOpen: true });
    let isLosing: "commit" | "response" | undefined;
    let transaction = "";
    client.on("data", (sent) => {
      let piece = sent;
      if (!this.#clients.has(client)) {
        const startup = sent.toString("latin1").replace(this.#database, database);
        this.#clients.set(client, startup);
        piece = Buffer.from(startup, "latin1");
      }
      const text = piece.toString("latin1");
      const fault = this.faultOf?.(text);
      if (fault?.kind === "drop") {
        client.destroy();
        return;
      }
      if (fault?.kind === "lose") isLosing = "response";
      transaction += text;
      if (commit.test(text)) {
        const lost = this.#lostCommits.findIndex((each) => transaction.includes(each));
        if (lost >= 0) {
          this.#lostCommits.splice(lost, 1);
          isLosing = "commit";
        }
        transaction = "";
      }
      if (fault?.kind !== "delay") server.write(piece);
      else {
        client.pause();
        setTimeout(() => {
          server.write(piece);
          if (!this.#isPaused) client.resume();
        }, fault.milliseconds);
      }
    });
    server.on("data", (piece) => {
      if (!isLosing) {
        client.write(piece);
        return;
      }
      // The server has responded, so a transaction is committed.
      if (isLosing === "commit") this.lostResponses += 1;
      client.destroy();
    });
    for (const [socket, other] of [
      [client, server],
      [server, client],
    ] as const) {
      this.#sockets.add(socket);
      if (this.#isPaused) socket.pause();
      socket.on("error", () => {});
      socket.on("end", () => other.end());
      socket.on("close", () => {
        this.#sockets.delete(socket);
        this.#clients.delete(socket);
        other.destroy();
      });
    }
  }
}

/** PostgreSQL behind a proxy, with a separate database. */
export function proxiedPostgres(): Engine & { readonly proxy: PostgresProxy } {
  let proxy: PostgresProxy | undefined;
  const behindProxy = async (database: Database): Promise<Database> => {
    proxy = await PostgresProxy.start(database.environment.DATABASE_URL!);
    const drop = async () => {
      await proxy?.stop();
      await database.drop();
    };
    return { environment: { DATABASE_URL: proxy.url }, drop };
  };
  return {
    name: "postgres",
    get proxy() {
      if (!proxy) throw new Error("There is no database yet");
      return proxy;
    },
    freshDatabase: async () => behindProxy(await postgres.freshDatabase()),
    migratedDatabase: async () => behindProxy(await postgres.migratedDatabase()),
  };
}
