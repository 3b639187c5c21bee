import type { z } from "zod";
import { read } from "../../api/endpoint.ts";
import type { Metrics } from "../../core/metrics/metrics.ts";
import { formatDateTime } from "../../lib/time/time.ts";
import type { ChangeFeed } from "../../platform/storage/change-feed.ts";
import { lastBackup } from "../../platform/storage/data-directory/last-backup.ts";
import type { History, ReplicaStatus } from "../../platform/storage/history.ts";
import type { Storage } from "../../platform/storage/storage.ts";
import { storageBytes, storageNodes } from "../../platform/storage/storage-status.ts";
import { type ProcessStatus, processStatus, sumOf } from "./process-status.ts";
import { retention, systemStatus, type usageEventStorage } from "./schema.ts";

export const systemAreas = { System: "The server itself, for its operator." };

export interface SystemInfo {
  storage: Storage;
  history: History;
  metrics: Metrics;
  /** The other processes of this node. */
  otherProcesses?: (() => Promise<ProcessStatus[]>) | undefined;
  version: string;
  /** Milliseconds. */
  startedOn: number;
  dataDirectory: string;
  retention: z.output<typeof retention>;
  usageEvents(): Promise<z.input<typeof usageEventStorage> | null>;
}

export function systemStatusRoutes({
  storage,
  history,
  metrics,
  otherProcesses,
  version,
  startedOn,
  dataDirectory,
  retention: kept,
  usageEvents,
}: SystemInfo) {
  return [
    read({
      operationId: "getRetention",
      path: "/v1/accounts/{accountName}/retention",
      area: "System",
      summary: "Read how long requests, audit entries and usage events are kept",
      description: "They are settings of the server, the same for every account.",
      access: "read",
      inProjects: "always",
      response: retention,
      handle: async () => ({ body: kept }),
    }),
    read({
      operationId: "getSystemStatus",
      path: "/v1/system",
      area: "System",
      summary: "Read version, storage, nodes, feed, caches and last backup",
      access: "operate",
      response: systemStatus,
      handle: async () => {
        const [bytes, nodes, events, others] = await Promise.all([
          storageBytes(storage),
          storageNodes(storage),
          usageEvents(),
          otherProcesses?.() ?? [],
        ]);
        const { memoryBytes, caches } = sumOf([processStatus(metrics), ...others]);
        const backup = lastBackup(storage, dataDirectory);
        return {
          body: {
            version,
            startedOn: formatDateTime(startedOn),
            memoryBytes,
            storage: { engine: storage.engine, bytes },
            feed: presentFeed(storage.feed),
            clockLeadMs: Math.round(metrics.clockLeadMilliseconds),
            nodes: nodes.map(({ connectedOn, ...node }) => ({
              ...node,
              ...(connectedOn === undefined ? {} : { connectedOn: formatDateTime(connectedOn) }),
            })),
            caches,
            usageEvents: events,
            replica: presentReplica(history.status()),
            lastBackup: backup ? { time: formatDateTime(backup.time), bytes: backup.bytes } : null,
          },
        };
      },
    }),
  ];
}

function presentFeed(feed: ChangeFeed) {
  const { historyChanges, lastHistoryChange: last } = feed;
  return {
    trust: feed.trust(),
    lagMs: Math.round(feed.lagMilliseconds()),
    historyChanges,
    ...(last && {
      lastHistoryChange: { followedUntil: formatDateTime(last.followedUntil), on: formatDateTime(last.on) },
    }),
  };
}

function presentReplica(status: ReplicaStatus | undefined) {
  if (!status) return null;
  const { isUsed, lagMilliseconds, error } = status;
  const lagMs = lagMilliseconds === undefined ? null : Math.round(lagMilliseconds);
  return { isUsed, lagMs, ...(error !== undefined && { error }) };
}
