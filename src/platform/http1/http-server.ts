import { type Handler, ServerConnection, type Surroundings } from "./server-connection.ts";

export interface HttpServerOptions extends Handler {
  /** An address and port, or a socket in the file system. */
  address: { hostname: string; port: number } | { unix: string };
  /** The time of day, for the Date header. */
  now(): number;
}

const keepAliveMilliseconds = 60_000;
const lookMilliseconds = 5;

const mappedPrefix = "::ffff:";

/**
 * HTTP/1.1 over Bun's sockets. Not Bun.serve: there every request costs an object of the web's kind for itself, its headers
 * and its answer, and the way from the one to the other is the engine's. See docs/decisions/http.md for what that came to.
 */
export class HttpServer implements Surroundings {
  second = 0;
  date: string;
  isStopping = false;
  readonly #listener: Bun.SocketListener<ServerConnection>;
  readonly #connections = new Set<ServerConnection>();
  readonly #timer: Timer;

  constructor(private readonly options: HttpServerOptions) {
    this.date = dateOf(options.now());
    this.#timer = setInterval(() => this.look(), 1000);
    const socket: Bun.SocketHandler<ServerConnection> = {
      open: (opened) => this.#open(opened),
      data: (from, bytes) => from.data.received(bytes),
      drain: (drained) => drained.data.drained(),
      close: (closed) => this.#closed(closed.data),
      // Also what was thrown in one of the above: nobody would answer on this connection any more.
      error: (broken) => void broken.terminate(),
    };
    this.#listener =
      "unix" in options.address
        ? Bun.listen<ServerConnection>({ unix: options.address.unix, socket })
        : Bun.listen<ServerConnection>({ ...options.address, exclusive: true, socket });
  }

  get port(): number {
    return (this.#listener as Bun.TCPSocketListener<ServerConnection>).port;
  }

  /** Takes no new connections, and waits for the requests under way, but not longer than the patience lasts. */
  async stop(patienceMilliseconds: number): Promise<void> {
    this.isStopping = true;
    this.#listener.stop();
    for (const connection of this.#connections) connection.finish();
    const until = performance.now() + patienceMilliseconds;
    while (this.#isBusy() && performance.now() < until) await Bun.sleep(lookMilliseconds);
    this.#listener.stop(true);
    clearInterval(this.#timer);
  }

  #isBusy(): boolean {
    for (const connection of this.#connections) if (connection.isBusy) return true;
    return false;
  }

  #open(socket: Bun.Socket<ServerConnection>): void {
    const address = socket.remoteAddress ?? "";
    const isMapped = address.startsWith(mappedPrefix) && address.includes(".");
    const ip = isMapped ? address.slice(mappedPrefix.length) : address;
    socket.data = new ServerConnection(socket, ip, this.options, this);
    // A client that lost its power would otherwise be waited for for ever.
    socket.setKeepAlive(true, keepAliveMilliseconds);
    this.#connections.add(socket.data);
  }

  #closed(connection: ServerConnection): void {
    connection.closed();
    this.#connections.delete(connection);
  }

  /** Once a second. */
  look(): void {
    this.second += 1;
    this.date = dateOf(this.options.now());
    for (const connection of this.#connections) connection.look();
  }
}

function dateOf(time: number): string {
  return new Date(time).toUTCString();
}
