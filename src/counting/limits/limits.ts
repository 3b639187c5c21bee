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

/** Limits that this process counts, or another one. */
export interface Limits {
  /**
   * Counts a request of the subject, without a promise if this process decides. Rejects with StorageUnavailable if the
   * other one does not respond. Callers reuse `limit`, because windows and leases are found by its identity.
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
