/** Options of every call. */
export interface RequestOptions {
  /** Aborts the call and its retries. */
  signal?: AbortSignal | undefined;
  /** The timeout of each attempt; the client's by default. */
  timeoutMs?: number | undefined;
}

/** Options of calls that create something. */
export interface CreateOptions extends RequestOptions {
  /** Random by default, and repeated with each retry. Pass your own to be safe across restarts of your program too. */
  idempotencyKey?: string | undefined;
}

/** Options of calls that change or delete. */
export interface ChangeOptions extends RequestOptions {
  /** The `etagOf` the object that was read: the call is rejected with 412 if it has changed since. */
  ifMatch?: string | undefined;
}

export type Tags = Record<string, string | number | boolean>;

type TagValue = Tags[string];

/** An empty array is not omitted: without the condition, everything would match. */
export type TagFilter = Record<string, TagValue | [TagValue, ...TagValue[]]>;

/** Options of calls about consumers and their keys, managers and invites. */
export interface TagOptions {
  /** All must match, and each value of an array. Filters a list; elsewhere a mismatch is a 404 and nothing changes. */
  tag?: TagFilter | undefined;
}
