import type { HttpClient } from "../http1/client/http-client.ts";
import { HttpHeaders } from "../http1/message/headers.ts";
import { dropHopByHop } from "../http1/message/hop-by-hop.ts";
import type { HttpRequest } from "../http1/message/http-request.ts";
import { HttpResponse } from "../http1/message/http-response.ts";
import type { ConnectionLimiter } from "../http1/server/connection-limiter.ts";
import { HttpServer } from "../http1/server/http-server.ts";
import { type Egress, EgressDenied } from "./egress.ts";

/** The scheme of the fetched URL, set by workerd: the connection to this server is a Unix socket. */
export const schemeHeader = "x-tollgate-scheme";

interface EgressServerOptions {
  egress: Egress;
  client: HttpClient;
  /** The Unix socket to listen on. */
  socket: string;
  now(): number;
  limiter?: ConnectionLimiter;
}

/**
 * Forwards the `fetch` calls of sandboxed code through the egress rules. Listens on a Unix socket in a folder that only
 * this user can enter and that code cannot name.
 */
export class EgressServer {
  readonly #server: HttpServer;

  constructor(private readonly options: EgressServerOptions) {
    this.#server = new HttpServer({
      address: { unix: options.socket },
      now: options.now,
      ...(options.limiter && { limiter: options.limiter }),
      handle: (request) => this.#forward(request),
      reject: ({ message, status }) => problem(status, "invalid_request", message),
      onError: (error) => problem(502, "egress_failed", reasonOf(error)),
    });
  }

  async stop(): Promise<void> {
    await this.#server.stop(0);
  }

  async #forward(request: HttpRequest): Promise<HttpResponse> {
    const { method, target, headers, body } = request;
    const scheme = headers.get(schemeHeader);
    if (scheme !== "http" && scheme !== "https")
      return problem(400, "invalid_url", "Only http and https can be fetched.");
    const host = headers.get("host") ?? "";
    try {
      const { origin } = await this.options.egress.locate(`${scheme}://${host}`);
      dropHopByHop(headers, (name) => name === schemeHeader);
      const { pending, response: received } = this.options.client.request({
        origin,
        method,
        target,
        headers: this.options.egress.headersFor(headers, origin),
        body,
      });
      request.abortListener = { onAbort: () => pending.cancel(new Error("the code disconnected")) };
      const response = await received;
      request.abortListener = undefined;
      dropHopByHop(response.headers);
      return response;
    } catch (error) {
      if (error instanceof EgressDenied) return problem(403, "egress_refused", `${error.message}.`);
      return problem(502, "egress_failed", `${host} could not be reached: ${reasonOf(error)}.`);
    }
  }
}

function reasonOf(error: unknown): string {
  return error instanceof Error && "code" in error ? String(error.code) : "the connection failed";
}

function problem(status: number, code: string, detail: string): HttpResponse {
  const body = { type: `https://httpproblems.com/http-status/${status}`, status, code, detail };
  const headers = new HttpHeaders({ "content-type": "application/problem+json" });
  return new HttpResponse(status, headers, JSON.stringify(body));
}
