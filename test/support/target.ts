import { createServer, type IncomingMessage, type Server, type ServerResponse } from "node:http";
import { createServer as createSecureServer } from "node:https";
import type { AddressInfo, Socket } from "node:net";
import { createServer as createTlsServer } from "node:tls";
import type { MadeCertificate } from "./certificates.ts";
import { started, stopped } from "./left-running.ts";

/** The reaction to a request: the target's name with this status, nothing, or a closed connection. */
export type Treatment = number | "hang" | "reset";

export interface TargetTls {
  cert: string;
  key: string;
}

/** A target of an upstream, which can be made to fail. Responds with its name. */
export class TestTarget {
  treatment: Treatment = 200;
  /** The reaction to `/health`. */
  health: Treatment = 200;
  /** Method and path of each request, without health checks. */
  readonly requests: string[] = [];
  checks = 0;
  connections = 0;
  readonly #sockets = new Set<Socket>();
  readonly #server: Server;
  #port = 0;

  private constructor(
    readonly name: string,
    private readonly tls: TargetTls | undefined,
  ) {
    const handle = (request: IncomingMessage, response: ServerResponse) => void this.#handle(request, response);
    this.#server = tls ? createSecureServer(tls, handle) : createServer(handle);
    this.#server.on("connection", (socket) => {
      this.connections += 1;
      this.#sockets.add(socket);
      socket.on("close", () => this.#sockets.delete(socket));
    });
  }

  static async start(name: string, tls?: TargetTls): Promise<TestTarget> {
    const target = new TestTarget(name, tls);
    await target.revive();
    started(target, "a target");
    return target;
  }

  get port(): number {
    return this.#port;
  }

  get url(): string {
    return `${this.tls ? "https" : "http"}://127.0.0.1:${this.#port}`;
  }

  /** Closes the listening socket and all connections. */
  async kill(): Promise<void> {
    const closed = new Promise((resolve) => this.#server.close(resolve));
    for (const socket of this.#sockets) socket.destroy();
    await closed;
  }

  /** Listens again, on the same port. */
  async revive(): Promise<void> {
    await new Promise<void>((resolve) => this.#server.listen(this.#port, "127.0.0.1", resolve));
    this.#port = (this.#server.address() as AddressInfo).port;
  }

  async stop(): Promise<void> {
    stopped(this);
    if (this.#server.listening) await this.kill();
  }

  async #handle(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const isCheck = request.url === "/health";
    if (isCheck) this.checks += 1;
    else this.requests.push(`${request.method} ${request.url}`);
    const treatment = isCheck ? this.health : this.treatment;
    if (treatment === "reset") request.socket.destroy();
    if (typeof treatment !== "number") return;
    request.resume();
    response.writeHead(treatment, { "content-type": "text/plain", "x-target": this.name });
    response.end(this.name);
  }
}

/** Requires a client certificate signed by `ca`. Responds with its subject. */
export class MutualTlsServer {
  /** The subjects of the certificates, one for each connection. */
  readonly clients: string[] = [];
  readonly #server: ReturnType<typeof createTlsServer>;

  constructor({ certificate: cert, key }: MadeCertificate, ca: string) {
    this.#server = createTlsServer({ cert, key, ca, requestCert: true, rejectUnauthorized: true }, (socket) => {
      const client = String(socket.getPeerCertificate().subject.CN);
      this.clients.push(client);
      socket.on("error", () => {});
      socket.on("data", () => socket.write(`HTTP/1.1 200 OK\r\ncontent-length: ${client.length}\r\n\r\n${client}`));
    });
    this.#server.on("tlsClientError", () => {});
  }

  async listen(): Promise<void> {
    await new Promise<void>((resolve) => this.#server.listen(0, "127.0.0.1", resolve));
    started(this, "a TLS server");
  }

  get url(): string {
    return `https://127.0.0.1:${(this.#server.address() as AddressInfo).port}`;
  }

  stop(): void {
    stopped(this);
    this.#server.close();
  }
}
