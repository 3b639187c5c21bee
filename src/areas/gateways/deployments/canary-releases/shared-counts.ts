import { LatencyHistogram } from "../../../../lib/latency-histogram.ts";
import type { Clock } from "../../../../lib/time/clock.ts";
import { BatchWriter } from "../../../../platform/storage/batch-writer.ts";
import { StorageUnavailable } from "../../../../platform/storage/errors.ts";
import { findRow } from "../../../../platform/storage/rows.ts";
import type { Storage, WriteTransaction } from "../../../../platform/storage/storage.ts";
import type { Log } from "../../../../platform/telemetry/log.ts";
import { firstSecond } from "./abort-rule.ts";
import { abortIfDue } from "./canaries.ts";
import type { CanaryTraffic, CanaryWatch } from "./canary-traffic.ts";
import * as store from "./store.ts";
import { type TakenCounts, VersionCounts } from "./version-counts.ts";

interface Release {
  deploymentSeq: number;
  canaryId: string;
}

/** The counts of one version that are written together. */
interface Written extends Release, TakenCounts {
  isCanary: 0 | 1;
}

class WatchedRelease implements CanaryTraffic {
  readonly live = new VersionCounts();
  readonly canary = new VersionCounts();
  hasEnded = false;

  constructor(readonly release: Release) {}

  end(): void {
    this.hasEnded = true;
  }

  *take(): Generator<Written> {
    const { release, live, canary } = this;
    if (!live.isEmpty) yield { ...release, isCanary: 0, ...live.take() };
    if (!canary.isEmpty) yield { ...release, isCanary: 1, ...canary.take() };
  }
}

/** The counts of canary releases, which nodes share through storage. */
export class SharedCounts implements CanaryWatch {
  readonly #releases = new Set<WatchedRelease>();
  readonly #writer: BatchWriter<Written, void>;

  constructor(
    private readonly storage: Storage,
    private readonly clock: Clock,
    private readonly log: Log,
  ) {
    this.#writer = new BatchWriter<Written, void>(storage, clock, {
      take: () => [...this.#releases].flatMap((release) => [...release.take()]),
      write: (transaction, items, isNew) => (isNew ? this.#write(transaction, items) : Promise.resolve()),
      written: () => {},
      transfer: {
        name: "canary counts",
        encode: (items) => items.map((item) => ({ ...item, latency: item.latency.encode() })),
        decode: (encoded) =>
          (encoded as (Omit<Written, "latency"> & { latency: Uint8Array })[]).map((item) => ({
            ...item,
            latency: LatencyHistogram.decode(item.latency),
          })),
      },
    });
  }

  /** The counts of workers. */
  get transferred() {
    return this.#writer.transferred!;
  }

  watch(release: Release): CanaryTraffic {
    const watched = new WatchedRelease(release);
    this.#releases.add(watched);
    return watched;
  }

  /** Shares the counts of canary releases about every second. Without a release it does nothing. */
  async flush(): Promise<void> {
    if (this.#releases.size === 0 && this.#writer.unconfirmed.length === 0) return;
    await this.#writer.flush();
    for (const watched of [...this.#releases]) {
      if (watched.hasEnded) this.#releases.delete(watched);
      else await this.#abortIfDue(watched.release);
    }
  }

  async #abortIfDue(release: Release): Promise<void> {
    try {
      if (await abortIfDue(this.storage, release, this.clock.now()))
        this.log.warn("a canary release was aborted", { deploymentSeq: release.deploymentSeq });
    } catch (error) {
      // The next flush decides again.
      if (!(error instanceof StorageUnavailable)) throw error;
    }
  }

  async #write(transaction: WriteTransaction, items: Written[]): Promise<void> {
    const byDeployment = Map.groupBy(items, ({ deploymentSeq }) => deploymentSeq);
    // Sorted, so that two nodes cannot deadlock.
    for (const deploymentSeq of [...byDeployment.keys()].sort((one, other) => one - other)) {
      // Histograms are merged here, so no other node may write the same rows at the same time.
      await transaction.lock(`canary ${deploymentSeq}`);
      const current = await findRow(transaction, "deployment_canaries", { deployment_seq: deploymentSeq });
      const counted = byDeployment.get(deploymentSeq)!.filter(({ canaryId }) => canaryId === current?.id);
      if (counted.length === 0) continue;
      const totals = await store.versionTotals(transaction, deploymentSeq);
      for (const item of counted) await this.#add(transaction, item, totals);
      await store.removeSeconds(transaction, deploymentSeq, firstSecond(this.clock.now()));
    }
  }

  async #add(transaction: WriteTransaction, item: Written, totals: store.VersionTotalRow[]): Promise<void> {
    const key = { deployment_seq: item.deploymentSeq, is_canary: item.isCanary };
    for (const [second, { requests, errors }] of item.seconds)
      await store.addSecond(transaction, { ...key, second, requests, errors });
    const total = totals.find(({ is_canary }) => is_canary === item.isCanary);
    const latency = new LatencyHistogram();
    if (total?.latency) latency.mergeEncoded(total.latency);
    latency.merge(item.latency);
    await store.saveTotal(transaction, {
      ...key,
      requests: (total?.requests ?? 0) + item.requests,
      errors: (total?.errors ?? 0) + item.errors,
      latency: latency.encode(),
    });
  }
}
