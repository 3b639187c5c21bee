/** Of every call. */
export interface RequestOptions {
  /** Gives up the call, and its retries, when it aborts. */
  signal?: AbortSignal | undefined;
  /** Of each try; by default what the client was made with. */
  timeoutMs?: number | undefined;
}

/** Of calls that make something. */
export interface CreateOptions extends RequestOptions {
  /** By default a random one, sent again with each retry. Give your own to be safe across restarts of your program too. */
  idempotencyKey?: string | undefined;
}

/** Of calls that change or delete. */
export interface ChangeOptions extends RequestOptions {
  /** The `etagOf` of the thing as it was read: the call is rejected with 412 if it has changed since. */
  ifMatch?: string | undefined;
}

export type Tags = Record<string, string | number | boolean>;

type TagValue = Tags[string];

/** Not with an empty array: a condition that vanishes would match everything. */
export type TagFilter = Record<string, TagValue | [TagValue, ...TagValue[]]>;

/** Of calls about consumers and what belongs to them. */
export interface TagOptions {
  /**
   * All must match, each value of an array too. In a list it filters; elsewhere no match is a 404, and nothing changes.
   */
  tag?: TagFilter | undefined;
}
