import { contentType, exposition, type Metric, type Sample } from "../../platform/telemetry/exposition.ts";
import { Histogram } from "../../platform/telemetry/histogram.ts";
import { GatewayMetrics } from "./gateway-metrics.ts";

const requestBuckets = [0.0001, 0.00025, 0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 10];

interface CacheStatistics {
  hits: number;
  misses: number;
  size: number;
}

interface CertificateStatistics {
  name: string;
  certificate: { notAfter: number };
}

interface ConnectionStatistics {
  open: number;
  overflowed: number;
}

type DeliveryKind = "webhook" | "mail" | "payment";

export interface DiskSpace {
  availableBytes: number;
  sizeBytes: number;
}

interface StorageStatistics {
  /** Whether the last write of the check succeeded. */
  isAvailable(): boolean;
  /** The disk of the data directory. Undefined if it is unknown. */
  disk(): DiskSpace | undefined;
  /** In milliseconds. Undefined if it is unknown. */
  lastBackup(): number | undefined;
}

interface ExportStatistics {
  account: string;
  name: string;
  /** How long the next hour has been closed and not written. */
  seconds: number;
  isFailing: boolean;
}

interface ReplicaStatistics {
  isUsed: boolean;
  /** Undefined if it is unknown. */
  lagMilliseconds: number | undefined;
  /** Reads that failed on the replica and were repeated on the primary. */
  fallbacks: number;
}

