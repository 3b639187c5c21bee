import type {
  Decision,
  DecisionDetail,
  DecisionOutcome,
  RequestModel,
  RequestRecord,
  RequestTarget,
} from "../../areas/insight/request-log/request-record.ts";
import { decimalOf } from "../../lib/amount.ts";
import { type RequestOrigin, redactPath, redactText } from "../../platform/telemetry/log.ts";
import { type ClientAddresses, recordedAddress } from "../exchange/client-address.ts";
import type { Exchange, IncomingRequest } from "../exchange/exchange.ts";
import type { ModelUse } from "../exchange/model-use.ts";
import { observationOf } from "../exchange/observation.ts";
import { holderOf } from "./holder.ts";

/** Limits the length of names that a provider chose. */
const maxNameLength = 256;

/** Limits the length of an error of code. */
const maxErrorLength = 1_000;

interface RecordedRequest {
  incoming: IncomingRequest;
  /** The exchange of the recorded request. Undefined if no route was found. */
  exchange: Exchange | undefined;
  origin: RequestOrigin;
  status: number;
  milliseconds: number;
  clientAddresses: ClientAddresses;
}

/** The record of a request. Created only for requests that are recorded. */
export function requestRecordOf({
  incoming,
  exchange,
  origin,
  status,
  milliseconds,
  clientAddresses,
}: RecordedRequest): RequestRecord {
  const { rejection, rejectionDetail } = exchange ?? incoming;
  const ip = recordedAddress(incoming.ip, clientAddresses);
  const holder = exchange && holderOf(exchange);
  const record: RequestRecord = {
    time: incoming.now,
    requestId: incoming.requestId,
    method: origin.method,
    path: origin.path,
    route: exchange?.route.path,
    status,
    consumer: holder?.user?.sub,
    durationMs: rounded(milliseconds),
    decisions: exchange ? decisionsOf(exchange, status) : [],
  };
  if (ip !== undefined) record.ip = ip;
  if (incoming.trace) record.traceId = incoming.trace.traceId;
  if (rejection !== undefined) record.code = rejection;
  if (rejectionDetail !== undefined) record.detail = redactText(rejectionDetail);
  if (!exchange) return record;
  const { consumerId, keyId } = holder!;
  const { client, failure, stoppedAt, running } = exchange;
  if (consumerId !== undefined) record.consumerId = consumerId;
  if (keyId !== undefined) record.keyId = keyId;
  if (client !== undefined) record.client = client;
  if (failure !== undefined) record.error = errorText(failure);
  const { target } = exchange.route;
  if (stoppedAt === running.policies.length && !("policy" in target || "mcp" in target))
    record.target = targetOf(exchange);
  if (exchange.modelUse) record.model = modelOf(exchange.modelUse);
  if (exchange.mcp) record.mcp = exchange.mcp;
  if (incoming.parent) {
    const { requestId, tool, client: agent } = incoming.parent;
    record.parent = { requestId, tool, ...(agent !== undefined && { client: agent }) };
  }
  return record;
}

function modelOf({ operation: _, api: __, cacheWrite1h: ___, servedModel, model, ...use }: ModelUse): RequestModel {
  const {
    cost,
    charge,
    currency,
    unpriced,
    firstByteMs,
    providerRequestId,
    audioInput: _a,
    audioOutput: _b,
    ...rest
  } = use;
  return {
    ...rest,
    model: (servedModel ?? model).slice(0, maxNameLength),
    cost: decimalOf(cost),
    ...(currency !== undefined && { currency }),
    ...(charge !== undefined && { charge: decimalOf(charge) }),
    ...(unpriced !== undefined && { unpriced: unpriced.slice(0, maxNameLength) }),
    ...(firstByteMs !== undefined && { firstByteMs: rounded(firstByteMs) }),
    ...(providerRequestId !== undefined && { providerRequestId }),
  };
}

function decisionsOf(exchange: Exchange, status: number): Decision[] {
  const { running, marks, stoppedAt, isPreflight, incoming } = exchange;
  if (!marks) return [];
  return running.steps.map(({ policy, type, observes }, at): Decision => {
    const wasRun = at <= stoppedAt && (!isPreflight || at === stoppedAt);
    if (!wasRun) return { policy, outcome: "skipped", type, ms: 0 };
    const ms = isPreflight ? 0 : rounded(marks[at]! - (at === 0 ? incoming.started : marks[at - 1]!));
    if (at === stoppedAt)
      return { policy, outcome: outcomeOf(exchange, status), type, ms, detail: detailOf(exchange, status) };
    const { code, detail } = observationOf(exchange, at) ?? { detail: exchange.doneDetails?.[at] as DecisionDetail };
    const passed: Decision = { policy, outcome: "passed", type, ms, ...(detail && { detail }) };
    if (code === undefined) return passed;
    return observes ? { ...passed, outcome: "observed", code } : { ...passed, outcome: "rejected" };
  });
}

function outcomeOf({ rejection }: Exchange, status: number): DecisionOutcome {
  return rejection !== undefined || status >= 400 ? "rejected" : "answered";
}

function detailOf({ decisionDetail, rejection, failure }: Exchange, status: number): DecisionDetail {
  const detail = decisionDetail ?? { reason: rejection ?? "response", status };
  return failure === undefined ? detail : { ...detail, message: errorText(failure) };
}

function targetOf({ route, marks, targetEnded, attempts, incoming, path, targetUrl }: Exchange): RequestTarget {
  const started = marks && marks.length > 0 ? marks.at(-1)! : incoming.started;
  const ms = targetEnded === 0 ? 0 : rounded(targetEnded - started);
  if ("operation" in route.target && targetUrl !== undefined)
    return { kind: "upstream", url: `${targetUrl}/${route.target.operation}`, ms, attempts };
  if ("handler" in route.target) return { kind: "handler", module: route.target.handler, ms, attempts };
  const { upstream } = route.target as { upstream: string };
  return { kind: "upstream", url: withoutCredentials(targetUrl ?? upstream) + redactPath(path), ms, attempts };
}

function withoutCredentials(upstream: string): string {
  return upstream.replace(/^(https?:\/\/)[^/@]*@/, "$1");
}

function errorText(failure: unknown): string {
  const text = failure instanceof Error ? failure.message : String(failure);
  return redactText(text.slice(0, maxErrorLength));
}

/** Rounded to a microsecond. */
function rounded(milliseconds: number): number {
  return Math.round(milliseconds * 1000) / 1000;
}
