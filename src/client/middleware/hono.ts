/** `@tollgate/client/hono`: middleware for Hono 4, in Node, Bun, workers and Deno. */
import type {} from "hono";
import { type Access, Guard, type MiddlewareOptions } from "./guard.ts";

export type { Access, MiddlewareOptions } from "./guard.ts";

declare module "hono" {
  interface ContextVariableMap {
    /** The caller; undefined if the server was unavailable and `onUnavailable` is `allow`. */
    tollgate: Access | undefined;
  }
}

/** The parts of Hono's context that the middleware uses. */
export interface HonoContext {
  req: { header(name: string): string | undefined; path: string };
  set(name: "tollgate", value: Access | undefined): void;
  header(name: string, value: string): void;
}

/**
 * Rejects requests without a valid key. `context.var.tollgate.consumer` is the caller. Hono has no client address: for
 * keys with `allowedIps`, set `ip`.
 *
 * @example
 * ```ts
 * import { tollgate } from "@tollgate/client/hono";
 * import { Hono } from "hono";
 *
 * const app = new Hono();
 * app.use(tollgate({ url: "https://tollgate.example.com", token: "tgt_…", bucket: "main" }));
 * app.get("/forecast", (context) => context.json({ for: context.var.tollgate?.consumer.name }));
 * ```
 */
export function tollgate<Context extends HonoContext>(options: MiddlewareOptions<Context>) {
  const guard = new Guard<Context>(options);
  return async (context: Context, next: () => Promise<void>): Promise<Response | undefined> => {
    const { req } = context;
    const decision = await guard.decide(context, { header: (name) => req.header(name), path: req.path });
    if (decision.rejection) {
      const { status, headers, body } = decision.rejection;
      return new Response(body, { status, headers });
    }
    context.set("tollgate", decision.access);
    await next();
    for (const [name, value] of Object.entries(decision.headers)) context.header(name, value);
    return undefined;
  };
}
