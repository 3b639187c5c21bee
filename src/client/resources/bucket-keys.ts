import type { List, PageOptions } from "../transport/list.ts";
import type { CreateOptions, RequestOptions, TagOptions } from "../transport/options.ts";
import type {
  BulkKeysResult,
  DeleteKeys,
  JobStarted,
  LeakReport,
  ListedApiKey,
  UpdateKeys,
} from "../transport/schema.gen.ts";
import type { Transport } from "../transport/transport.ts";

/** Filters of keys; all given ones must match. Times are RFC 3339. */
export interface KeyFilterOptions extends TagOptions {
  /** Last used before this time, or never used and created before it. */
  unusedSince?: string;
  neverUsed?: boolean;
  expiresBefore?: string;
  createdBefore?: string;
  enabled?: boolean;
  /** Includes keys that have it by a prefix such as `orders:*`. */
  permission?: string;
  /** The last characters of the value: at most as many as the masked form shows. */
  suffix?: string;
}

/** The keys of all consumers of a bucket. */
export class BucketKeys {
  readonly #transport: Transport;
  readonly #bucket: { bucketName: string };

  constructor(transport: Transport, bucketName: string) {
    this.#transport = transport;
    this.#bucket = { bucketName };
  }

  /**
   * The matching keys, masked and in the order of creation.
   *
   * @example
   * ```ts
   * const unused = client.bucketKeys("main").list({ unusedSince: "2026-01-01T00:00:00Z", enabled: true });
   * for await (const { id, consumer } of unused) console.log(id, consumer.name);
   * ```
   */
  list(options: KeyFilterOptions & PageOptions & RequestOptions = {}): List<ListedApiKey> {
    const { unusedSince, neverUsed, expiresBefore, createdBefore, enabled, permission, suffix, tag, ...paging } =
      options;
    const query = {
      "unused-since": unusedSince,
      "never-used": neverUsed,
      "expires-before": expiresBefore,
      "created-before": createdBefore,
      enabled,
      permission,
      suffix,
      tag,
    };
    return this.#transport.list("listBucketKeys", { call: { params: this.#bucket, query }, paging });
  }

  /**
   * Reports values that were found in public. The keys among them are marked, and disabled if the bucket says so.
   *
   * @example
   * ```ts
   * await client.bucketKeys("main").reportLeaked({
   *   keys: ["tg_0123456789abcdef0123456789abcdef_7759b50e"],
   *   source: "github",
   *   url: "https://github.com/acme/website/blob/main/config.js",
   * });
   * ```
   */
  reportLeaked(report: LeakReport, options?: CreateOptions): Promise<JobStarted> {
    return this.#transport.call("reportLeakedKeys", { params: this.#bucket, body: report, options });
  }

  /**
   * Changes many keys. With `dryRun` it only returns the matches; above 1,000 it starts a job.
   *
   * @example
   * ```ts
   * const where = { "unused-since": "2026-01-01T00:00:00Z" };
   * const result = await client.bucketKeys("main").update({ where, set: { isEnabled: false } });
   * if ("jobId" in result) console.log((await client.job(result.jobId)).state);
   * ```
   */
  update(change: UpdateKeys, options?: CreateOptions): Promise<BulkKeysResult> {
    return this.#transport.call("updateKeys", { params: this.#bucket, body: change, options });
  }

  /**
   * Deletes many keys: they stop working immediately. With `dryRun` it only returns the matches; above 1,000 it starts a job.
   *
   * @example
   * ```ts
   * const result = await client.bucketKeys("main").delete({ where: { "never-used": true }, dryRun: true });
   * if ("matched" in result) console.log(result.matched);
   * ```
   */
  delete(keys: DeleteKeys, options?: CreateOptions): Promise<BulkKeysResult> {
    return this.#transport.call("deleteKeys", { params: this.#bucket, body: keys, options });
  }
}
