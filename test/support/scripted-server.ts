import { createServer, type Server, type Socket } from "node:net";
import type { ClientRequest } from "../../src/platform/http1/client/client-request.ts";
import { HttpHeaders } from "../../src/platform/http1/message/headers.ts";
import { started, stopped } from "./left-running.ts";

/** A server with a scripted response to each chunk it receives. */
export class ScriptedServer {
  readonly received: string[] = [];
  connections = 0;
  closed = 0;
  readonly sockets: Socket[] = [];
  readonly #server: Server;

  private constructor(response: (socket: Socket, text: string, connection: number) => void) {
    this.#server = createServer((socket) => {
      this.connections += 1;
      const connection = this.connections;
      this.sockets.push(socket);
      socket.on("error", () => {});
      socket.on("close", () => {
        this.closed += 1;
      });
      socket.on("data", (piece) => {
        const text = piece.toString("latin1");
        this.received.push(text);
        response(socket, text, connection);
      });
    });
  }

  static async start(response: (socket: Socket, text: string, connection: number) => void): Promise<ScriptedServer> {
    const server = new ScriptedServer(response);
    await new Promise<void>((resolve) => server.#server.listen(0, "127.0.0.1", resolve));
    started(server, "a scripted server");
    return server;
  }

  get port(): number {
    return (this.#server.address() as { port: number }).port;
  }

  async stop(): Promise<void> {
    stopped(this);
    for (const socket of this.sockets) socket.destroy();
    await new Promise((resolve) => this.#server.close(resolve));
  }
}

export function requestTo(port: number, parts: Partial<ClientRequest> = {}): ClientRequest {
  const host = `127.0.0.1:${port}`;
  return {
    origin: { key: host, host, connect: { hostname: "127.0.0.1", port, tls: undefined } },
    method: "GET",
    target: "/x",
    headers: new HttpHeaders(),
    body: undefined,
    ...parts,
  };
}

/** Calls `work` with a server that responds with these bytes to each chunk it receives. */
export async function withResponse<Result>(
  bytes: string,
  work: (server: ScriptedServer) => Promise<Result>,
  isEnded = false,
): Promise<Result> {
  const server = await ScriptedServer.start((socket) => {
    socket.write(bytes);
    if (isEnded) socket.end();
  });
  try {
    return await work(server);
  } finally {
    await server.stop();
  }
}

export const ok = "HTTP/1.1 200 OK\r\ncontent-length: 2\r\n\r\nok";
