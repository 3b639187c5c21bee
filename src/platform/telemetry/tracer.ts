import { AsyncLocalStorage } from "node:async_hooks";
import { fetchErrorText } from "../../lib/network/fetch-error.ts";
import { type Sampler, type SamplerName, samplerOf } from "./sampler.ts";
import { newSpanId, newTraceId, parseTraceparent, type TraceContext } from "./trace-context.ts";

export interface TraceOptions {
  /** The URL of a collector, such as http://127.0.0.1:4318. Spans are sent to its path /v1/traces. */
  endpoint: string;
  headers: Record<string, string>;
  serviceName: string;
  sampler: SamplerName;
  ratio: number;
}

type OperationKind = "query" | "write" | "commit";

interface OperationObserver {
  operation(kind: OperationKind, seconds: number): void;
}

/** The owner of an operation is the trace of a request. */
interface TracedOperations {
  operation(kind: OperationKind, seconds: number, owners?: readonly (object | undefined)[]): void;
  owners: {
    current(): object | undefined;
    run<Result>(owner: object | undefined, work: () => Result): Result;
  };
}

type SpanKind = "internal" | "server" | "client";

/** Times are milliseconds since 1970, with fractions. */
export interface Span {
  traceId: string;
  spanId: string;
  parentSpanId: string | undefined;
  name: string;
  kind: SpanKind;
  start: number;
  end: number;
  attributes: Record<string, string | number>;
  /** The error message of a failed span. */
  error?: string | undefined;
}

/** The trace of a request: its own span and the children of that span. */
export interface RequestTrace extends TraceContext {
  readonly parentSpanId: string | undefined;
  /** Storage operations of the request, added when they end. */
  spans: Span[];
}

/**
 * Returns the trace of a request with that `traceparent`. Without a tracer, the client's trace is only recorded and
 * forwarded.
 */
export function traceOf(
  traceparent: string | null,
  tracer: Tracer | undefined,
): TraceContext | RequestTrace | undefined {
  if (tracer) return tracer.begin(traceparent);
  return traceparent === null ? undefined : parseTraceparent(traceparent);
}

/** Returns the trace if its spans are exported. */
export function sampledTrace(trace: TraceContext | RequestTrace | undefined): RequestTrace | undefined {
  return trace?.isSampled && "spans" in trace ? trace : undefined;
}

/** The maximum number of spans that wait for export. Newer spans are dropped. */
const maxWaiting = 8_192;
const maxBatchSize = 512;
const exportTimeoutMs = 10_000;
/** The maximum number of spans of one request. */
const maxStorageSpans = 50;

const kinds: Record<SpanKind, number> = { internal: 1, server: 2, client: 3 };

/** Samples requests, and exports their spans as OTLP over HTTP in JSON. */
export class Tracer {
  readonly #sampler: Sampler;
  readonly #url: string;
  readonly #current = new AsyncLocalStorage<RequestTrace | undefined>();
  #waiting: Span[] = [];
  #dropped = 0;

  constructor(
    private readonly options: TraceOptions & { version: string; warn(message: string, fields: object): void },
  ) {
    this.#sampler = samplerOf(options.sampler, options.ratio);
    this.#url = `${options.endpoint.replace(/\/+$/, "")}/v1/traces`;
  }

  /** Continues the client's trace, or begins one. */
  begin(traceparent: string | null): RequestTrace {
    const parent = traceparent === null ? undefined : parseTraceparent(traceparent);
    const traceId = parent?.traceId ?? newTraceId();
    return {
      traceId,
      spanId: newSpanId(),
      parentSpanId: parent?.spanId,
      isSampled: this.#sampler(traceId, parent),
      spans: [],
    };
  }

  /** Runs work whose storage operations belong to the request. */
  run<Result>(trace: RequestTrace, work: () => Result): Result {
    return this.#current.run(trace, work);
  }

  /** Observes storage and adds a span to the current request, or to each request that shared a transaction. */
  observing<Observer extends OperationObserver>(observer: Observer): Observer & TracedOperations {
    return {
      ...observer,
      operation: (kind: OperationKind, seconds: number, owners?: readonly (object | undefined)[]) => {
        observer.operation(kind, seconds);
        if (!owners) addOperation(this.#current.getStore(), kind, seconds);
        else for (const owner of new Set(owners)) addOperation(owner as RequestTrace | undefined, kind, seconds);
      },
      owners: {
        current: () => this.#current.getStore(),
        run: (owner, work) => this.#current.run(owner as RequestTrace | undefined, work),
      },
    };
  }

  add(spans: Span[]): void {
    if (this.#waiting.length + spans.length > maxWaiting) this.#dropped += spans.length;
    else this.#waiting.push(...spans);
  }

  /** Exports the waiting spans. If the collector does not accept them, they are dropped and the failure is logged. */
  async flush(): Promise<void> {
    while (this.#waiting.length > 0) {
      const batch = this.#waiting.splice(0, maxBatchSize);
      try {
        const { ok, status } = await this.#export(batch);
        if (!ok) this.#drop(batch.length, `status ${status}`);
      } catch (error) {
        this.#drop(batch.length, fetchErrorText(error));
        return;
      }
    }
    if (this.#dropped > 0) this.#drop(0, "too many spans were waiting");
  }

  async #export(batch: Span[]): Promise<Response> {
    const response = await fetch(this.#url, {
      method: "POST",
      headers: { ...this.options.headers, "content-type": "application/json" },
      body: JSON.stringify(payloadOf(batch, this.options)),
      signal: AbortSignal.timeout(exportTimeoutMs),
      redirect: "manual",
    });
    await response.arrayBuffer();
    return response;
  }

  #drop(count: number, reason: string): void {
    this.options.warn("spans could not be exported", { spans: count + this.#dropped, reason });
    this.#dropped = 0;
  }
}

function addOperation(trace: RequestTrace | undefined, kind: OperationKind, seconds: number): void {
  if (!trace || trace.spans.length >= maxStorageSpans) return;
  const end = Date.now();
  const { traceId, spanId: parentSpanId } = trace;
  trace.spans.push({
    traceId,
    spanId: newSpanId(),
    parentSpanId,
    name: `storage ${kind}`,
    kind: "client",
    start: end - seconds * 1000,
    end,
    attributes: { "db.operation.name": kind },
  });
}

function payloadOf(spans: Span[], { serviceName, version }: { serviceName: string; version: string }) {
  const resource = { attributes: attributesOf({ "service.name": serviceName, "service.version": version }) };
  return {
    resourceSpans: [{ resource, scopeSpans: [{ scope: { name: "tollgate", version }, spans: spans.map(otlpSpan) }] }],
  };
}

function otlpSpan({ traceId, spanId, parentSpanId, name, kind, start, end, attributes, error }: Span) {
  return {
    traceId,
    spanId,
    ...(parentSpanId === undefined ? {} : { parentSpanId }),
    name,
    kind: kinds[kind],
    startTimeUnixNano: nanoseconds(start),
    endTimeUnixNano: nanoseconds(Math.max(start, end)),
    attributes: attributesOf(attributes),
    status: error === undefined ? {} : { code: 2, message: error },
  };
}

function attributesOf(attributes: Record<string, string | number>) {
  return Object.entries(attributes).map(([key, value]) => ({
    key,
    value:
      typeof value === "string"
        ? { stringValue: value }
        : Number.isInteger(value)
          ? { intValue: String(value) }
          : { doubleValue: value },
  }));
}

/** Rounded to microseconds, because a number has no digits for more. */
function nanoseconds(milliseconds: number): string {
  return `${Math.round(milliseconds * 1000)}000`;
}
