import { z } from "zod";
import { dateTime } from "../../core/schemas/schemas.ts";

const exampleTime = "2026-01-31T10:00:00.000Z";

export const retention = z
  .object({
    requestDays: z.int().meta({ description: "Of recorded requests; 0: none are recorded." }),
    auditLogDays: z.int(),
    usageEventDays: z.int().meta({ description: "Of usage events. Counters stay." }),
  })
  .meta({
    id: "Retention",
    description: "For how long the server keeps what it records, in days.",
    examples: [{ requestDays: 7, auditLogDays: 400, usageEventDays: 400 }],
  });

export const systemStatus = z
  .object({
    version: z.string(),
    startedOn: dateTime.meta({ description: "When the node that responds was started." }),
    memoryBytes: z.int().meta({ description: "What its process holds." }),
    storage: z.object({
      engine: z.enum(["sqlite", "postgres"]),
      bytes: z.number().meta({ description: "What the database takes, with indexes and room that is free again." }),
    }),
    feed: z.object({
      trust: z
        .enum(["fresh", "behind", "away", "lost"])
        .meta({ description: "How far caches are believed: `fresh` where every change is followed." }),
      lagMs: z
        .int()
        .meta({ description: "Since when all changes of other nodes are known; 0 for an embedded server." }),
    }),
    nodes: z
      .array(
        z.object({
          id: z.string(),
          host: z.string(),
          connectedOn: dateTime.optional(),
          isThis: z.boolean().meta({ description: "The one that responds." }),
        }),
      )
      .meta({ description: "The processes that use the database now." }),
    caches: z.array(
      z.object({
        name: z.string(),
        entries: z.int(),
        hits: z.int().meta({ description: "Since the node was started." }),
        misses: z.int(),
      }),
    ),
    lastBackup: z.object({ time: dateTime, bytes: z.int() }).nullable().meta({
      description: "By `tollgate backup`; null if there was none, and on PostgreSQL, which you back up yourself.",
    }),
  })
  .meta({
    id: "SystemStatus",
    description: "The server at a glance.",
    examples: [
      {
        version: "1.0.0",
        startedOn: exampleTime,
        memoryBytes: 94_371_840,
        storage: { engine: "sqlite", bytes: 4_194_304 },
        feed: { trust: "fresh", lagMs: 0 },
        nodes: [{ id: "embedded", host: "api-1", isThis: true }],
        caches: [{ name: "keys", entries: 120, hits: 90_000, misses: 130 }],
        lastBackup: { time: exampleTime, bytes: 1_048_576 },
      },
    ],
  });
