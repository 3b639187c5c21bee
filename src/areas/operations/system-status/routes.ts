import { z } from "zod";
import { type AreaContext, areaOf } from "../../../api/area.ts";
import { read } from "../../../api/endpoint.ts";
import { dateTime } from "../../../core/schemas/schemas.ts";
import { formatDateTime } from "../../../lib/time/time.ts";
import type { ChangeFeed } from "../../../platform/storage/change-feed.ts";
import { lastBackup } from "../../../platform/storage/data-directory/last-backup.ts";
import type { ReplicaStatus } from "../../../platform/storage/history.ts";
import { storageBytes, storageNodes } from "../../../platform/storage/storage-status.ts";
import { type ProcessStatus, processStatus, sumOf } from "./process-status.ts";

const exampleTime = "2026-01-31T10:00:00.000Z";

const retention = z
  .object({
    requestDays: z.int().meta({ description: "Of recorded requests; 0 if none are recorded." }),
    auditLogDays: z.int(),
    usageEventDays: z.int().meta({ description: "Of usage events. Counters stay." }),
  })
  .meta({
    id: "Retention",
    description: "The retention in days.",
    examples: [{ requestDays: 7, auditLogDays: 400, usageEventDays: 400 }],
  });

const usageEventStorage = z.object({
  partitions: z.int().meta({ description: "The number of partitions." }),
});

const systemStatus = z
  .object({
    version: z.string(),
    startedOn: dateTime.meta({ description: "When the responding node was started." }),
    memoryBytes: z.int().meta({ description: "The resident memory of its process, or of its primary and workers." }),
    storage: z.object({
      engine: z.enum(["sqlite", "postgres"]),
      bytes: z.number().meta({ description: "The size of the database, including indexes and reusable space." }),
    }),
    feed: z.object({
      trust: z
        .enum(["fresh", "slow", "behind", "away", "copied", "lost"])
        .meta({ description: "How current the caches are: `fresh` if every change is followed." }),
      lagMs: z.int().meta({
        description: "The age of the last read of other nodes' changes in milliseconds; 0 for an embedded server.",
      }),
      historyChanges: z.int().meta({
        description:
          "How often the database was replaced by one with another history since the node was started: by a promoted standby, or a restored dump.",
      }),
      lastHistoryChange: z
        .object({ followedUntil: dateTime, on: dateTime })
        .optional()
        .meta({ description: "What was written in between may be lost. Times of the node's clock." }),
    }),
    clockLeadMs: z.int().meta({
      description:
        "How far the clock of the responding node is ahead of that of PostgreSQL, which is used, in milliseconds; 0 for an embedded server.",
    }),
    nodes: z
      .array(
        z.object({
          id: z.string(),
          host: z.string(),
          connectedOn: dateTime.optional(),
          isThis: z.boolean().meta({ description: "Whether it is the responding node." }),
        }),
      )
      .meta({ description: "The processes that use the database." }),
    caches: z.array(
      z.object({
        name: z.string(),
        entries: z.int(),
        hits: z.int().meta({ description: "Since the node was started." }),
        misses: z.int(),
      }),
    ),
    usageEvents: usageEventStorage
      .nullable()
      .meta({ description: "The partitions of usage events; null for an embedded server, which has none." }),
    replica: z
      .object({
        isUsed: z.boolean().meta({ description: "Whether it serves analytics, exports and the request log." }),
        lagMs: z
          .int()
          .nullable()
          .meta({ description: "How old its data is at most in milliseconds; null if unknown." }),
        error: z.string().optional().meta({ description: "Why it is not used: the primary serves its reads." }),
      })
      .nullable()
      .meta({ description: "The read replica, as the responding node sees it; null if none is configured." }),
    lastBackup: z.object({ time: dateTime, bytes: z.int() }).nullable().meta({
      description: "The last `tollgate backup`; null if there is none, and on PostgreSQL, which you back up yourself.",
    }),
  })
  .meta({
    id: "SystemStatus",
    description: "The status of the server.",
    examples: [
      {
        version: "1.0.0",
        startedOn: exampleTime,
        memoryBytes: 94_371_840,
        storage: { engine: "sqlite", bytes: 4_194_304 },
        feed: { trust: "fresh", lagMs: 0, historyChanges: 0 },
        clockLeadMs: 0,
        nodes: [{ id: "embedded", host: "api-1", isThis: true }],
        caches: [{ name: "keys", entries: 120, hits: 90_000, misses: 130 }],
        usageEvents: null,
        replica: null,
        lastBackup: { time: exampleTime, bytes: 1_048_576 },
      },
    ],
  });

interface SystemInfo {
  /** The other processes of this node. */
  otherProcesses?: (() => Promise<ProcessStatus[]>) | undefined;
  version: string;
  dataDirectory: string;
  usageEvents(): Promise<z.input<typeof usageEventStorage> | null>;
}

export function systemArea(
  { storage, history, clock, metrics, retention: { requestDays, auditDays, eventDays } }: AreaContext,
  { otherProcesses, version, dataDirectory, usageEvents }: SystemInfo,
) {
  const startedOn = clock.now();
  const kept = { requestDays, auditLogDays: auditDays, usageEventDays: eventDays };
  return areaOf({ System: "The server itself, for its operator." }, [
    read({
      operationId: "getRetention",
      path: "/v1/accounts/{accountName}/retention",
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
  ]);
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
