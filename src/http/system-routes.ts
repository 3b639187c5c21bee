import type { Storage } from "../storage/storage.ts";
import type { Metrics } from "../telemetry/metrics.ts";
import { docsRoutes } from "./docs-page.ts";

export interface SystemOptions {
  storage: Storage;
  metrics: Metrics;
  /** Written when somebody asks: it takes as long as the rest of the start. */
  openApi(): object;
  /** True once the server has begun to stop. */
  isStopping(): boolean;
}

type SystemRoute = () => Response | Promise<Response>;

/** What operators and tools ask without a token. */
export function systemRoutes({ storage, metrics, openApi, isStopping }: SystemOptions): Record<string, SystemRoute> {
  let document: string | undefined;
  return {
    "/": () => new Response(null, { status: 302, headers: { location: "/docs" } }),
    "/healthz": () => Response.json({ status: "alive" }),
    "/readyz": async () => {
      if (isStopping()) return unready("stopping");
      try {
        await storage.ping();
      } catch {
        return unready("storage does not answer");
      }
      return Response.json({ status: "ready", storage: storage.engine, feed: storage.feed.trust() });
    },
    "/metrics": async () => new Response(await metrics.text(), { headers: { "content-type": metrics.contentType } }),
    "/openapi.json": () => {
      document ??= JSON.stringify(openApi());
      return new Response(document, { headers: { "content-type": "application/json" } });
    },
    ...docsRoutes(),
  };
}

function unready(reason: string): Response {
  return Response.json({ status: "unready", reason }, { status: 503, headers: { "retry-after": "1" } });
}
