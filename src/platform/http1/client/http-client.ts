import { checkRequestLine } from "../message/head.ts";
import type { HttpResponse } from "../message/http-response.ts";
import { ClientConnection, type ConnectionPool } from "./client-connection.ts";
import {
  type ClientRequest,
  type Origin,
  PendingRequest,
  type ResponseHandler,
  type ServerVerification,
} from "./client-request.ts";

export interface ClientLimits {
  /** Open connections to all servers. At the limit idle ones are closed, then requests wait. */
  maxConnections: number;
  /** Connections to one server. At the limit requests wait for a connection. */
  maxPerOrigin: number;
}

/** Idle connections to one origin; more are closed. */
const maxIdlePerOrigin = 256;
const connectTimeoutSeconds = 10;
/** The connect timeout of one address, if the name has others. */
const attemptTimeoutSeconds = 3;
const maxPreferred = 10_000;
const noLimits: ClientLimits = { maxConnections: Number.POSITIVE_INFINITY, maxPerOrigin: Number.POSITIVE_INFINITY };

/** An HTTP/1.1 client with a pool of keep-alive connections per origin. */
export class HttpClient implements ConnectionPool {
  readonly #idle = new Map<string, ClientConnection[]>();
  /** Connections that are being opened, with the second they started. */
  readonly #connecting = new Map<ClientConnection, number>();
  /** The number of open or opening connections by origin. */
  readonly #open = new Map<string, number>();
  #openConnections = 0;
  /** Requests that wait for a connection, oldest first. */
  readonly #queue = new Set<PendingRequest>();
  readonly #sending = new Set<ClientConnection>();
  /** The address that last accepted a connection, by origin. */
  readonly #preferred = new Map<string, string>();
  #second = 0;
  #isClosed = false;
  readonly #timer: Timer;

  constructor(private readonly limits: ClientLimits = noLimits) {
    this.#timer = setInterval(() => this.checkTimeouts(), 1000);
    this.#timer.unref();
  }

  /** The number of requests that wait because of a limit. */
  get queued(): number {
    return this.#queue.size;
  }

  get open(): number {
    return this.#openConnections;
  }

  /**
   * Sends a request. An idempotent one is retried once if a reused connection turns out to be closed. Uses callbacks
   * because a promise would cost a gateway 1 µs.
   */
  dispatch(request: ClientRequest, handler: ResponseHandler): PendingRequest {
    checkRequestLine(request.method, request.target);
    const pending = new PendingRequest(request, handler);
    const idle = this.#idle.get(request.origin.key)?.pop();
    if (idle) idle.dispatch(pending);
    else this.#connectOrQueue(pending);
    return pending;
  }

  /** Like `dispatch`, with a promise. */
  request(request: ClientRequest): { response: Promise<HttpResponse>; pending: PendingRequest } {
    const { promise: response, resolve: onResponse, reject: onError } = Promise.withResolvers<HttpResponse>();
    return { response, pending: this.dispatch(request, { onResponse, onError }) };
  }

