import { createServer, type Server, type Socket } from "node:net";
import { started, stopped } from "./left-running.ts";

/** A request of one connection as text, and the connection to respond on. */
export interface RawRequest {
  /** First line and headers. */
  head: string;
  method: string;
  path: string;
  /** By name in lower case, as sent. */
  headers: Map<string, string>;
  socket: Socket;
}

/** An upstream whose responses are defined byte by byte, also invalid ones. */
export class RawUpstream {
  readonly requests: RawRequest[] = [];
  /** The number of closed connections, by either side. */
  closed = 0;
  readonly #sockets = new Set<Socket>();
  readonly #server: Server;

  private constructor(respond: (request: RawRequest) => void) {
    this.#server = createServer((socket) => {
      this.#sockets.add(socket);
      let text = "";
      socket.on("error", () => {});
      socket.on("close", () => {
        this.#sockets.delete(socket);
        this.closed += 1;
      });
      socket.on("data", (piece) => {
        text += piece.toString("latin1");
        const end = text.indexOf("\r\n\r\n");
        if (end === -1) return;
        const head = text.slice(0, end);
        text = "";
        const [first = "", ...lines] = head.split("\r\n");
        const [method = "", path = ""] = first.split(" ");
        const headers = new Map(
          lines.map((line) => {
            const colon = line.indexOf(":");
            return [line.slice(0, colon).toLowerCase(), line.slice(colon + 1).trim()] as const;
          }),
        );
        const request = { head, method, path, headers, socket };
        this.requests.push(request);
        respond(request);
      });
    });
  }

  static async start(respond: (request: RawRequest) => void): Promise<RawUpstream> {
    const upstream = new RawUpstream(respond);
    await new Promise<void>((resolve) => upstream.#server.listen(0, "127.0.0.1", resolve));
    started(upstream, "an upstream");
    return upstream;
  }

  get url(): string {
    return `http://127.0.0.1:${(this.#server.address() as { port: number }).port}`;
  }

  async stop(): Promise<void> {
    stopped(this);
    for (const socket of this.#sockets) socket.destroy();
    await new Promise((resolve) => this.#server.close(resolve));
  }
}

export function responseText(body: string, headers: string[] = []): string {
  return ["HTTP/1.1 200 OK", `content-length: ${Buffer.byteLength(body)}`, ...headers, "", body].join("\r\n");
}
