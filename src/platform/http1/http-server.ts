import { type ConnectionContext, type RequestHandler, ServerConnection } from "./server-connection.ts";

export interface HttpServerOptions extends RequestHandler {
  /** A TCP address or a Unix socket. */
  address: { hostname: string; port: number } | { unix: string };
  /** For the Date header. */
  now(): number;
}

const keepAliveMilliseconds = 60_000;
const pollMilliseconds = 5;

const mappedPrefix = "::ffff:";

/**
 * HTTP/1.1 over Bun's sockets. Bun.serve allocates a web Request, Headers and Response per request;
 * docs/decisions/http.md has the measurements.
 */
export class HttpServer implements ConnectionContext {
  second = 0;
  date: string;
  isStopping = false;
  readonly #listener: Bun.SocketListener<ServerConnection>;
  readonly #connections = new Set<ServerConnection>();
  readonly #timer: Timer;

  constructor(private readonly options: HttpServerOptions) {
    this.date = dateOf(options.now());
    this.#timer = setInterval(() => this.checkTimeouts(), 1000);
    const socket: Bun.SocketHandler<ServerConnection> = {
      open: (opened) => this.#open(opened),
      data: (from, bytes) => from.data.received(bytes),
      drain: (drained) => drained.data.drained(),
      close: (closed) => this.#closed(closed.data),
      // Also called if a callback above throws: the connection is unusable then.
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

  /** Stops accepting connections and waits for requests in progress, at most for the grace period. */
  async stop(graceMilliseconds: number): Promise<void> {
    this.isStopping = true;
    this.#listener.stop();
    for (const connection of this.#connections) connection.finish();
    const until = performance.now() + graceMilliseconds;
    while (this.#isBusy() && performance.now() < until) await Bun.sleep(pollMilliseconds);
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
    // TCP keep-alive: detects clients that vanished.
    socket.setKeepAlive(true, keepAliveMilliseconds);
    this.#connections.add(socket.data);
  }

  #closed(connection: ServerConnection): void {
    connection.closed();
    this.#connections.delete(connection);
  }

  /** Runs every second. */
  checkTimeouts(): void {
    this.second += 1;
    this.date = dateOf(this.options.now());
    for (const connection of this.#connections) connection.checkTimeouts();
  }
}

function dateOf(time: number): string {
  return new Date(time).toUTCString();
}
