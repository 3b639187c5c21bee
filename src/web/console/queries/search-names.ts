/**
 * The names of search parameters that several files need. The router loads them at start, so that they are not beside the
 * code of their pages.
 */
export const keySearchNames = ["bucket", "use", "expires", "enabled", "permission", "suffix", "tag"] as const;

export const requestSearchNames = [
  "deployment",
  "status",
  "method",
  "route",
  "consumer",
  // "true", or a policy in observe.
  "observed",
  // The `x-request-id`.
  "id",
  // Text in the path.
  "q",
  // A name of `ranges`, or absent if `from` and `to` are given.
  "range",
  "from",
  "to",
  // The request that is open beside the list.
  "request",
] as const;

/** The page of a customer: its tabs and panels. */
export const customerSearchNames = [
  "tab",
  // The key that a link leads to.
  "key",
  // The metering bucket, if the customer is in several.
  "metering",
  "invoice",
  "subscription",
  // What the activity shows.
  "show",
  ...requestSearchNames,
] as const;
