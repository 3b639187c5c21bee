import { FFIType, ptr } from "bun:ffi";
import { loadLinuxLibrary } from "../../../lib/c-library.ts";
import { BufferMemory } from "../memory/buffer-memory.ts";
import type { HttpRequest } from "../message/http-request.ts";
import { ProtocolError } from "../message/protocol-error.ts";
import type { AcceptedConnection } from "./accepted-connection.ts";
import { ConnectionLimiter } from "./connection-limiter.ts";
import type { ConnectionContext, HandlerResult, RequestHandler, RequestTimeouts } from "./request-handler.ts";
import { ServerConnection } from "./server-connection.ts";
import { TlsConnection, type TlsOptions } from "./tls-connection.ts";
import { plainAddress, TrustedProxies } from "./trusted-proxies.ts";

export interface HttpServerOptions extends RequestHandler {
  /** A TCP address, a Unix socket, or the descriptor of a listening socket with the port that it has. */
  address: { hostname: string; port: number } | { unix: string } | { descriptor: number; port: number };
  /** For the Date header. */
  now(): number;
  /** Shared by servers that share file descriptors. By default there is no limit. */
  limiter?: ConnectionLimiter;
  /** Handles the only request of a connection beyond the limits. If it returns undefined, the request is rejected. */
  handleOverflow?(request: HttpRequest): HandlerResult | undefined;
  timeouts?: RequestTimeouts;
  trustedProxies?: TrustedProxies;
  /** Shared by all servers of a process. */
  memory?: BufferMemory;
  /**
   * Trusted proxies begin each connection with a PROXY protocol header. `always` is for a socket that only our own
   * processes can connect to: every connection begins with one, which also has the server name of SNI.
   */
  proxyProtocol?: boolean | "always";
  /** Without certificates, the server speaks plain HTTP. */
  tls?: TlsOptions;
}

const keepAliveMilliseconds = 60_000;
const pollMilliseconds = 5;
/** Longer than a handshake that has begun takes. */
const queueMilliseconds = 100;

/** Generous, because a phone with a bad connection is slow. An attack that holds connections open is slower. */
const defaultTimeouts: RequestTimeouts = { bodySeconds: 3600, minBodyBytesPerSecond: 100 };
const noLimits = { maxConnections: Number.POSITIVE_INFINITY, maxPerAddress: Number.POSITIVE_INFINITY };

/**
 * HTTP/1.1 over Bun's sockets. Bun.serve allocates a web Request, Headers and Response per request;
 * docs/decisions/http.md has the measurements.
 */
export class HttpServer implements ConnectionContext {
  second = 0;
  date: string;
  isStopping = false;
  isLingering = false;
  readonly timeouts: RequestTimeouts;
  readonly trustedProxies: TrustedProxies;
  readonly memory: BufferMemory;
  readonly #limiter: ConnectionLimiter;
  readonly #overflowContext: ConnectionContext;
  readonly #overflowHandler: RequestHandler;
  readonly #listener: Bun.SocketListener<AcceptedConnection>;
  readonly #connections = new Set<AcceptedConnection>();
  readonly #timer: Timer;

