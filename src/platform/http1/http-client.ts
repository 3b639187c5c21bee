import { ClientConnection, type Owner } from "./client-connection.ts";
import { checkFirstLine } from "./head.ts";
import type { HttpResponse } from "./http-response.ts";
import { Asking, type Origin, type Question, type Receiver, type Trust } from "./question.ts";

/** Connections to one server that rest; more are closed. */
const mostResting = 256;
/** How long a connection may take to be made. */
const connectSeconds = 10;

/** Asks servers over connections that it keeps. */
export class HttpClient implements Owner {
  readonly #resting = new Map<string, ClientConnection[]>();
  /** Those that are still being made, and since when. */
  readonly #connecting = new Map<ClientConnection, number>();
  #second = 0;
  #isClosed = false;
  readonly #timer: Timer;

  constructor() {
    this.#timer = setInterval(() => this.look(), 1000);
    this.#timer.unref();
  }

  /** Asks without a promise: one, and what awaits it, costs a gateway 1 µs. */
  put(question: Question, receiver: Receiver): Asking {
    checkFirstLine(question.method, question.target);
    const asking = new Asking(question, receiver);
    const resting = this.#resting.get(question.origin.key)?.pop();
    (resting ?? this.#connect(question.origin)).ask(asking);
    return asking;
  }

  /** What can be asked again is, where a connection that was kept turns out to be closed. */
  ask(question: Question): { answer: Promise<HttpResponse>; asking: Asking } {
    const { promise: answer, resolve: answered, reject: failed } = Promise.withResolvers<HttpResponse>();
    return { answer, asking: this.put(question, { answered, failed }) };
  }

  close(): void {
    clearInterval(this.#timer);
    this.#isClosed = true;
    for (const all of this.#resting.values()) for (const connection of all) connection.end();
    this.#resting.clear();
  }

  free(connection: ClientConnection): void {
    if (this.#isClosed) {
      connection.end();
      return;
    }
    let resting = this.#resting.get(connection.key);
    if (!resting) {
      resting = [];
      this.#resting.set(connection.key, resting);
    }
    if (connection.restSeconds === 0 || resting.length >= mostResting) connection.end();
    else {
      connection.restsSince = this.#second;
      resting.push(connection);
    }
  }

  lost(connection: ClientConnection): void {
    const resting = this.#resting.get(connection.key);
    const at = resting?.indexOf(connection) ?? -1;
    if (at !== -1) resting!.splice(at, 1);
  }

  repeat(asking: Asking): void {
    asking.isRepeated = true;
    this.#connect(asking.question.origin).ask(asking);
  }

  #connect({ key, connect }: Origin): ClientConnection {
    const connection = new ClientConnection(key, this);
    this.#connecting.set(connection, this.#second);
    const isPlain = "unix" in connect || connect.tls === undefined;
    const socket: Bun.SocketHandler<ClientConnection> = {
      open: (opened) => connection.opened(opened, isPlain),
      handshake: (_, isTrusted, error) => connection.shookHands(isTrusted, error),
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

  /** Once a second. */
  look(): void {
    this.#second += 1;
    for (const [connection, since] of this.#connecting) {
      if (!connection.isConnecting) this.#connecting.delete(connection);
      else if (this.#second - since > connectSeconds)
        connection.fail(new Error(`no connection within ${connectSeconds} s`));
    }
    for (const [key, resting] of this.#resting) {
      const isTired = ({ restsSince, restSeconds }: ClientConnection) => this.#second - restsSince > restSeconds;
      const kept = resting.filter((one) => !isTired(one));
      if (kept.length === 0) this.#resting.delete(key);
      else this.#resting.set(key, kept);
      for (const one of resting) if (isTired(one)) one.end();
    }
  }
}

function tlsOf(tls: Trust | undefined): { tls?: Bun.TLSOptions } {
  return tls ? { tls: { ...tls, rejectUnauthorized: true } } : {};
}
