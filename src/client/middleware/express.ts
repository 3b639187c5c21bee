/** `@tollgate/client/express`: middleware for Express 5. */
import { type Access, Guard, type MiddlewareOptions } from "./guard.ts";

export type { Access, MiddlewareOptions } from "./guard.ts";

declare global {
  namespace Express {
    interface Request {
      /** The caller; undefined if the server was unavailable and `onUnavailable` is `allow`. */
      tollgate?: Access | undefined;
    }
  }
}

/** The parts of Express's request that the middleware uses. */
export interface ExpressRequest {
  get(name: string): string | undefined;
  originalUrl: string;
  ip?: string | undefined;
  tollgate?: Access | undefined;
}

export interface ExpressResponse {
  status(code: number): unknown;
  set(fields: Record<string, string>): unknown;
  end(body: string): unknown;
}

/**
 * Rejects requests without a valid key. `request.tollgate.consumer` is the caller.
 *
 * @example
 * ```ts
 * import { tollgate } from "@tollgate/client/express";
 * import express from "express";
 *
 * const app = express();
 * app.use(tollgate({ url: "https://tollgate.example.com", token: "tgt_…", bucket: "main" }));
 * app.get("/forecast", (request, response) => response.json({ for: request.tollgate?.consumer.name }));
 * ```
 */
export function tollgate<Request extends ExpressRequest = ExpressRequest>(options: MiddlewareOptions<Request>) {
  const guard = new Guard<Request>(options);
  return async (request: Request, response: ExpressResponse, next: (error?: unknown) => void): Promise<void> => {
    try {
      const path = request.originalUrl.split("?", 1)[0]!;
      const decision = await guard.decide(request, { header: (name) => request.get(name), path, ip: request.ip });
      if (decision.rejection) {
        const { status, headers, body } = decision.rejection;
        response.status(status);
        response.set(headers);
        response.end(body);
        return;
      }
      request.tollgate = decision.access;
      response.set(decision.headers);
    } catch (error) {
      // Express 4 does not catch what an async function throws.
      next(error);
      return;
    }
    next();
  };
}
