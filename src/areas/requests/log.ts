import type { Reads } from "../../platform/storage/storage.ts";
import { type LogLine, type LogSelection, lastLogSeq, logLinesAfter, readLog } from "../deployments/logs/logs.ts";
import { NewRows } from "./follower.ts";
import { type KeptRequest, requestOf } from "./requests.ts";
import { lastSeq, newestRequests, omittedMinutes, requestsAfter, type Scope } from "./store.ts";

type DeploymentScope = Scope & { deploymentSeq: number };

const mostRows = 1000;
const allIds = { from: "", below: "req_~" };

/** The newest lines of a deployment's code, builds and requests, oldest first. */
export async function readDeploymentLog(
  reads: Reads,
  scope: DeploymentScope,
  { limit, since, kind }: LogSelection,
): Promise<LogLine[]> {
  const lines = await readLog(reads, scope.deploymentSeq, { limit, since, kind });
  if (kind !== undefined && kind !== "access") return lines;
  const requests = await newestRequests(reads, scope, { ...allIds, limit }, { from: since });
  const omitted = await omittedMinutes(reads, scope.deploymentSeq, since ?? 0, limit);
  const access = [...requests.map(requestOf).map(accessLine).reverse(), ...omitted.map(omittedLine)];
  return [...lines, ...access].sort((one, other) => one.time - other.time).slice(-limit);
}

/** The new lines, as `readDeploymentLog` shows them. */
export async function followDeploymentLog(
  reads: Reads,
  scope: DeploymentScope,
  kind: string | undefined,
): Promise<() => Promise<LogLine[]>> {
  const { deploymentSeq } = scope;
  const lines = await NewRows.from({
    last: () => lastLogSeq(reads, deploymentSeq),
    after: (seq) => logLinesAfter(reads, deploymentSeq, seq, mostRows),
    most: mostRows,
  });
  const requests = await NewRows.from({
    last: () => lastSeq(reads),
    after: (seq) => requestsAfter(reads, scope, seq, mostRows, {}),
    most: mostRows,
  });
  return async () => {
    const access = kind === undefined || kind === "access" ? await requests.next() : [];
    const others = kind === "access" ? [] : await lines.next();
    const shown = others.map(({ line }) => line).filter((line) => kind === undefined || line.kind === kind);
    return [...shown, ...access.map(requestOf).map(accessLine)].sort((one, other) => one.time - other.time);
  };
}

function accessLine(request: KeptRequest): LogLine {
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
    message: `${Number(successes) + Number(failures)} lines were left out: there was too much traffic.`,
  };
}
