import { createHash, timingSafeEqual } from "node:crypto";
import { gzip } from "../../api/compression.ts";
import { requestIdOf } from "../../core/http/request-id.ts";
import { problemResponse, toResponse } from "../../core/http/response.ts";
import type { Metrics } from "../../core/metrics/metrics.ts";
import { Problem } from "../../core/problems/problem.ts";
import { acceptsGzip } from "../../lib/http/accept-encoding.ts";
import { compressedTag, matchesTag } from "../../lib/http/etag.ts";
import { HttpHeaders } from "../../platform/http1/message/headers.ts";
import type { HttpRequest } from "../../platform/http1/message/http-request.ts";
import { HttpResponse } from "../../platform/http1/message/http-response.ts";
import { jsonResponse, type ProcessProbeOptions, processProbes, type StorageState, storageProbe } from "./probes.ts";

interface SystemOptions extends ProcessProbeOptions {
  storageCheck: StorageState;
  /** `text` returns a promise if workers are asked for theirs. */
  metrics: Pick<Metrics, "contentType"> & { text(options: { withNames: boolean }): string | Promise<string> };
  /** The public keys that verify audit log heads, as JSON Web Keys. */
  auditKeys: object[];
  /** Generated on demand: it takes as long as the rest of the start. */
  openApi(): Promise<object>;
  /** The operations of portals' own pages. */
  portalOpenApi(): Promise<object>;
  /** JSON Schemas of the files that users write, by path. Generated on demand. */
  schemas: Record<string, () => Promise<object>>;
  /** Requests with this token get names in `/metrics`; others only get totals. */
  metricsToken: string | undefined;
  now(): number;
}

export type SystemRoute = (request: HttpRequest) => HttpResponse | Promise<HttpResponse>;

/** Endpoints for operators and tools. They require no API token. */
export function systemRoutes({
  storage,
  storageCheck,
  metrics,
  metricsToken,
  version,
  auditKeys,
  openApi,
  portalOpenApi,
  schemas,
  phase,
  now,
}: SystemOptions): Record<string, SystemRoute> {
  return {
    "/": () => new HttpResponse(302, new HttpHeaders({ location: "/console" })),
    ...processProbes({ storage, version, phase }),
    "/storagez": storageProbe(storage.engine, storageCheck),
    "/metrics": async (request) => {
      const isNamed = metricsToken !== undefined && bears(request, metricsToken);
      // A wrong token is rejected: otherwise the scraper would miss the names without an error.
      if (metricsToken !== undefined && !isNamed && request.headers.has("authorization")) {
        const requestId = requestIdOf(request);
        const detail =
          "Send `Authorization: Bearer <token>` with the value of TOLLGATE_METRICS_TOKEN, the only token for /metrics.";
        const problem = new Problem("unauthenticated", { detail });
        return toResponse(problemResponse(problem, { path: "/metrics", requestId, now: now() }), requestId);
      }
      return new HttpResponse(
        200,
        new HttpHeaders({ "content-type": metrics.contentType }),
        await metrics.text({ withNames: isNamed }),
      );
    },
    "/.well-known/tollgate-audit-key": () => jsonResponse(200, { keys: auditKeys }),
    "/openapi.json": documentRoute("application/json", openApi),
    "/portal/openapi.json": documentRoute("application/json", portalOpenApi),
    ...Object.fromEntries(
      Object.entries(schemas).map(([path, generate]) => [path, documentRoute("application/schema+json", generate)]),
    ),
  };
}

/**
 * Encodes and compresses the document at its first request. All responses share these bytes: 2,000 clients that do not
 * read a copy of 1.2 MB each took 1.2 GB.
 */
export function documentRoute(type: string, generate: () => object | Promise<object>): SystemRoute {
  const encode = async () => {
    const body = Buffer.from(JSON.stringify(await generate()));
    return { body, packed: await gzip(body), etag: `"${Bun.hash(body).toString(36)}"` };
  };
  let encoded: ReturnType<typeof encode> | undefined;
  return async ({ headers }) => {
    encoded ??= encode().catch((error) => {
      encoded = undefined;
      throw error;
    });
    const { body, packed, etag } = await encoded;
    const isPacked = acceptsGzip(headers.get("accept-encoding"));
    const fields = new HttpHeaders({
      "cache-control": "no-cache",
      vary: "accept-encoding",
      etag: isPacked ? compressedTag(etag) : etag,
    });
    if (matchesTag(headers.get("if-none-match") ?? "", etag)) return new HttpResponse(304, fields);
    fields.set("content-type", type);
    if (isPacked) fields.set("content-encoding", "gzip");
    return new HttpResponse(200, fields, isPacked ? packed : body);
  };
}

/** Compares hashes, so that the duration does not depend on the token. */
function bears({ headers }: HttpRequest, token: string): boolean {
  const given = /^Bearer +(\S+)$/i.exec(headers.get("authorization") ?? "")?.[1] ?? "";
  return timingSafeEqual(sha256(given), sha256(token));
}

function sha256(text: string): Buffer {
  return createHash("sha256").update(text).digest();
}
