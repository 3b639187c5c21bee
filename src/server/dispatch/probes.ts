import type { Phase } from "../../lib/tasks/lifecycle.ts";
import { HttpHeaders } from "../../platform/http1/message/headers.ts";
import type { HttpRequest } from "../../platform/http1/message/http-request.ts";
import { HttpResponse } from "../../platform/http1/message/http-response.ts";
import { splitTarget } from "../../platform/http1/message/target.ts";
import type { Storage } from "../../platform/storage/storage.ts";

export interface ProcessProbeOptions {
  storage: Pick<Storage, "engine" | "feed">;
  version: string;
  phase(): Phase;
}

export interface StorageState {
  /** Whether the last check of storage succeeded. */
  readonly isAvailable: boolean;
}

/** Probes may use any address. */
export const probePaths: ReadonlySet<string> = new Set(["/healthz", "/readyz", "/storagez"]);

/**
 * Probes of one process; each worker serves its own. They do not depend on storage: without it, requests that need none
 * are served, and a load balancer that removed every node would end those too.
 */
export function processProbes({
  storage,
  version,
  phase,
}: ProcessProbeOptions): Record<string, (request: Pick<HttpRequest, "target">) => HttpResponse> {
  return {
    "/healthz": () => jsonResponse(200, { status: "alive" }),
    "/readyz": ({ target }) =>
      phase() === "ready"
        ? jsonResponse(200, { status: "ready", version, storage: storage.engine, feed: storage.feed.trust() })
        : unsuccessful(
            { status: "unready", reason: phase() },
            phase() === "stopping" && splitTarget(target).search === "stopping=404" ? 404 : 503,
          ),
  };
}

/** For alerts: storage is shared by all nodes, so that removing this one would not help. */
export function storageProbe(engine: Storage["engine"], check: StorageState): () => HttpResponse {
  return () =>
    check.isAvailable
      ? jsonResponse(200, { status: "available", storage: engine })
      : unsuccessful({ status: "unavailable", storage: engine, reason: "the last write failed" });
}

export function jsonResponse(status: number, body: object, headers: Record<string, string> = {}): HttpResponse {
  return new HttpResponse(
    status,
    new HttpHeaders({ "content-type": "application/json", ...headers }),
    JSON.stringify(body),
  );
}

function unsuccessful(body: object, status = 503): HttpResponse {
  return jsonResponse(status, body, { "retry-after": "1" });
}
