import type { SecureContext } from "node:tls";
import { ProtocolError } from "../message/protocol-error.ts";
import type { AcceptedConnection } from "./accepted-connection.ts";
import { parseProxyHeader } from "./proxy-protocol.ts";
import type { ConnectionContext } from "./request-handler.ts";
import type { ServerConnection } from "./server-connection.ts";

/**
 * Selects certificates. Both methods are called for each connection, so that a replaced certificate takes effect
 * immediately.
 */
export interface TlsOptions {
  /** The context for clients that send no name, and for names without a context. */
  defaultContext(): SecureContext;
  contextOf(name: string): SecureContext | undefined;
  /** How a handshake ended. A client that disconnected or was too slow counts as failed. */
  onHandshake?(outcome: "completed" | "failed"): void;
}

/** How long a client may take from connecting to the end of the handshake. */
const handshakeTimeoutSeconds = 15;

const handshakeRecord = 0x16;

interface Options {
  tls: TlsOptions;
  context: ConnectionContext;
  /** The connection begins with a PROXY protocol header, before TLS. */
  expectsProxyHeader: boolean;
  /** Serves HTTP over the socket. */
  serve(socket: Bun.Socket<TlsConnection>, ip: string, serverName: string | undefined): ServerConnection;
  /** Sends one error response over the socket, without TLS. */
  servePlain(socket: Bun.Socket<TlsConnection>, ip: string, error: ProtocolError): ServerConnection;
  onClosed(connection: TlsConnection): void;
}

/**
 * A connection that becomes HTTP after a TLS handshake. It is accepted as a plain socket and upgraded when its first
 * bytes arrive. So bytes before TLS can be parsed, the certificate is chosen for each connection, and a handshake has a
 * deadline.
 */
export class TlsConnection implements AcceptedConnection {
  /** Unparsed bytes from before the TLS handshake. */
  #early: Buffer | undefined;
  #socket: Bun.Socket<TlsConnection>;
  #http: ServerConnection | undefined;
  #isUpgraded = false;
  #expectsProxyHeader: boolean;
  #isOver = false;
  /** The server name of SNI, in lower case. */
  #serverName: string | undefined;
  readonly #started: number;

  constructor(
    socket: Bun.Socket<TlsConnection>,
    private ip: string,
    private readonly options: Options,
  ) {
    this.#socket = socket;
    this.#expectsProxyHeader = options.expectsProxyHeader;
    this.#started = options.context.second;
  }

  get idleSeconds(): number | undefined {
    return this.#http ? this.#http.idleSeconds : this.options.context.second - this.#started;
  }

  get isUndecided(): boolean {
    return this.#http?.isUndecided ?? false;
  }

  closeWithNextResponse(): void {
    this.#http?.closeWithNextResponse();
  }

  get isBusy(): boolean {
    return this.#http?.isBusy ?? false;
  }

