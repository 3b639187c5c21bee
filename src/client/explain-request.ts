import { nameOf, type Reason, type ExplainedRequest as Request, rejectionOf, sentence } from "./rejections.ts";

/**
 * Explains the outcome of a request in one sentence.
 *
 * @example
 * ```ts
 * const { data } = await client.requests.list({ status: "429", limit: 1 });
 * for (const request of data) console.log(explainRequest(request));
 * // 429: consumer acme has used 1,000 of 1,000 requests of plan Gold in this period; it resets on 1 December 2026 at 00:00 UTC.
 * ```
 */
export function explainRequest(request: Request): string {
  return [`${request.status}: ${reasonOf(request)[1]}.`, ...observationsOf(request)].join(" ");
}

/** The rejections of policies in `observe`, each as a sentence. */
export function observationsOf(request: Request): string[] {
  return request.decisions
    .filter(({ outcome }) => outcome === "observed")
    .map((decision) => {
      const [, reason] = rejectionOf(decision, { ...request, code: undefined, detail: undefined });
      return `${nameOf(decision).replace(/^p/, "P")} would have rejected it with ${decision.code}: ${reason}.`;
    });
}

/** The cause of a request's outcome in a few words, such as `Key disabled`, for lists and headings. */
export function causeOf(request: Request): string {
  return reasonOf(request)[0];
}

function reasonOf(request: Request): Reason {
  if (request.status === 499) return ["Client disconnected", "the client went away before the response"];
  const stopped = request.decisions.find(({ outcome }) => outcome === "rejected" || outcome === "answered");
  if (stopped?.outcome === "rejected") return rejectionOf(stopped, request);
  if (stopped)
    return [`Response of ${stopped.policy}`, `${nameOf(stopped)} responded, and the request went no further`];
  return request.target ? targetReason(request) : withoutTarget(request);
}

function targetReason({ code, detail, status, error, target }: Request): Reason {
  const { kind, url, module, ms, attempts } = target!;
  const what = kind === "upstream" ? `the upstream ${url}` : `the handler ${module}`;
  switch (code) {
    case undefined:
      return [`Response of the ${kind}`, `${what} responded with ${status} after ${milliseconds(ms)}`];
    case "upstream_unavailable":
      return [
        "Upstream unreachable",
        `${what} could not be reached${attempts > 1 ? ` in ${attempts} attempts` : ""}: ${sentence(error)}`,
      ];
    case "all_targets_down":
      return ["All targets down", `all targets of the upstream are down, and ${what} failed too: ${sentence(error)}`];
    case "upstream_not_allowed":
      return ["Upstream not allowed", `${what} is not an address that deployments may reach: ${sentence(error)}`];
    case "upstream_timeout":
      return ["Upstream timed out", `${what} did not respond in time; the gateway waited for ${milliseconds(ms)}`];
    case "handler_timeout":
      return ["Handler timed out", `${what} did not respond in time; the gateway waited for ${milliseconds(ms)}`];
    case "handler_failed":
      return ["Handler failed", `${what} failed: ${sentence(error)}`];
    case "handler_crashed":
      return ["Handler was stopped", `${what} was stopped: ${sentence(error)}`];
    case "deployment_unavailable":
      return ["Too many requests at once", `${what} had too many requests at once`];
    default:
      return withoutTarget({ code, detail } as Request);
  }
}

function withoutTarget({ code, detail, method, path }: Request): Reason {
  switch (code) {
    case "no_such_route":
      return ["No such route", `the deployment has no route for ${path}`];
    case "method_not_allowed":
      return ["Method not allowed", `the route of ${path} does not take ${method}`];
    case "malformed_path":
      return ["Invalid path", `the path ${path} is invalid, or an upstream could read it as that of another route`];
    case "malformed_request":
      return ["Malformed request", "the client sent a body that breaks the protocol"];
    case undefined:
      return ["Response of the gateway", "the gateway responded itself"];
    default:
      return [wordsOf(code), sentence(detail ?? code)];
  }
}

/** `internal_error` as `Internal error`. */
function wordsOf(code: string): string {
  return code.charAt(0).toUpperCase() + code.slice(1).replaceAll("_", " ");
}

function milliseconds(value: number): string {
  return value < 1000 ? `${Math.round(value * 10) / 10} ms` : `${(value / 1000).toFixed(1)} s`;
}
