import type { Reads } from "../../../platform/storage/storage.ts";
import { type LogLine, type LogSelection, lineOf, readLog } from "../../gateways/deployments/logs/logs.ts";
import { newRequestsFor } from "./follow-requests.ts";
import type { NewRequests } from "./request-tail.ts";
import { type Omitted, requestOf, type StoredRequest } from "./requests.ts";
import { newestRequests, omittedMinutes, type RequestLogScope } from "./store.ts";

type DeploymentLogScope = RequestLogScope & { deploymentSeq: number };

const allIds = { from: "", below: "req_~" };

/** Returns the newest lines of a deployment's code, builds and requests, oldest first. */
export async function readDeploymentLog(
  reads: Reads,
  scope: DeploymentLogScope,
  { limit, since, kind }: LogSelection,
): Promise<LogLine[]> {
  const lines = await readLog(reads, scope.deploymentSeq, { limit, since, kind });
  if (kind !== undefined && kind !== "access") return lines;
  const requests = await newestRequests(reads, scope, { ...allIds, limit }, { from: since });
  const omitted = await omittedMinutes(reads, scope.deploymentSeq, since ?? 0, limit);
  const access = [...requests.map(requestOf).map(accessLine).reverse(), ...omitted.map(omittedLine)];
  return [...lines, ...access].sort((one, other) => one.time - other.time).slice(-limit);
}

/** The new lines, in the format of `readDeploymentLog`. */
export function newLines(news: NewRequests, scope: DeploymentLogScope, kind: string | undefined): LogLine[] {
  const access = kind === undefined || kind === "access" ? newRequestsFor(news, scope, {}).requests : [];
  const others = news.lines.filter(
    (row) => row.deployment_seq === scope.deploymentSeq && (kind === undefined || row.kind === kind),
  );
  return [...others.map(lineOf), ...access.map(requestOf).map(accessLine)].sort((one, other) => one.time - other.time);
}

/** Replaces the lines that a slow client has missed. */
export function missedLine({ successes, failures }: Omitted, time: number): LogLine {
  const message = `${successes + failures} lines were dropped: the client was too slow.`;
  return { id: `omitted_${time}`, time, kind: "access", level: "warn", message };
}

function accessLine(request: StoredRequest): LogLine {
  const { id, time, requestId, method, path, route, status, durationMs, consumer, code, detail, error } = request;
  const reasons = [code && `${code}: ${detail}`, error].filter((reason) => reason);
  const line = `${method} ${path} ${status}`;
  return {
    id,
    time,
    kind: "access",
    level: status >= 500 ? "warn" : "info",
    message: reasons.length === 0 ? line : `${line}: ${reasons.join(" ")}`,
    requestId,
    method,
    path,
    ...(route === undefined ? {} : { route }),
    status,
    durationMs,
    ...(consumer === undefined ? {} : { consumer }),
  };
}

function omittedLine({
  minute,
  successes,
  failures,
}: {
  minute: number;
  successes: number;
  failures: number;
}): LogLine {
  return {
    id: `omitted_${minute}`,
    time: minute,
    kind: "access",
    level: "warn",
    message: `${Number(successes) + Number(failures)} lines were dropped: there was too much traffic.`,
  };
}
