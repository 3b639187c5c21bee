import { once } from "node:events";
import { connect, createServer, type Server, type Socket } from "node:net";
import { type Database, type Engine, postgres } from "./engines.ts";
import { started, stopped } from "./left-running.ts";

const commit = /commit\0/i;

/** A TCP proxy in front of PostgreSQL that can lose the response to a COMMIT, or fall silent. */
class PostgresProxy {
  /** Of COMMITs. */
  lostResponses = 0;
  readonly #sockets = new Set<Socket>();
  readonly #server: Server;
  readonly #target: URL;
  #losesNext = false;
  #isSilent = false;

  private constructor(target: URL) {
    this.#target = target;
    this.#server = createServer((client) => this.#serve(client));
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
    const { port } = this.#server.address() as { port: number };
    url.hostname = "127.0.0.1";
    url.port = String(port);
    return url.href;
  }

  /** The next COMMIT is carried out by the server; its response is lost together with the connection. */
  loseNextCommit(): void {
    this.#losesNext = true;
  }

  /** Nothing gets through any more, and connections stay open: as where a machine or a network is gone. */
  fallSilent(): void {
    this.#isSilent = true;
    for (const socket of this.#sockets) socket.pause();
  }

  speakAgain(): void {
    this.#isSilent = false;
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
    const server = connect(Number(this.#target.port || 5432), this.#target.hostname);
    let isLosing = false;
    client.on("data", (piece) => {
      if (this.#losesNext && commit.test(piece.toString("latin1"))) {
        this.#losesNext = false;
        isLosing = true;
      }
      server.write(piece);
    });
    server.on("data", (piece) => {
      if (!isLosing) client.write(piece);
      else {
        // The server has responded, so the transaction is committed.
        this.lostResponses += 1;
        client.destroy();
      }
    });
    for (const [socket, other] of [
      [client, server],
      [server, client],
    ] as const) {
      this.#sockets.add(socket);
      if (this.#isSilent) socket.pause();
      socket.on("error", () => {});
      socket.on("close", () => {
        this.#sockets.delete(socket);
        other.destroy();
      });
    }
  }
}

/** PostgreSQL behind a proxy, with a database of its own. */
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
