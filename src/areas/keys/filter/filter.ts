import type { TagFilter } from "../../buckets/consumer-address.ts";

/** A filter of the keys of a bucket: those that match all conditions. Times are milliseconds. */
export interface KeyFilter {
  /** Last used before, or never and made before. */
  unusedSince?: number | undefined;
  neverUsed?: boolean | undefined;
  expiresBefore?: number | undefined;
  createdBefore?: number | undefined;
  enabled?: boolean | undefined;
  /** Granted, by itself or by a prefix. */
  permission?: string | undefined;
  /** The end of the value. */
  suffix?: string | undefined;
  /** Of the consumer. */
  tags: TagFilter;
}