  close(): void {
    clearInterval(this.#timer);
    this.#isClosed = true;
    for (const all of this.#idle.values()) for (const connection of all) connection.end();
    this.#idle.clear();
    for (const pending of this.#queue) pending.fail(new Error("the client is closed"));
    this.#queue.clear();
  }

  release(connection: ClientConnection): void {
    if (this.#isClosed) {
      connection.end();
      return;
    }
    if (this.#queue.size > 0) {
      const next = this.#nextFor(connection.key);
      if (next) {
        connection.dispatch(next);
        return;
      }
    }
    let idle = this.#idle.get(connection.key);
    if (!idle) {
      idle = [];
      this.#idle.set(connection.key, idle);
    }
    if (connection.idleSeconds === 0 || idle.length >= maxIdlePerOrigin) connection.end();
    else {
      connection.idleSince = this.#second;
      idle.push(connection);
      // A request to another origin may take its place.
      if (this.#queue.size > 0) queueMicrotask(() => this.#connectQueued());
    }
  }

  remove(connection: ClientConnection): void {
    const { key } = connection;
    const idle = this.#idle.get(key);
    const at = idle?.indexOf(connection) ?? -1;
    if (at !== -1) idle!.splice(at, 1);
    this.#openConnections -= 1;
    const open = this.#open.get(key)! - 1;
    if (open === 0) this.#open.delete(key);
    else this.#open.set(key, open);
    if (this.#queue.size > 0) queueMicrotask(() => this.#connectQueued());
  }

  watchSending(connection: ClientConnection): void {
    this.#sending.add(connection);
  }

  retry(pending: PendingRequest): void {
    pending.isRetried = true;
    pending.attemptFailed("connection_closed");
    this.#connectOrQueue(pending);
  }

  #connectOrQueue(pending: PendingRequest): void {
    const { origin } = pending.request;
    if (this.#hasRoom(origin)) {
      this.#connect(origin).dispatch(pending);
      return;
    }
    this.#queue.add(pending);
    pending.onCancel = () => this.#queue.delete(pending);
  }

  #hasRoom({ key, maxConnections = this.limits.maxPerOrigin }: Origin): boolean {
    if ((this.#open.get(key) ?? 0) >= Math.min(maxConnections, this.limits.maxPerOrigin)) return false;
    if (this.#openConnections >= this.limits.maxConnections) this.#closeIdle();
    return this.#openConnections < this.limits.maxConnections;
  }

  /** Closes an idle connection of any origin. */
  #closeIdle(): void {
    for (const idle of this.#idle.values()) {
      const connection = idle.shift();
      if (!connection) continue;
      connection.end();
      // Counted as closed immediately; `closed` ignores the close event that follows.
      connection.closed();
      return;
    }
  }

  #nextFor(key: string): PendingRequest | undefined {
    for (const pending of this.#queue)
      if (pending.request.origin.key === key) {
        this.#queue.delete(pending);
        return pending;
      }
    return undefined;
  }

  /** Requests to a server at its limit do not delay requests to other servers. */
  #connectQueued(): void {
    for (const pending of this.#queue) {
      if (this.#openConnections >= this.limits.maxConnections && this.#idle.size === 0) return;
      const { origin } = pending.request;
      if (!this.#hasRoom(origin)) continue;
      this.#queue.delete(pending);
      this.#connect(origin).dispatch(pending);
    }
  }

  #connect(origin: Origin): ClientConnection {
    const { key, connect } = origin;
    const connection = new ClientConnection(key, this);
    this.#openConnections += 1;
    this.#open.set(key, (this.#open.get(key) ?? 0) + 1);
    this.#connecting.set(connection, this.#second);
    const addresses = "unix" in connect ? [] : this.#inOrder(key, connect.addresses ?? [connect.hostname]);
    this.#attempt(connection, origin, addresses, 0);
    return connection;
  }

  /** Tries an address, and the next one if it does not accept the connection. */
  #attempt(connection: ClientConnection, origin: Origin, addresses: readonly string[], index: number): void {
    const { key, connect } = origin;
    const isPlain = "unix" in connect || connect.tls === undefined;
    const isLast = index >= addresses.length - 1;
    // False once another address is tried. Events of this connection are ignored then.
    let isCurrent = true;
    const next = (reason: string) => {
      if (!isCurrent) return;
      isCurrent = false;
      clearTimeout(timer);
      connection.attemptFailed(reason, addresses[index]!);
      if (connection.isConnecting) this.#attempt(connection, origin, addresses, index + 1);
    };
    const timer = isLast ? undefined : setTimeout(() => next("connect_timeout"), attemptTimeoutSeconds * 1000);
    const failed = (error: Error) => {
      if (isLast) connection.fail(error);
      else next("connection_refused");
    };
    const socket: Bun.SocketHandler<ClientConnection> = {
      open: (opened) => {
        clearTimeout(timer);
        if (!isCurrent) {
          opened.terminate();
          return;
        }
        if (addresses.length > 1) this.#prefer(key, addresses[index]!);
        connection.opened(opened, isPlain, "unix" in connect ? connect.preamble : undefined);
      },
      handshake: (_, isTrusted, error) => connection.handshakeDone(isTrusted, error),
      data: (_, bytes) => connection.received(bytes),
      drain: () => connection.drained(),
      close: (_, error) => {
        if (isCurrent) connection.closed(error);
      },
      error: (_, error) => {
        if (isCurrent) connection.fail(error);
      },
    };
    const connecting =
      "unix" in connect
        ? Bun.connect({ unix: connect.unix, data: connection, socket })
        : Bun.connect({
            hostname: addresses[index]!,
            port: connect.port,
            data: connection,
            socket,
            ...tlsOf(connect.tls),
          });
    connecting.catch(failed);
  }

  #inOrder(key: string, addresses: readonly string[]): readonly string[] {
    const preferred = this.#preferred.get(key);
    if (preferred === undefined || addresses.length < 2 || !addresses.includes(preferred)) return addresses;
    return [preferred, ...addresses.filter((address) => address !== preferred)];
  }

  #prefer(key: string, address: string): void {
    if (this.#preferred.size >= maxPreferred) this.#preferred.clear();
    this.#preferred.set(key, address);
  }

  /** Runs every second. */
  checkTimeouts(): void {
    this.#second += 1;
    for (const [connection, since] of this.#connecting) {
      if (!connection.isConnecting) this.#connecting.delete(connection);
      else if (this.#second - since > connectTimeoutSeconds)
        connection.fail(new Error(`could not connect within ${connectTimeoutSeconds} s`));
    }
    for (const connection of this.#sending) if (!connection.checkSending()) this.#sending.delete(connection);
    for (const [key, idle] of this.#idle) {
      const isExpired = ({ idleSince, idleSeconds }: ClientConnection) => this.#second - idleSince > idleSeconds;
      const live = idle.filter((one) => !isExpired(one));
      if (live.length === 0) this.#idle.delete(key);
      else this.#idle.set(key, live);
      for (const one of idle) if (isExpired(one)) one.end();
    }
  }
}

function tlsOf(tls: ServerVerification | undefined): { tls?: Bun.TLSOptions } {
  return tls ? { tls: { ...tls, rejectUnauthorized: true } } : {};
}
