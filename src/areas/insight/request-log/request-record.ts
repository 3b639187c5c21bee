import type { z } from "zod";
import type { ProblemCode } from "../../../core/problems/catalogue.ts";
import type { decision, detail, mcp, model, parent, target } from "./schema.ts";

export type DecisionOutcome = Decision["outcome"];

/** Why a policy rejected a request, with details. `reason` determines which other members are present. */
export type DecisionDetail = Omit<z.output<typeof detail>, "expiredOn" | "resetsOn"> & {
  expiredOn?: number;
  resetsOn?: number;
};

/**
 * The decision of one policy of the route. Its outcome is written directly after the name, by which the text of an entry
 * is searched; see `observedIn`.
 */
export type Decision = Omit<z.output<typeof decision>, "detail"> & { detail?: DecisionDetail };

export type RequestTarget = z.output<typeof target>;

/** What a request to a model has used. */
export type RequestModel = z.output<typeof model>;

/**
 * The stored details of a request in addition to its columns. Bodies, headers, query strings and secrets are not
 * stored.
 */
export interface RequestEntry {
  durationMs: number;
  ip?: string;
  consumerId?: string;
  keyId?: string;
  /** The name of the OAuth client that acted for the consumer. */
  client?: string;
  traceId?: string;
  /** Why the gateway itself rejected it, as the client received it, and in words for its owner. */
  code?: ProblemCode;
  detail?: string;
  /** The underlying error, for the owner only. */
  error?: string;
  decisions: Decision[];
  target?: RequestTarget;
  model?: RequestModel;
  mcp?: z.output<typeof mcp>;
  /** The message that called the operation as a tool. */
  parent?: z.output<typeof parent>;
}

export interface RequestRecord extends RequestEntry {
  time: number;
  requestId: string;
  method: string;
  path: string;
  route: string | undefined;
  status: number;
  consumer: string | undefined;
}

/** The deployment and version that served a request. */
export interface Served {
  accountSeq: number;
  deploymentSeq: number;
  versionSeq: number;
}

/** Accepts requests synchronously. They are written asynchronously in batches, and bounded. */
export interface RequestSink {
  /** False if requests are not recorded: nothing needs to be measured for them. */
  readonly isOn: boolean;
  /**
   * Whether the request would be recorded. If not, it is counted, and its record need not be built. Observed requests
   * count as failures: they are as rare and as interesting.
   */
  takes(served: Served, isFailure: boolean, now: number): boolean;
  add(served: Served, record: RequestRecord): void;
}

/** Whether it is a rejection or an error; the other requests are successes. */
export function isFailure(status: number): boolean {
  return status >= 400;
}
