import type { TagFilter } from "../../consumer-addresses/consumer-address.ts";

/** A filter of the keys of a bucket: keys that match all conditions. Times are in milliseconds. */
export interface KeyFilter {
  /** Last used before the time, or never used and created before it. */
  unusedSince?: number | undefined;
  neverUsed?: boolean | undefined;
  expiresBefore?: number | undefined;
  createdBefore?: number | undefined;
  enabled?: boolean | undefined;
  /** A granted permission, exact or by a prefix. */
  permission?: string | undefined;
  /** The end of the key's value. */
  suffix?: string | undefined;
  /** Tags of the consumer. */
  tags: TagFilter;
}
