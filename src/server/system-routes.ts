import type { Metrics } from "../core/metrics/metrics.ts";
import { HttpHeaders } from "../platform/http1/headers.ts";
import { HttpResponse } from "../platform/http1/http-response.ts";
import type { Storage } from "../platform/storage/storage.ts";
import { docsRoutes } from "./docs-page.ts";

export interface SystemOptions {
  storage: Storage;
  metrics: Metrics;
  version: string;
  /** The public halves of the keys that sign heads of the audit log, as JSON Web Keys. */
  auditKeys: object[];
  /** Generated on demand: it takes as long as the rest of the start. */
  openApi(): object;
  /** True once shutdown has begun. */
  isStopping(): boolean;
}

export type SystemRoute = () => HttpResponse | Promise<HttpResponse>;

/** Endpoints for operators and tools, without a token. */
export function systemRoutes({
  storage,
  metrics,
  version,
  auditKeys,
  openApi,
  isStopping,
}: SystemOptions): Record<string, SystemRoute> {
  let document: string | undefined;
  return {
    "/": () => new HttpResponse(302, new HttpHeaders({ location: "/console" })),
    "/healthz": () => json(200, { status: "alive" }),
    "/readyz": async () => {
      if (isStopping()) return unready("stopping");
      try {
        await storage.ping();
      } catch {
        return unready("storage is unavailable");
      }
      return json(200, { status: "ready", version, storage: storage.engine, feed: storage.feed.trust() });
    },
    "/metrics": () => new HttpResponse(200, new HttpHeaders({ "content-type": metrics.contentType }), metrics.text()),
    "/.well-known/tollgate-audit-key": () => json(200, { keys: auditKeys }),
    "/openapi.json": () => {
      document ??= JSON.stringify(openApi());
      return new HttpResponse(200, new HttpHeaders({ "content-type": "application/json" }), document);
    },
    ...docsRoutes(),
  };
}

function unready(reason: string): HttpResponse {
  return json(503, { status: "unready", reason }, { "retry-after": "1" });
}

function json(status: number, body: object, headers: Record<string, string> = {}): HttpResponse {
  return new HttpResponse(
    status,
    new HttpHeaders({ "content-type": "application/json", ...headers }),
    JSON.stringify(body),
  );
}
