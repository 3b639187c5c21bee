import { ClientConnection, type ConnectionPool } from "./client-connection.ts";
import { type ClientRequest, type Origin, PendingRequest, type ResponseHandler, type Trust } from "./client-request.ts";
import { checkRequestLine } from "./head.ts";
import type { HttpResponse } from "./http-response.ts";

/** Idle connections to one origin; more are closed. */
const maxIdlePerOrigin = 256;
const connectTimeoutSeconds = 10;

/** An HTTP/1.1 client with a pool of keep-alive connections per origin. */
export class HttpClient implements ConnectionPool {
  readonly #idle = new Map<string, ClientConnection[]>();
  /** Connections that are being opened, with the second they started. */
  readonly #connecting = new Map<ClientConnection, number>();
  #second = 0;
  #isClosed = false;
  readonly #timer: Timer;

  constructor() {
    this.#timer = setInterval(() => this.checkTimeouts(), 1000);
    this.#timer.unref();
  }

  /**
   * Sends a request. An idempotent one is retried once if a reused connection turns out to be closed. Callbacks instead of
   * a promise, which would cost a gateway 1 µs.
   */
  dispatch(request: ClientRequest, handler: ResponseHandler): PendingRequest {
    checkRequestLine(request.method, request.target);
    const pending = new PendingRequest(request, handler);
    const idle = this.#idle.get(request.origin.key)?.pop();
    (idle ?? this.#connect(request.origin)).dispatch(pending);
    return pending;
  }

  /** `dispatch` with a promise. */
  request(request: ClientRequest): { response: Promise<HttpResponse>; pending: PendingRequest } {
    const { promise: response, resolve: onResponse, reject: onError } = Promise.withResolvers<HttpResponse>();
    return { response, pending: this.dispatch(request, { onResponse, onError }) };
  }

  close(): void {
    clearInterval(this.#timer);
    this.#isClosed = true;
    for (const all of this.#idle.values()) for (const connection of all) connection.end();
    this.#idle.clear();
  }

  release(connection: ClientConnection): void {
    if (this.#isClosed) {
      connection.end();
      return;
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
    }
  }

  remove(connection: ClientConnection): void {
    const idle = this.#idle.get(connection.key);
    const at = idle?.indexOf(connection) ?? -1;
    if (at !== -1) idle!.splice(at, 1);
  }

  retry(pending: PendingRequest): void {
    pending.isRetried = true;
    this.#connect(pending.request.origin).dispatch(pending);
  }

  #connect({ key, connect }: Origin): ClientConnection {
    const connection = new ClientConnection(key, this);
    this.#connecting.set(connection, this.#second);
    const isPlain = "unix" in connect || connect.tls === undefined;
    const socket: Bun.SocketHandler<ClientConnection> = {
      open: (opened) => connection.opened(opened, isPlain),
      handshake: (_, isTrusted, error) => connection.handshakeDone(isTrusted, error),
      data: (_, bytes) => connection.received(bytes),
      drain: () => connection.drained(),
      close: (_, error) => connection.closed(error),
      error: (_, error) => connection.fail(error),
    };
    const connecting =
      "unix" in connect
        ? Bun.connect({ unix: connect.unix, data: connection, socket })
        : Bun.connect({
            hostname: connect.hostname,
            port: connect.port,
            data: connection,
            socket,
            ...tlsOf(connect.tls),
          });
    connecting.catch((error: Error) => connection.fail(error));
    return connection;
  }

  /** Runs every second. */
  checkTimeouts(): void {
    this.#second += 1;
    for (const [connection, since] of this.#connecting) {
      if (!connection.isConnecting) this.#connecting.delete(connection);
      else if (this.#second - since > connectTimeoutSeconds)
        connection.fail(new Error(`could not connect within ${connectTimeoutSeconds} s`));
    }
    for (const [key, idle] of this.#idle) {
      const isExpired = ({ idleSince, idleSeconds }: ClientConnection) => this.#second - idleSince > idleSeconds;
      const live = idle.filter((one) => !isExpired(one));
      if (live.length === 0) this.#idle.delete(key);
      else this.#idle.set(key, live);
      for (const one of idle) if (isExpired(one)) one.end();
    }
  }
}

function tlsOf(tls: Trust | undefined): { tls?: Bun.TLSOptions } {
  return tls ? { tls: { ...tls, rejectUnauthorized: true } } : {};
}
