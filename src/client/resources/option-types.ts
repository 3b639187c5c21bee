import type { PageOptions } from "../transport/list.ts";
import type { RequestOptions, TagOptions } from "../transport/options.ts";
import type { GetConsumerOptions, GetKeyOptions, ListBucketKeysOptions, ReconcileOptions } from "./resources.gen.ts";

/** RFC 3339, such as 2030-01-31T10:00:00Z. */
export type TimeRange = Omit<ReconcileOptions, keyof RequestOptions>;

/** Filters of keys; all given ones must match. Times are RFC 3339. */
export type KeyFilterOptions = Omit<ListBucketKeysOptions, keyof PageOptions | keyof RequestOptions>;

/** Selects what the response includes. */
export type IncludeOptions = Omit<GetConsumerOptions, keyof TagOptions | keyof RequestOptions>;

/** The format of a value; `masked` by default. `visible` requires a bucket with retrievable keys. */
export type KeyFormatOptions = Omit<GetKeyOptions, keyof TagOptions | keyof RequestOptions>;

/** How much of a key's value is shown. */
export type KeyFormat = NonNullable<KeyFormatOptions["keyFormat"]>;
