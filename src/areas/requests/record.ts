import type { ProblemCode } from "../../core/problems/catalogue.ts";

export type Outcome = "passed" | "rejected" | "answered" | "skipped";

/** Why a policy rejected a request, with the numbers. `reason` decides which of the others are there. */
export interface DecisionDetail {
  reason: string;
  /** api-key: the header that carries keys, the masked key, and whose it is where that is known. */
  header?: string;
  maskedKey?: string;
  keyId?: string;
  consumer?: string;
  expiredOn?: number;
  /** permission: what the route needs, and what the key has. */
  permission?: string;
  permissions?: string[];
  /** quota and rate-limit: what is limited, how much of it is used, and until when. */
  meter?: string;
  amount?: number;
  used?: number;
  limit?: number;
  plans?: string[];
  subscriptionId?: string;
  bucket?: string;
  by?: string;
  windowSeconds?: number;
  window?: "sliding";
  resetsOn?: number;
  /** ip-filter: the entry that denies the address. */
  network?: string;
  /** usage: what was counted of each meter, of which no amount came, and what was held. */
  amounts?: Record<string, number>;
  missing?: string[];
  held?: Record<string, number>;
  /** jwt: the claim that is wrong. */
  claim?: string;
  /** validate: the rules that do not hold, each with the JSON pointer or parameter. */
  errors?: { pointer: string; detail: string }[];
  /** Of code, or of an error behind the rejection. */
  message?: string;
  status?: number;
}

/** What one policy of the route did with a request. */
export interface Decision {
  /** Its name in the project. */
  policy: string;
  type: string;
  ms: number;
  outcome: Outcome;
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

/** What is kept of a request beside the columns of its row. Bodies, headers, query strings and secrets are not. */
export interface RequestEntry {
  durationMs: number;
  ip?: string;
  consumerId?: string;
  keyId?: string;
  traceId?: string;
  /** Why the gateway itself rejected it, as the client received it, and in words for its owner. */
  code?: ProblemCode;
  detail?: string;
  /** The error behind it, for its owner alone. */
  error?: string;
  decisions: Decision[];
  target?: RequestTarget;
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

/** Takes requests without waiting; written behind in groups, and bounded. */
export interface RequestSink {
  /** False where requests are not kept at all: nothing needs to be measured for them. */
  readonly isOn: boolean;
  /** Whether the request would be kept; if not it is counted, and its record need not be made. */
  takes(served: Served, status: number, now: number): boolean;
  add(served: Served, record: RequestRecord): void;
}

/** Rejections and errors; the other requests are successes. */
export function isFailure(status: number): boolean {
  return status >= 400;
}
