import { splitAddress } from "./request.ts";

/** Gateways forward bodies of any size; the operations of the interface have limits of their own. */
const largestRequest = Number.MAX_SAFE_INTEGER;

const patienceMilliseconds = 15_000;

export interface ListenOptions {
  host: string;
  port: number;
  /** Plain routes by exact path; everything else goes to the pipeline. */
  system: Record<string, () => Response | Promise<Response>>;
  handle(request: Request): Promise<Response>;
  /** What answers under the host names of deployments; undefined for the hosts of the interface itself. */
  gateway: {
    handle(request: Request, server: Bun.Server<unknown>): Promise<Response | undefined> | undefined;
    websocket: Bun.WebSocketHandler<unknown>;
  };
  /** Told of an answer that could not be sent; what it says may hold an upstream's address. */
  broken(error: unknown): void;
}

export interface Listener {
  port: number;
  /** Takes no new connections and waits for the requests under way. */
  stop(): Promise<void>;
}

export function listen({ host, port, system, handle, gateway, broken }: ListenOptions): Listener {
  // The origin that was last found not to be a deployment's: most requests to the interface come to one, and a look at
  // their address costs a twentieth of asking for their host.
  let ownOrigin = "/";
  const server: Bun.Server<unknown> = Bun.serve({
    hostname: host,
    port,
    maxRequestBodySize: largestRequest,
    idleTimeout: 60,
    development: false,
    // Said outright: in production Bun would let a second server share the port and take half of the requests.
    reusePort: false,
    websocket: gateway.websocket,
    // Without this Bun writes what broke, and the address of the upstream it broke at, to the error stream.
    error(error) {
      broken(error);
      return new Response(null, { status: 500 });
    },
    fetch(request) {
      const { url } = request;
      if (!url.startsWith(ownOrigin)) {
        const deployed = gateway.handle(request, server);
        if (deployed) return deployed;
        if (url.startsWith("http")) ownOrigin = url.slice(0, url.indexOf("/", url.indexOf("//") + 2) + 1);
      }
      // Interface paths are asked for a thousand times as often as the others.
      if (url.includes("/v1/")) return handle(request);
      const route = system[splitAddress(url).path];
      return route && (request.method === "GET" || request.method === "HEAD") ? route() : handle(request);
    },
  });
  return {
    port: server.port!,
    async stop() {
      const stopped = server.stop();
      // `stop` waits for every connection to end; what has to be waited for are the answers under way. A client that
      // sent half a request and fell silent is not waited for longer than this.
      const until = performance.now() + patienceMilliseconds;
      const drained = (async () => {
        while (server.pendingRequests > 0 && performance.now() < until) await Bun.sleep(5);
      })();
      await Promise.race([stopped, drained]);
      await server.stop(true);
    },
  };
}
