import { Counter, Gauge, Histogram, Registry } from "prom-client";
import { GatewayMetrics } from "./gateway-metrics.ts";
import { RequestHistogram } from "./request-histogram.ts";

const requestBuckets = [0.0001, 0.00025, 0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 10];

export interface CacheStatistics {
  hits: number;
  misses: number;
  size: number;
}

/** Everything that `/metrics` tells, by name. One per service, so that two in one process do not mix. */
export class Metrics {
  readonly #registry = new Registry();
  readonly #requestSeconds = new RequestHistogram(
    "tollgate_request_duration_seconds",
    "Time from request to answer, by operation.",
    requestBuckets,
  );
  readonly #storageSeconds = new Histogram({
    name: "tollgate_storage_duration_seconds",
    help: "Time storage took: a query, a write with its commit, and on SQLite the commit alone.",
    labelNames: ["operation"],
    buckets: requestBuckets,
    registers: [this.#registry],
  });
  readonly #groupSize = new Histogram({
    name: "tollgate_storage_group_size",
    help: "Writes that shared one commit (SQLite).",
    buckets: [1, 2, 4, 8, 16, 32, 64, 128, 256],
    registers: [this.#registry],
  });
  readonly #revocationLag = new Histogram({
    name: "tollgate_revocation_lag_seconds",
    help: "Time from a change on another node to its effect on this one.",
    buckets: [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 10],
    registers: [this.#registry],
  });

  readonly gateway = new GatewayMetrics(this.#registry, requestBuckets);

  readonly #statuses = new Map<string, Map<number, number>>();

  request(operation: string, status: number, seconds: number): void {
    let counts = this.#statuses.get(operation);
    if (!counts) {
      counts = new Map();
      this.#statuses.set(operation, counts);
    }
    counts.set(status, (counts.get(status) ?? 0) + 1);
    this.#requestSeconds.observe(operation, seconds);
  }

  readonly storage = {
    operation: (operation: "query" | "write" | "commit", seconds: number) =>
      this.#storageSeconds.observe({ operation }, seconds),
    group: (size: number) => this.#groupSize.observe(size),
    revocationLag: (seconds: number) => this.#revocationLag.observe(seconds),
  };

  /** Caches count for themselves; their numbers are read when somebody asks. */
  cache(name: string, statistics: () => CacheStatistics): void {
    this.#caches.set(name, statistics);
  }

  readonly #caches = new Map<string, () => CacheStatistics>();

  constructor() {
    const caches = this.#caches;
    const statuses = this.#statuses;
    this.#registry.registerMetric(this.#requestSeconds.asMetric());
    new Counter({
      name: "tollgate_requests_total",
      help: "Requests answered, by operation and status.",
      labelNames: ["operation", "status"],
      registers: [this.#registry],
      collect() {
        this.reset();
        for (const [operation, counts] of statuses)
          for (const [status, count] of counts) this.inc({ operation, status }, count);
      },
    });
    for (const kind of ["hits", "misses"] as const) {
      new Counter({
        name: `tollgate_cache_${kind}_total`,
        help: `Look-ups that memory ${kind === "hits" ? "answered" : "had to ask storage for"}.`,
        labelNames: ["cache"],
        registers: [this.#registry],
        collect() {
          this.reset();
          for (const [cache, statistics] of caches) this.inc({ cache }, statistics()[kind]);
        },
      });
    }
    new Gauge({
      name: "tollgate_cache_entries",
      help: "Entries held in memory.",
      labelNames: ["cache"],
      registers: [this.#registry],
      collect() {
        for (const [cache, statistics] of caches) this.set({ cache }, statistics().size);
      },
    });
    new Gauge({
      name: "process_resident_memory_bytes",
      help: "Memory of the process.",
      registers: [this.#registry],
      collect() {
        this.set(process.memoryUsage.rss());
      },
    });
  }

  readonly contentType = Registry.PROMETHEUS_CONTENT_TYPE;

  text(): Promise<string> {
    return this.#registry.metrics();
  }
}