/** Every series of `/metrics` by name. One instance per service, so that two services in one process do not mix. */
export class Metrics {
  readonly #requestSeconds = new Histogram(
    "tollgate_request_duration_seconds",
    "Time from request to response, by operation.",
    requestBuckets,
    "operation",
  );
  readonly #storageSeconds = new Histogram(
    "tollgate_storage_duration_seconds",
    "Time storage took: a query, a write with its commit, and on SQLite the commit alone.",
    requestBuckets,
    "operation",
  );
  readonly #groupSize = new Histogram(
    "tollgate_storage_group_size",
    "Writes that shared one commit (SQLite).",
    [1, 2, 4, 8, 16, 32, 64, 128, 256],
  );
  readonly #revocationLag = new Histogram(
    "tollgate_revocation_lag_seconds",
    "Time from a change on another node to its effect on this one.",
    [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 10],
  );

  readonly gateway = new GatewayMetrics(requestBuckets);

  readonly #statuses = new Map<string, Map<number, number>>();
  readonly #caches = new Map<string, () => CacheStatistics>();
  readonly #invalidRequests = new Map<number, number>();
  readonly #deliveries = new Map<DeliveryKind, { succeeded: number; failed: number }>();
  readonly #handshakes = { completed: 0, failed: 0 };
  #certificates: () => Iterable<CertificateStatistics> = () => [];
  /** Undefined in workers, which do not write. */
  #storage: StorageStatistics | undefined;
  /** Undefined in workers and on SQLite. */
  #historyChanges: (() => number) | undefined;
  #clockOffset: (() => number) | undefined;
  #copyAge: (() => number | undefined) | undefined;
  #exports: () => readonly ExportStatistics[] = () => [];
  /** Undefined without a replica. */
  #replica: (() => ReplicaStatistics) | undefined;
  #connections: () => ConnectionStatistics = () => ({ open: 0, overflowed: 0 });
  #buffered = () => 0;

  readonly #metrics: Metric[] = [
    this.#storageSeconds,
    this.#groupSize,
    this.#revocationLag,
    {
      name: "tollgate_storage_up",
      help: "1 if the last check of storage, every 5 s and with a write, succeeded; otherwise 0.",
      type: "gauge",
      samples: () => (this.#storage ? [{ labels: {}, value: Number(this.#storage.isAvailable()) }] : []),
    },
    {
      name: "tollgate_database_history_changes_total",
      help: "How often PostgreSQL was replaced by a database with another history: a promoted standby, or a restored dump.",
      type: "counter",
      samples: () => (this.#historyChanges ? [{ labels: {}, value: this.#historyChanges() }] : []),
    },
    {
      name: "tollgate_clock_offset_seconds",
      help: "How far the clock of this node is ahead of that of PostgreSQL, which is used.",
      type: "gauge",
      samples: () => (this.#clockOffset ? [{ labels: {}, value: this.clockLeadMilliseconds / 1000 }] : []),
    },
    {
      name: "tollgate_copy_age_seconds",
      help: "How old the copy of storage is that this node could start with.",
      type: "gauge",
      samples: () => {
        const age = this.#copyAge?.();
        return age === undefined ? [] : [{ labels: {}, value: age / 1000 }];
      },
    },
    {
      name: "tollgate_replica_used",
      help: "1 if the read replica is used; 0 if the primary serves its reads.",
      type: "gauge",
      samples: () => this.#replicaSamples(({ isUsed }) => Number(isUsed)),
    },
    {
      name: "tollgate_replica_lag_seconds",
      help: "How old the data of the read replica is at most.",
      type: "gauge",
      samples: () => this.#replicaSamples(({ lagMilliseconds: lag }) => (lag === undefined ? undefined : lag / 1000)),
    },
    {
      name: "tollgate_replica_fallbacks_total",
      help: "Reads that failed on the read replica and were repeated on the primary.",
      type: "counter",
      samples: () => this.#replicaSamples(({ fallbacks }) => fallbacks),
    },
    {
      name: "tollgate_export_delay_seconds",
      help: "How long the next hour of an export has been closed and not written.",
      type: "gauge",
      samples: () => this.#exportSamples(({ seconds }) => seconds),
    },
    {
      name: "tollgate_export_failing",
      help: "1 if the last attempt of an export failed; otherwise 0.",
      type: "gauge",
      samples: () => this.#exportSamples(({ isFailing }) => Number(isFailing)),
    },
    {
      name: "tollgate_disk_available_bytes",
      help: "Free space on the disk of the data directory.",
      type: "gauge",
      samples: () => this.#diskSamples("availableBytes"),
    },
    {
      name: "tollgate_disk_size_bytes",
      help: "Size of the disk of the data directory.",
      type: "gauge",
      samples: () => this.#diskSamples("sizeBytes"),
    },
    ...this.gateway.metrics,
    this.#requestSeconds,
    {
      name: "tollgate_requests_total",
      help: "Requests, by operation and status.",
      type: "counter",
      samples: () => this.#requestSamples(),
    },
    {
      name: "tollgate_cache_hits_total",
      help: "Look-ups served from memory.",
      type: "counter",
      samples: () => this.#cacheSamples("hits"),
    },
    {
      name: "tollgate_cache_misses_total",
      help: "Cache misses, which read storage.",
      type: "counter",
      samples: () => this.#cacheSamples("misses"),
    },
    {
      name: "tollgate_cache_entries",
      help: "Entries in memory.",
      type: "gauge",
      samples: () => this.#cacheSamples("size"),
    },
    {
      name: "tollgate_invalid_requests_total",
      help: "Requests that are not valid HTTP or too slow, and connections beyond the limits that sent none, by status.",
      type: "counter",
      samples: () => this.#invalidSamples(),
    },
    {
      name: "tollgate_connections",
      help: "Open connections of clients.",
      type: "gauge",
      samples: () => [{ labels: {}, value: this.#connections().open }],
    },
    {
      name: "tollgate_connections_rejected_total",
      help: "Connections beyond the limits.",
      type: "counter",
      samples: () => [{ labels: {}, value: this.#connections().overflowed }],
    },
    {
      name: "tollgate_buffered_bytes",
      help: "Memory of bodies that are read as a whole, and of responses that wait for slow readers.",
      type: "gauge",
      samples: () => [{ labels: {}, value: this.#buffered() }],
    },
    {
      name: "tollgate_tls_handshakes_total",
      help: "TLS handshakes of clients, by outcome.",
      type: "counter",
      samples: () => this.#handshakeSamples(),
    },
    {
      name: "tollgate_certificate_expiry_timestamp_seconds",
      help: "When each certificate expires; without names the first of them.",
      type: "gauge",
      names: ["name"],
      samples: () => this.#certificateSamples(),
    },
    {
      name: "tollgate_deliveries_total",
      help: "Attempts to deliver a webhook message or a mail, or to collect an invoice with Stripe, by outcome.",
      type: "counter",
      samples: () => this.#deliverySamples(),
    },
    {
      name: "tollgate_last_backup_timestamp_seconds",
      help: "When the last tollgate backup was made (SQLite).",
      type: "gauge",
      samples: () => this.#backupSamples(),
    },
    {
      name: "process_resident_memory_bytes",
      help: "Memory of the process.",
      type: "gauge",
      samples: () => [{ labels: {}, value: process.memoryUsage.rss() }],
    },
  ];

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
      this.#storageSeconds.observe(operation, seconds),
    group: (size: number) => this.#groupSize.observe("", size),
    revocationLag: (seconds: number) => this.#revocationLag.observe("", seconds),
  };

  /** Caches have their own counters, which are read when metrics are scraped. */
  cache(name: string, statistics: () => CacheStatistics): void {
    this.#caches.set(name, statistics);
  }

  caches(): { name: string; statistics: CacheStatistics }[] {
    return [...this.#caches].map(([name, statistics]) => ({ name, statistics: statistics() }));
  }

  invalidRequest(status: number): void {
    this.#invalidRequests.set(status, (this.#invalidRequests.get(status) ?? 0) + 1);
  }

  connections(statistics: () => ConnectionStatistics, buffered: () => number): void {
    this.#connections = statistics;
    this.#buffered = buffered;
  }

  delivery(kind: DeliveryKind, hasSucceeded: boolean): void {
    const counts = this.#deliveries.get(kind) ?? { succeeded: 0, failed: 0 };
    counts[hasSucceeded ? "succeeded" : "failed"] += 1;
    this.#deliveries.set(kind, counts);
  }

  handshake(outcome: "completed" | "failed"): void {
    this.#handshakes[outcome] += 1;
  }

  watchExports(exports: () => readonly ExportStatistics[]): void {
    this.#exports = exports;
  }

  watchReplica(replica: () => ReplicaStatistics): void {
    this.#replica = replica;
  }

  watchHistory(changes: () => number): void {
    this.#historyChanges = changes;
  }

  watchCopy(age: () => number | undefined): void {
    this.#copyAge = age;
  }

  watchClock(offset: () => number): void {
    this.#clockOffset = offset;
  }

  /** How far the clock of this node is ahead of that of PostgreSQL, in milliseconds. */
  get clockLeadMilliseconds(): number {
    return this.#clockOffset ? 0 - this.#clockOffset() : 0;
  }

  watchStorage(statistics: StorageStatistics): void {
    this.#storage = statistics;
  }

  certificates(statistics: () => Iterable<CertificateStatistics>): void {
    this.#certificates = statistics;
  }

  readonly contentType = contentType;

  /** Without names there are only totals over deployments, routes and certificates. */
  text(options: { withNames: boolean }): string {
    return exposition(this.#metrics, options);
  }

  *#requestSamples(): Generator<Sample> {
    for (const [operation, counts] of this.#statuses)
      for (const [status, value] of counts) yield { labels: { operation, status }, value };
  }

  *#invalidSamples(): Generator<Sample> {
    for (const [status, value] of this.#invalidRequests) yield { labels: { status }, value };
  }

  *#handshakeSamples(): Generator<Sample> {
    for (const [outcome, value] of Object.entries(this.#handshakes)) yield { labels: { outcome }, value };
  }

  *#certificateSamples(): Generator<Sample> {
    for (const { name, certificate } of this.#certificates())
      yield { labels: { name }, value: certificate.notAfter / 1000 };
  }

  *#deliverySamples(): Generator<Sample> {
    for (const [kind, counts] of this.#deliveries)
      for (const [outcome, value] of Object.entries(counts)) yield { labels: { kind, outcome }, value };
  }

  *#backupSamples(): Generator<Sample> {
    const time = this.#storage?.lastBackup();
    if (time !== undefined) yield { labels: {}, value: time / 1000 };
  }

  #exportSamples(select: (one: ExportStatistics) => number): Sample[] {
    return this.#exports().map((each) => ({
      labels: { account: each.account, export: each.name },
      value: select(each),
    }));
  }

  #replicaSamples(select: (replica: ReplicaStatistics) => number | undefined): Sample[] {
    const value = this.#replica && select(this.#replica());
    return value === undefined ? [] : [{ labels: {}, value }];
  }

  *#diskSamples(kind: keyof DiskSpace): Generator<Sample> {
    const disk = this.#storage?.disk();
    if (disk) yield { labels: {}, value: disk[kind] };
  }

  *#cacheSamples(kind: keyof CacheStatistics): Generator<Sample> {
    for (const [cache, statistics] of this.#caches) yield { labels: { cache }, value: statistics()[kind] };
  }
}
