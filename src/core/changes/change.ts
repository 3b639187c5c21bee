/** What a write did, appended to the change feed in the same transaction. */
export interface Change {
  accountSeq: number | null;
  /** Who did it: the id of a token, `operator` or `system`. */
  actor: string;
  /** `<resource>.<what happened>`, such as `key.deleted`. */
  kind: string;
  /** The id of the resource. */
  subject: string;
  /** What followers need to act on it without asking storage. Never a secret. */
  data?: Record<string, unknown>;
  /** Of use only to followers that run right now: not stored where this process is the only one. */
  isFleeting?: boolean;
}

interface Recorder {
  record(change: Change): void;
}

/** Records what somebody did in their account. */
export function recordChange(
  transaction: Recorder,
  act: { account: { seq: number }; actor: string },
  kind: string,
  subject: string,
  data?: Record<string, unknown>,
): void {
  transaction.record({ accountSeq: act.account.seq, actor: act.actor, kind, subject, ...(data ? { data } : {}) });
}
