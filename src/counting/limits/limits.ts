/** The windows in which keys with a limit are counted, shared with the gateway's limits. */
export interface LimitWindows {
  open(scope: string, windowSeconds: number, now: number): LimitWindow;
}

export interface LimitWindow {
  readonly start: number;
  readonly end: number;
  /** The remaining requests after this one, or -1 if it exceeds the limit. */
  take(subject: string, requests: number): number;
  /** Makes workers return requests that they may count by themselves. Undefined if there are none. */
  recall(subject: string): Promise<unknown> | undefined;
}

/** A limit of requests in a window. `scope` is its name in storage. */
export interface LimitPlace {
  readonly scope: string;
  readonly windowSeconds: number;
  readonly kind: "fixed" | "sliding";
  /** Whether a request beyond the limit continues: later decisions of its group are made. */
  readonly observes?: true;
}

export interface TakenRequest {
  /** The remaining requests after this one, or -1 if it exceeds the limit. */
  left: number;
  /** When the subject can make more requests. */
  resetsOn: number;
}

/** Limits that another process counts. */
export interface RemoteLimits {
  /**
   * Counts a request of the subject, without a promise if this process has a lease. Rejects with StorageUnavailable if
   * the other one does not respond. Callers reuse `limit`, because leases are found by its identity.
   */
  take(
    limit: LimitPlace,
    subject: string,
    requests: number,
    now: number,
    group?: DecisionGroup,
  ): TakenRequest | Promise<TakenRequest>;
  /**
   * Like `take`, before the decisions of the same group are known: the other process counts only if they let the
   * request continue, and otherwise the result is null. Returns undefined if this process can decide.
   */
  takeAhead(
    limit: LimitPlace,
    subject: string,
    requests: number,
    now: number,
    group: DecisionGroup,
  ): Promise<TakenRequest | null> | undefined;
}

/** The decisions of another process about one request. */
export interface DecisionGroup {
  /** Assigned when it is read for the first time. */
  readonly decisionGroup: number;
}
