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
}
