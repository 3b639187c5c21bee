import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { started, stopped } from "./left-running.ts";

export interface ReceivedRequest {
  method: string;
  path: string;
  headers: Record<string, string | undefined>;
  body: string;
}

/** The reaction to a request: a response, a closed connection, or nothing. */
export type Treatment =
  | { status: number; headers?: Record<string, string>; body?: unknown }
  | "hang up"
  | "hang up in the middle"
  | "drip"
  | "silence";

/** A real HTTP server that misbehaves: each request gets the next treatment, and the last one is repeated. */
export class FaultyServer {
  readonly requests: ReceivedRequest[] = [];
  treatments: Treatment[] = [];
  readonly #server = createServer((request, response) => void this.#treat(request, response));

  get url(): string {
    return `http://127.0.0.1:${(this.#server.address() as AddressInfo).port}`;
  }

  async start(): Promise<void> {
    started(this, "A faulty server");
    await new Promise<void>((resolve) => this.#server.listen(0, "127.0.0.1", resolve));
  }

  async stop(): Promise<void> {
    stopped(this);
    this.#server.closeAllConnections();
    await new Promise((resolve) => this.#server.close(resolve));
  }

  /** Clears earlier requests and sets the next treatments. */
  setTreatments(...treatments: Treatment[]): void {
    this.treatments = treatments;
    this.requests.length = 0;
  }

  async #treat(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const treatment = this.treatments.length > 1 ? this.treatments.shift()! : this.treatments[0]!;
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk);
    this.requests.push({
      method: request.method!,
      path: request.url!,
      headers: request.headers as ReceivedRequest["headers"],
      body: Buffer.concat(chunks).toString(),
    });
    if (treatment === "silence") return;
    if (treatment === "hang up") {
      request.socket.destroy();
      return;
    }
    if (treatment === "hang up in the middle") {
      response.writeHead(200, { "content-type": "application/json", "content-length": "100" });
      response.write('{"half":', () => request.socket.destroy());
      return;
    }
    if (treatment === "drip") {
      response.writeHead(200, { "content-type": "application/json" });
      const drops = setInterval(() => response.write(" "), 20);
      request.socket.on("close", () => clearInterval(drops));
      return;
    }
    const { status, headers, body } = treatment;
    // Bun itself retries a GET or DELETE on a broken keep-alive connection; tests count only the client's retries.
    response.writeHead(status, { "content-type": "application/json", connection: "close", ...headers });
    response.end(typeof body === "string" ? body : JSON.stringify(body));
  }
}