  evict(): void {
    if (this.#http) this.#http.evict();
    else this.#socket.terminate();
  }

  /** Receives bytes of the accepted socket. After the upgrade they are ciphertext, which the TLS socket decrypts. */
  received(bytes: Buffer): void {
    if (this.#isUpgraded) return;
    if (this.#http) {
      this.#http.received(bytes);
      return;
    }
    this.#early = this.#early ? Buffer.concat([this.#early, bytes]) : bytes;
    try {
      if (this.#expectsProxyHeader && !this.#readProxyHeader(this.#early)) return;
    } catch (error) {
      if (!(error instanceof ProtocolError)) throw error;
      this.#rejectPlain(error);
      return;
    }
    if (this.#early === undefined) return;
    if (this.#early[0] === handshakeRecord) this.#upgrade(this.#early);
    else this.#rejectPlain(new ProtocolError("this port requires TLS: use https"));
  }

  /** Called for the accepted socket, too. */
  ended(): void {
    if (this.#isUpgraded) return;
    if (this.#http) this.#http.ended();
    else this.#socket.end();
  }

  drained(): void {
    this.#http?.drained();
  }

  /** Called by both sockets, or by one of them if the handshake was aborted. */
  closed(): void {
    if (this.#isOver) return;
    this.#isOver = true;
    this.#http?.closed();
    this.options.onClosed(this);
  }

  checkTimeouts(): void {
    if (this.#http) this.#http.checkTimeouts();
    else if (this.options.context.second - this.#started > handshakeTimeoutSeconds) this.#socket.terminate();
  }

  finish(): void {
    if (this.#http) this.#http.finish();
    else this.#socket.terminate();
  }

  #readProxyHeader(early: Buffer): boolean {
    const header = parseProxyHeader(early);
    if (!header) return false;
    this.#expectsProxyHeader = false;
    this.#early = header.size < early.length ? early.subarray(header.size) : undefined;
    if (header.address !== undefined) this.ip = header.address;
    return true;
  }

  #rejectPlain(error: ProtocolError): void {
    const received = this.#early!;
    this.#early = undefined;
    this.#http = this.options.servePlain(this.#socket, this.ip, error);
    this.#http.received(received);
  }

  #upgrade(clientHello: Buffer): void {
    this.#early = undefined;
    this.#isUpgraded = true;
    const { context } = this.options.tls.defaultContext() as BunSecureContext;
    const options: ServerUpgradeOptions = {
      isServer: true,
      initialData: clientHello,
      data: this,
      tls: { secureContext: context },
      socket: secureHandlers,
    };
    this.#socket.upgradeTLS(options as unknown as Bun.TLSUpgradeOptions<TlsConnection>);
  }

  contextOf(name: string): unknown {
    this.#serverName = name.toLowerCase();
    return (this.options.tls.contextOf(this.#serverName) as BunSecureContext | undefined)?.context;
  }

  /** From here on, this socket is written to and closed. */
  secured(socket: Bun.Socket<TlsConnection>): void {
    this.#socket = socket;
  }

  handshakeDone(socket: Bun.Socket<TlsConnection>, isSuccess: boolean): void {
    this.#socket = socket;
    this.options.tls.onHandshake?.(isSuccess ? "completed" : "failed");
    // After a failure Bun sends the alert and closes the socket. Terminating it here would lose the close events.
    if (isSuccess) this.#http = this.options.serve(socket, this.ip, this.#serverName);
  }

  decrypted(bytes: Buffer): void {
    this.#http?.received(bytes);
  }

  securelyEnded(): void {
    if (this.#http) this.#http.ended();
    else this.#socket.end();
  }
}

/** Bun's contexts wrap the native one, which its sockets require. */
type BunSecureContext = SecureContext & { context: unknown };

/**
 * The options that Bun's `node:tls` passes to `upgradeTLS` for servers, and which its types lack. docs/decisions/tls.md
 * explains why this is used instead of `node:tls`. http-server-tls.test.ts fails if another version of Bun changes
 * them.
 */
interface ServerUpgradeOptions {
  isServer: true;
  initialData: Buffer;
  data: TlsConnection;
  tls: { secureContext: unknown };
  socket: Bun.SocketHandler<TlsConnection> & {
    /** Called with the name of SNI; the context it returns replaces the default one. */
    serverName(connection: TlsConnection, name: string): unknown;
  };
}

const secureHandlers: ServerUpgradeOptions["socket"] = {
  open: (socket) => socket.data.secured(socket),
  handshake: (socket, isSuccess) => socket.data.handshakeDone(socket, isSuccess),
  serverName: (connection, name) => connection.contextOf(name),
  data: (socket, bytes) => socket.data.decrypted(bytes),
  drain: (socket) => socket.data.drained(),
  end: (socket) => socket.data.securelyEnded(),
  close: (socket) => socket.data.closed(),
  error: (socket) => void socket.terminate(),
};