  constructor(private readonly options: HttpServerOptions) {
    this.date = dateOf(options.now());
    this.timeouts = options.timeouts ?? defaultTimeouts;
    this.trustedProxies = options.trustedProxies ?? new TrustedProxies();
    this.memory = options.memory ?? new BufferMemory();
    this.#limiter = options.limiter ?? new ConnectionLimiter(noLimits);
    this.#overflowContext = overflowContext(this);
    this.#overflowHandler = {
      handle: (request) => options.handleOverflow?.(request) ?? options.reject(tooManyConnections(), request.ip),
      reject: (error, ip) => options.reject(error, ip),
      onError: (error) => options.onError(error),
    };
    this.#timer = setInterval(() => this.checkTimeouts(), 1000);
    const socket: Bun.SocketHandler<AcceptedConnection> = {
      open: (opened) => this.#open(opened),
      data: (from, bytes) => from.data.received(bytes),
      drain: (drained) => drained.data.drained(),
      end: (ended) => ended.data.ended(),
      close: (closed) => this.#closed(closed.data),
      // Also called if a callback above throws. The connection is unusable then.
      error: (broken) => void broken.terminate(),
    };
    this.#listener = listenAt(options.address, socket);
  }

  get port(): number {
    const { address } = this.options;
    return "descriptor" in address ? address.port : (this.#listener as Bun.TCPSocketListener<AcceptedConnection>).port;
  }

  /** The number of requests whose response has not begun. */
  get undecidedRequests(): number {
    let count = 0;
    for (const connection of this.#connections) if (connection.isUndecided) count += 1;
    return count;
  }

  /**
   * Closes connections with their next response, and continues to accept and serve: clients and proxies leave for
   * another server without losing a request.
   */
  drain(): void {
    this.isStopping = true;
    this.isLingering = true;
    for (const connection of this.#connections) connection.closeWithNextResponse();
  }

  /**
   * Stops accepting connections and waits for requests in progress, at most for the grace period. Idle connections
   * remain for `idleMilliseconds`, because requests may be on their way, and close with their next response.
   */
  async stop(graceMilliseconds: number, idleMilliseconds = 0): Promise<void> {
    // A server that has drained loses no connection. Without draining, others may accept from the same socket.
    if (this.isLingering && !("unix" in this.options.address)) await this.#emptyQueue();
    this.drain();
    this.#listener.stop();
    const idleUntil = performance.now() + idleMilliseconds;
    while (this.#connections.size > 0 && performance.now() < idleUntil) await Bun.sleep(pollMilliseconds);
    this.isLingering = false;
    for (const connection of this.#connections) connection.finish();
    const until = performance.now() + graceMilliseconds;
    while (this.#isBusy() && performance.now() < until) await Bun.sleep(pollMilliseconds);
    this.#listener.stop(true);
    clearInterval(this.#timer);
  }

  /** Accepts the connections that wait in the queue of the socket, and lets no more arrive there. */
  async #emptyQueue(): Promise<void> {
    dropNewConnections((this.#listener as unknown as { fd: number }).fd);
    await Bun.sleep(queueMilliseconds);
  }

  #isBusy(): boolean {
    for (const connection of this.#connections) if (connection.isBusy) return true;
    return false;
  }

  #open(socket: Bun.Socket<AcceptedConnection>): void {
    const ip = plainAddress(socket.remoteAddress ?? "");
    const isTrusted = this.trustedProxies.has(ip);
    // Proxies carry connections of many clients, and limit those themselves.
    const limited = isTrusted ? "" : ip;
    const isAdmitted = this.#limiter.admits(limited);
    const handler = isAdmitted ? this.options : this.#overflowHandler;
    const context = isAdmitted ? this : this.#overflowContext;
    const { proxyProtocol } = this.options;
    const expectsProxyHeader = proxyProtocol === "always" ? "withName" : isTrusted && proxyProtocol === true;
    const connection = this.options.tls
      ? this.#tlsConnection(socket, ip, {
          tls: this.options.tls,
          handler,
          context,
          expectsProxyHeader: expectsProxyHeader !== false,
        })
      : new ServerConnection(socket, ip, handler, context, { expectsProxyHeader });
    socket.data = connection;
    // TCP keep-alive detects clients that disappeared.
    socket.setKeepAlive(true, keepAliveMilliseconds);
    this.#connections.add(connection);
    if (isAdmitted) this.#limiter.add(connection, limited);
    else this.#limiter.addOverflow(connection);
  }

  #tlsConnection(
    socket: Bun.Socket<AcceptedConnection>,
    ip: string,
    { tls, handler, context, expectsProxyHeader }: TlsServing,
  ): TlsConnection {
    return new TlsConnection(socket as Bun.Socket<TlsConnection>, ip, {
      tls,
      context,
      expectsProxyHeader,
      serve: (secured, client, serverName) => new ServerConnection(secured, client, handler, context, { serverName }),
      servePlain: (plain, client, error) =>
        new ServerConnection(
          plain,
          client,
          { ...this.#overflowHandler, handle: () => handler.reject(error, client) },
          this.#overflowContext,
        ),
      onClosed: (connection) => this.#removeConnection(connection),
    });
  }

  #closed(connection: AcceptedConnection): void {
    connection.closed();
    if (!this.options.tls) this.#removeConnection(connection);
  }

  #removeConnection(connection: AcceptedConnection): void {
    this.#connections.delete(connection);
    this.#limiter.remove(connection);
  }

  /** Runs every second. */
  checkTimeouts(): void {
    this.second += 1;
    this.#limiter.tick();
    this.date = dateOf(this.options.now());
    for (const connection of this.#connections) connection.checkTimeouts();
  }
}

function listenAt(
  address: HttpServerOptions["address"],
  socket: Bun.SocketHandler<AcceptedConnection>,
): Bun.SocketListener<AcceptedConnection> {
  if ("unix" in address) return Bun.listen<AcceptedConnection>({ unix: address.unix, allowHalfOpen: true, socket });
  if ("descriptor" in address) {
    // Bun's types lack the option.
    const options = { fd: address.descriptor, allowHalfOpen: true, socket };
    return Bun.listen(options as unknown as Bun.UnixSocketOptions<AcceptedConnection>);
  }
  return Bun.listen<AcceptedConnection>({ ...address, exclusive: true, allowHalfOpen: true, socket });
}

interface TlsServing {
  tls: TlsOptions;
  handler: RequestHandler;
  context: ConnectionContext;
  expectsProxyHeader: boolean;
}

function dateOf(time: number): string {
  return new Date(time).toUTCString();
}

function tooManyConnections(): ProtocolError {
  return new ProtocolError("there are too many connections", 503);
}

/** The connections of the server close after one response. */
function overflowContext(server: ConnectionContext): ConnectionContext {
  return {
    get second() {
      return server.second;
    },
    get date() {
      return server.date;
    },
    isStopping: true,
    isLingering: false,
    timeouts: server.timeouts,
    trustedProxies: server.trustedProxies,
    memory: server.memory,
  };
}

const socketLevel = 1;
const attachFilter = 26;

/** A classic BPF program: packets with the flag SYN are dropped, all others pass. It sees them from the TCP header on. */
const instructions = [
  { code: 0x30, yes: 0, no: 0, value: 13 }, // load the byte of the flags
  { code: 0x45, yes: 0, no: 1, value: 0x02 }, // has it SYN?
  { code: 0x06, yes: 0, no: 0, value: 0 }, // drop
  { code: 0x06, yes: 0, no: 0, value: 0xffff_ffff }, // pass
];

/**
 * Makes the kernel ignore new connections at a listening socket, so that its queue can be emptied before it is closed:
 * closing resets connections that wait there, and with them requests that clients have sent. Ignored clients try again
 * after a second, when the port is closed, or served by another process. Does nothing on other systems than Linux.
 */
export function dropNewConnections(descriptor: number): void {
  const library =
    process.platform === "linux" &&
    loadLinuxLibrary({
      setsockopt: { args: [FFIType.i32, FFIType.i32, FFIType.i32, FFIType.ptr, FFIType.u32], returns: FFIType.i32 },
    });
  if (!library) return;
  const filter = Buffer.alloc(instructions.length * 8);
  for (const [index, { code, yes, no, value }] of instructions.entries()) {
    filter.writeUInt16LE(code, index * 8);
    filter.writeUInt8(yes, index * 8 + 2);
    filter.writeUInt8(no, index * 8 + 3);
    filter.writeUInt32LE(value, index * 8 + 4);
  }
  // struct sock_fprog: the number of instructions, and a pointer to them.
  const program = Buffer.alloc(16);
  program.writeUInt16LE(instructions.length, 0);
  program.writeBigUInt64LE(BigInt(ptr(filter)), 8);
  library.setsockopt(descriptor, socketLevel, attachFilter, ptr(program), program.length);
}
