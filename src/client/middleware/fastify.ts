/** `@tollgate/client/fastify`: a plugin for Fastify 5. */
import type {} from "fastify";
import { type Access, Guard, type MiddlewareOptions } from "./guard.ts";

export type { Access, MiddlewareOptions } from "./guard.ts";

declare module "fastify" {
  interface FastifyRequest {
    /** The caller; undefined if the server was unavailable and `onUnavailable` is `allow`. */
    tollgate?: Access | undefined;
  }
}

/** The parts of Fastify's request that the plugin uses. */
export interface FastifyRequest {
  headers: Record<string, string | string[] | undefined>;
  url: string;
  ip: string;
  tollgate?: Access | undefined;
}

export interface FastifyReply {
  code(status: number): unknown;
  headers(fields: Record<string, string>): unknown;
  send(body: string): unknown;
}

export interface FastifyInstance {
  decorateRequest(name: "tollgate"): unknown;
  addHook(name: "onRequest", hook: (request: FastifyRequest, reply: FastifyReply) => Promise<unknown>): unknown;
}

/**
 * Rejects requests without a valid key, on all routes of the scope in which it is registered. `request.tollgate.consumer`
 * is the caller.
 *
 * @example
 * ```ts
 * import { tollgate } from "@tollgate/client/fastify";
 * import Fastify from "fastify";
 *
 * const app = Fastify();
 * await app.register(tollgate, { url: "https://tollgate.example.com", token: "tgt_…", bucket: "main" });
 * app.get("/forecast", async (request) => ({ for: request.tollgate?.consumer.name }));
 * ```
 */
export async function tollgate(instance: FastifyInstance, options: MiddlewareOptions<FastifyRequest>): Promise<void> {
  const guard = new Guard<FastifyRequest>(options);
  instance.decorateRequest("tollgate");
  instance.addHook("onRequest", async (request, reply) => {
    const header = (name: string) => {
      const value = request.headers[name];
      return typeof value === "string" ? value : value?.[0];
    };
    const path = request.url.split("?", 1)[0]!;
    const decision = await guard.decide(request, { header, path, ip: request.ip });
    if (decision.rejection) {
      const { status, headers, body } = decision.rejection;
      reply.code(status);
      reply.headers(headers);
      reply.send(body);
      return reply;
    }
    request.tollgate = decision.access;
    reply.headers(decision.headers);
    return undefined;
  });
}

// As `fastify-plugin` does: the hook applies to the scope that registers the plugin, not to one of its own.
Object.assign(tollgate, {
  [Symbol.for("skip-override")]: true,
  [Symbol.for("fastify.display-name")]: "@tollgate/client",
});
