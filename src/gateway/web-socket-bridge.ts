import { type Egress, EgressRefused } from "../egress/egress.ts";
import type { Exchange } from "./exchange.ts";
import { clientGoneStatus } from "./proxy.ts";
import { refuse } from "./refusal.ts";

/** What the server keeps with a client's socket. */
export interface BridgeData {
  bridge: WebSocketBridge;
}

type ClientSocket = Bun.ServerWebSocket<BridgeData>;

/** Above this, what waits for a slow client keeps the upstream from sending more. */
const pauseBytes = 1024 * 1024;
/** Bun cannot keep a client from sending: what waits for a slow upstream ends the connection above this. */
const mostWaitingBytes = 16 * 1024 * 1024;
const largestMessage = 16 * 1024 * 1024;
/** Longer silence ends a connection; Bun pings before that. */
const silenceSeconds = 120;

const normalClosure = 1000;
const goingAway = 1001;
const noStatus = 1005;
const abnormal = 1006;
const tryAgainLater = 1013;

/** Belong to one handshake. */
const handshakeHeaders = [
  "sec-websocket-key",
  "sec-websocket-version",
  "sec-websocket-extensions",
  "sec-websocket-protocol",
];

/** Two sockets that hear what the other says: an upstream that has accepted, and the client once it is upgraded. */
export class WebSocketBridge {
  #client: ClientSocket | undefined;
  /** What the upstream said before the client was upgraded. */
  #early: (string | Buffer)[] = [];
  #upstreamEnd: { code: number; reason: string } | undefined;

  private constructor(
    private readonly upstream: WebSocket,
    private readonly onEnd: (bridge: WebSocketBridge) => void,
  ) {
    upstream.binaryType = "nodebuffer";
    upstream.addEventListener("message", ({ data }) => this.#toClient(data as string | Buffer));
    // Each side answers the pings that it gets; passed on too, they keep the whole way alive.
    upstream.addEventListener("ping", () => this.#client?.ping());
    upstream.addEventListener("close", ({ code, reason }) => this.#upstreamClosed(code, reason));
  }

  /** Resolves once the upstream has accepted, or with the answer to give instead. */
  static async connect(
    exchange: Exchange,
    upstream: string,
    egress: Egress,
    onEnd: (bridge: WebSocketBridge) => void,
  ): Promise<WebSocketBridge | Response> {
    const { request, headers, route } = exchange;
    const protocols = (headers.get("sec-websocket-protocol") ?? "").split(",").map((name) => name.trim());
    for (const name of handshakeHeaders) headers.delete(name);
    let socket: WebSocket;
    try {
      const to = await egress.resolve(`ws${upstream.slice("http".length)}${exchange.address}`);
      socket = new WebSocket(to.url, {
        protocols: protocols.filter((name) => name !== ""),
        headers: { ...Object.fromEntries(headers), ...to.headers },
        ...(to.tls ? { tls: to.tls } : {}),
      });
    } catch (error) {
      exchange.failure = error;
      return refuse(exchange, error instanceof EgressRefused ? "upstream_not_allowed" : "upstream_unavailable");
    }
    const bridge = new WebSocketBridge(socket, onEnd);
    const outcome = await opened(socket, request.signal, route.timeoutSeconds);
    if (outcome === "open") return bridge;
    socket.terminate();
    if (outcome === "gone") return new Response(null, { status: clientGoneStatus });
    if (outcome === "late") return refuse(exchange, "upstream_timeout");
    exchange.failure = new Error(outcome);
    return refusedWith(outcome) ?? refuse(exchange, "upstream_unavailable");
  }

  /** The subprotocol that the upstream chose. */
  get protocol(): string {
    return this.upstream.protocol;
  }

  clientOpened(client: ClientSocket): void {
    this.#client = client;
    for (const message of this.#early) client.send(message);
    this.#early = [];
    if (this.#upstreamEnd) this.#closeClient(this.#upstreamEnd);
  }

  fromClient(message: string | Buffer): void {
    this.upstream.send(message);
    if (this.upstream.bufferedAmount > mostWaitingBytes) this.end(tryAgainLater, "the server reads too slowly");
  }

  clientPinged(): void {
    this.upstream.ping();
  }

  clientDrained(client: ClientSocket): void {
    if (client.getBufferedAmount() < pauseBytes) this.upstream.resume();
  }

  clientClosed(code: number, reason: string): void {
    this.#client = undefined;
    // A socket that is paused does not hear that it is closed.
    this.upstream.resume();
    if (code === abnormal) this.upstream.terminate();
    else if (code === noStatus) this.upstream.close();
    else this.upstream.close(code, reason);
    this.onEnd(this);
  }

  /** Ends both sides. */
  end(code = goingAway, reason = "the gateway stops"): void {
    this.upstream.resume();
    this.upstream.close(code, reason);
    this.#client?.close(code, reason);
  }

  #toClient(message: string | Buffer): void {
    if (!this.#client) {
      this.#early.push(message);
      return;
    }
    this.#client.send(message);
    if (this.#client.getBufferedAmount() > pauseBytes) this.upstream.pause();
  }

  #upstreamClosed(code: number, reason: string): void {
    this.#upstreamEnd = { code, reason };
    if (this.#client) this.#closeClient(this.#upstreamEnd);
  }

  #closeClient({ code, reason }: { code: number; reason: string }): void {
    if (code === abnormal) this.#client?.terminate();
    else if (code === noStatus) this.#client?.close(normalClosure);
    else this.#client?.close(code, reason);
  }
}

/** What Bun's server does with the sockets of clients. */
export const bridgeHandlers: Bun.WebSocketHandler<BridgeData> = {
  maxPayloadLength: largestMessage,
  backpressureLimit: mostWaitingBytes + largestMessage,
  closeOnBackpressureLimit: true,
  idleTimeout: silenceSeconds,
  sendPings: true,
  open: (client) => client.data.bridge.clientOpened(client),
  message: (client, message) => client.data.bridge.fromClient(message),
  ping: (client) => client.data.bridge.clientPinged(),
  drain: (client) => client.data.bridge.clientDrained(client),
  close: (client, code, reason) => client.data.bridge.clientClosed(code, reason),
};

type Outcome = "open" | "gone" | "late" | (string & {});

/** "open", "gone" (the client), "late", or what the socket says went wrong. */
function opened(socket: WebSocket, signal: AbortSignal, timeoutSeconds: number): Promise<Outcome> {
  return new Promise((resolve) => {
    const timer = setTimeout(() => resolve("late"), timeoutSeconds * 1000);
    const settle = (outcome: Outcome) => {
      clearTimeout(timer);
      resolve(outcome);
    };
    if (signal.aborted) settle("gone");
    signal.addEventListener("abort", () => settle("gone"), { once: true });
    socket.addEventListener("open", () => settle("open"));
    socket.addEventListener("error", (event) => settle((event as ErrorEvent).message || "the connection failed"));
    socket.addEventListener("close", ({ code }) => settle(`the connection was closed with ${code}`));
  });
}

/** An upstream that refuses the upgrade says so with a status, which is all that Bun tells of its answer. */
function refusedWith(message: string): Response | undefined {
  const status = Number(/status code: (\d{3})$/.exec(message)?.[1]);
  return status >= 400 && status <= 599 ? new Response(null, { status }) : undefined;
}
