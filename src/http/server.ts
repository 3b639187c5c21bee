import { splitAddress } from "./request.ts";

/** Above the largest body that any operation takes; each operation's own limit is lower and answers as a problem. */
const largestRequest = 64 * 1024 * 1024;

export interface ListenOptions {
  host: string;
  port: number;
  /** Plain routes by exact path; everything else goes to the pipeline. */
  system: Record<string, () => Response | Promise<Response>>;
  handle(request: Request): Promise<Response>;
}

export interface Listener {
  port: number;
  /** Takes no new connections and waits for the requests under way. */
  stop(): Promise<void>;
}

export function listen({ host, port, system, handle }: ListenOptions): Listener {
  const server = Bun.serve({
    hostname: host,
    port,
    maxRequestBodySize: largestRequest,
    idleTimeout: 60,
    development: false,
    fetch(request) {
      // Interface paths are asked for a thousand times as often as the others.
      if (request.url.includes("/v1/")) return handle(request);
      const route = system[splitAddress(request.url).path];
      return route && (request.method === "GET" || request.method === "HEAD") ? route() : handle(request);
    },
  });
  return { port: server.port!, stop: () => server.stop() };
}
