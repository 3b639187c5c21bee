/** The windows in which keys with a limit are counted, shared with the gateway's limits. */
export interface LimitWindows {
  open(scope: string, windowSeconds: number, now: number): LimitWindow;
}

export interface LimitWindow {
  readonly start: number;
  readonly end: number;
  /** The remaining requests after this one, or -1 if it exceeds the limit. */
  take(subject: string, requests: number): number;
}

/** A limit of requests in a window. `scope` is its name in storage. */
export interface LimitPlace {
  readonly scope: string;
  readonly windowSeconds: number;
  readonly kind: "fixed" | "sliding";
}

export interface TakenRequest {
  /** The remaining requests after this one, or -1 if it exceeds the limit. */
  left: number;
  /** When the subject can make more requests. */
  resetsOn: number;
}

/** Limits that another process counts. */
export interface RemoteLimits {
  /** Counts a request of the subject. Rejects with StorageUnavailable if the process does not respond. */
  take(limit: LimitPlace, subject: string, requests: number, now: number): Promise<TakenRequest>;
}
