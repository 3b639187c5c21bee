import type { ProblemCode } from "../../core/problems/catalogue.ts";

/** `observed`: a policy in `observe` would have rejected the request. */
export type DecisionOutcome = "passed" | "rejected" | "observed" | "answered" | "skipped";

/** Why a policy rejected a request, with details. `reason` determines which other members are present. */
export interface DecisionDetail {
  reason: string;
  /** api-key: the header of keys, the masked key, and its holder if that is known. */
  header?: string;
  maskedKey?: string;
  keyId?: string;
  consumer?: string;
  expiredOn?: number;
  /** permission: the permission that the route requires, and those of the key. */
  permission?: string;
  permissions?: string[];
  /** quota and rate-limit: the limit, its usage, and its reset. */
  meter?: string;
  amount?: number;
  used?: number;
  limit?: number;
  plans?: string[];
  subscriptionId?: string;
  bucket?: string;
  /** quota: the key bucket of the consumer, and that of the metering bucket's customers, if they differ. */
  keyBucket?: string;
  customersKeyBucket?: string;
  by?: string;
  windowSeconds?: number;
  window?: "sliding";
  resetsOn?: number;
  /** ip-filter: the entry that denies the address. */
  network?: string;
  /** usage: the counted amount of each meter, the meters without an amount, and the held amounts. */
  amounts?: Record<string, number>;
  missing?: string[];
  held?: Record<string, number>;
  /** jwt: the invalid claim. */
  claim?: string;
  /** validate: the violated rules, each with the JSON pointer or parameter. */
  errors?: { pointer: string; detail: string }[];
  /** The message of code, or of an error that caused the rejection. */
  message?: string;
  status?: number;
}

/** The decision of one policy of the route. */
export interface Decision {
  /** The name of the policy in the project. */
  policy: string;
  /** Directly after the name, by which the text of an entry is searched; see `observedIn`. */
  outcome: DecisionOutcome;
  type: string;
  ms: number;
  /** Of an observed decision: the code with which the policy would have rejected the request. */
  code?: string;
  detail?: DecisionDetail;
}

export interface RequestTarget {
  kind: "upstream" | "handler";
  /** Without credentials and query. */
  url?: string;
  module?: string;
  ms: number;
  attempts: number;
}

/** What a request to a model has used. */
export interface RequestModel {
  alias: string;
  /** The name of the provider in the project. */
  provider: string;
  /** The model that the response names, or else the one that was requested. */
  model: string;
  /** Tokens by category, which are disjoint. */
  input: number;
  cached: number;
  cacheWrite: number;
  output: number;
  /** Whether the provider reported all of the tokens. */
  basis: "reported" | "estimated";
  /** Decimals: what the provider charges, and what meters with the count `cost` have counted. */
  cost: string;
  currency?: string;
  charge?: string;
  /** What was served and has no price. */
  unpriced?: string;
  /** From the begin of the request to the first byte of the response's body. */
  firstByteMs?: number;
  /** The provider's `x-request-id`. */
  providerRequestId?: string;
}

/** A message of an agent to a route with the handler `mcp`. */
interface RequestMcp {
  method: string;
  tool?: string;
  /** The client as it reports itself. */
  client?: string;
  /** The code of a JSON-RPC error. */
  error?: number;
}

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
  mcp?: RequestMcp;
  /** The message that called the operation as a tool. */
  parent?: RequestParent;
}

interface RequestParent {
  requestId: string;
  tool: string;
  /** The agent's client as it reports itself. */
  client?: string;
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
