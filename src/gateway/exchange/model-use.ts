import type { Amount } from "../../lib/amount.ts";

/** The tokens of a request by category. The categories are disjoint. */
export interface TokenCounts {
  /** Without cached and cacheWrite. */
  input: number;
  cached: number;
  /** Includes cacheWrite1h. */
  cacheWrite: number;
  /** The part of cacheWrite that is stored for an hour, which has a price of its own. */
  cacheWrite1h: number;
  /** Includes reasoning. */
  output: number;
  /** The spoken part of input, which has a price of its own. */
  audioInput?: number;
  /** The spoken part of output. */
  audioOutput?: number;
}

/** What a request to a model has used, for its record, analytics, metrics and traces. */
export interface ModelUse extends TokenCounts {
  operation: string;
  alias: string;
  api: string;
  /** The name of the provider in the project. */
  provider: string;
  /** The model that was requested, and the one that the response names. */
  model: string;
  servedModel: string | undefined;
  /** Whether the provider reported all of the tokens. */
  basis: "reported" | "estimated";
  /** What the provider charges, rounded to 9 decimals, in `currency`. */
  cost: Amount;
  currency: string | undefined;
  /** What meters with the count `cost` have counted. Undefined if there is none. */
  charge: Amount | undefined;
  /** What was served and has no price. */
  unpriced: string | undefined;
  /** From the begin of the request to the first byte of the response's body. */
  firstByteMs: number | undefined;
  /** The provider's `x-request-id`. */
  providerRequestId: string | undefined;
}

/** A request to a model while it is counted. */
export interface CountedCall {
  /**
   * Call it when the response has been sent, or the client has disconnected. Returns a promise until the call is settled:
   * the response may be read without the client.
   */
  finish(status: number): Promise<void> | undefined;
  /** The amounts that a policy has counted. Undefined if it has counted nothing. */
  amountsOf(policy: object): ReadonlyMap<string, Amount> | undefined;
}
