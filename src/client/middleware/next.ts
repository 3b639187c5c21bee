/** `@tollgate/client/next`: guards route handlers and the proxy of Next.js. */
import { type Access, Guard, type MiddlewareOptions } from "./guard.ts";

export type { Access, MiddlewareOptions } from "./guard.ts";

export interface Guarded {
  /** The caller; undefined if the server was unavailable and `onUnavailable` is `allow`. */
  tollgate: Access | undefined;
}

type Handler<Request, Context, Result> = (request: Request, context: Context) => Result;

/**
 * Returns a function that wraps handlers: requests without a valid key are rejected. `request.tollgate.consumer` is the
 * caller. Next.js has no client address: for keys with `allowedIps`, set `ip`.
 *
 * @example
 * ```ts
 * import { tollgate } from "@tollgate/client/next";
 *
 * const guarded = tollgate({ url: "https://tollgate.example.com", token: "tgt_…", bucket: "main" });
 * export const GET = guarded((request) => Response.json({ for: request.tollgate?.consumer.name }));
 * ```
 */
export function tollgate(options: MiddlewareOptions<Request>) {
  const guard = new Guard<Request>(options);
  return <Incoming extends Request, Context = unknown>(
    handle: Handler<Incoming & Guarded, Context, Response | Promise<Response>>,
  ): Handler<Incoming, Context, Promise<Response>> =>
    async (request, context) => {
      const seen = { header: (name: string) => request.headers.get(name), path: new URL(request.url).pathname };
      const decision = await guard.decide(request, seen);
      if (decision.rejection) {
        const { status, headers, body } = decision.rejection;
        return new Response(body, { status, headers });
      }
      const response = await handle(Object.assign(request, { tollgate: decision.access }), context);
      return withHeaders(response, decision.headers);
    };
}

function withHeaders(response: Response, headers: Record<string, string>): Response {
  const added = Object.entries(headers);
  try {
    for (const [name, value] of added) response.headers.set(name, value);
    return response;
  } catch {
    // The headers of redirects and of fetched responses are immutable.
    const copy = new Response(response.body, response);
    for (const [name, value] of added) copy.headers.set(name, value);
    return copy;
  }
}
