import { dropHopByHop } from "../lib/hop-by-hop.ts";
import { type Egress, EgressRefused } from "./egress.ts";

/** Says whether code asked for http or https; the connection to this server is neither. Set by workerd. */
export const schemeHeader = "x-tollgate-scheme";

/**
 * Where the requests of code come out of their sandbox. Listens on a socket in a folder that only this user may enter, and
 * that code cannot name: it can ask for URLs, and every URL passes through the egress.
 */
export class EgressServer {
  readonly #server: Bun.Server<undefined>;

  constructor(egress: Egress, socket: string) {
    this.#server = Bun.serve({
      unix: socket,
      maxRequestBodySize: Number.MAX_SAFE_INTEGER,
      fetch: (request, server) => {
        // How long an answer may be quiet is for the code to say.
        server.timeout(request, 0);
        return forward(egress, request);
      },
    });
  }

  async stop(): Promise<void> {
    await this.#server.stop(true);
  }
}

async function forward(egress: Egress, request: Request): Promise<Response> {
  const scheme = request.headers.get(schemeHeader);
  if (scheme !== "http" && scheme !== "https")
    return problem(400, "invalid_url", "Only http and https can be fetched.");
  const url = `${scheme}${request.url.slice(request.url.indexOf(":"))}`;
  try {
    const { method, body, signal } = request;
    return await egress.fetch(url, { method, headers: endToEnd(request.headers), body, signal });
  } catch (error) {
    if (error instanceof EgressRefused) return problem(403, "egress_refused", `${error.message}.`);
    return problem(502, "egress_failed", `${new URL(url).host} could not be reached: ${reasonOf(error)}.`);
  }
}

function endToEnd(headers: Headers): Headers {
  const kept = new Headers(headers);
  dropHopByHop(kept, (name) => name === schemeHeader);
  return kept;
}

function reasonOf(error: unknown): string {
  return error instanceof Error && "code" in error ? String(error.code) : "the connection failed";
}

function problem(status: number, code: string, detail: string): Response {
  const type = `https://httpproblems.com/http-status/${status}`;
  const headers = { "content-type": "application/problem+json" };
  return Response.json({ type, status, code, detail }, { status, headers });
}
