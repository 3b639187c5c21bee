/** A key that a request uses without its value: a bucket may store hashes only. */
export interface AssumedKey {
  id: string;
  bucketSeq: number;
  hash: Uint8Array;
}

/** A request that the server sends to a deployment for a user. */
export interface TryRequest {
  deploymentName: string;
  /** The deployment's own host. */
  host: string;
  method: string;
  /** Path and query. */
  target: string;
  headers: readonly (readonly [name: string, value: string])[];
  body: string | undefined;
  /** The address of the user. */
  ip: string;
  asKey: AssumedKey | undefined;
}

/** The response to a try request. It is data: it must never become a header or a page of this server. */
export interface TryRequestResponse {
  status: number;
  /** Without cookies. */
  headers: { name: string; value: string }[];
  body: Uint8Array;
  /** Whether the rest of the body was left out, because it is too large or did not end in time. */
  isTruncated: boolean;
  durationMs: number;
  requestId: string;
}

/** Sends try requests into the gateway, where they are counted and limited like any request. Implemented by the gateway. */
export interface TryRequestSender {
  /** Throws a Problem if there is no response in time. */
  try(tryRequest: TryRequest): Promise<TryRequestResponse>;
}
