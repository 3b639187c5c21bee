import { z } from "zod";
import { dateTime, secret } from "../../../../core/schemas/schemas.ts";

const versionNumber = z.int("must be the number of a version").min(1, "must be the number of a version");

const stickyBy = z.enum(["credential", "ip"]).meta({
  description:
    "Keeps the requests of one client on one version: by a hash of the presented credential (or the address, if there is none), or by the address. By default each request is assigned separately.",
});

const abort = z
  .strictObject({
    errorShare: z
      .number("must be a number above 0 and at most 1")
      .gt(0, "must be a number above 0 and at most 1")
      .max(1, "must be a number above 0 and at most 1")
      .meta({ description: "The share of failed requests at which the canary is aborted." }),
    minimumRequests: z
      .int("must be a whole number from 1 to 1,000,000")
      .min(1, "must be a whole number from 1 to 1,000,000")
      .max(1_000_000, "must be a whole number from 1 to 1,000,000")
      .meta({ description: "The minimum number of the canary's requests in 60 seconds for an abort." }),
  })
  .meta({
    id: "CanaryAbort",
    description:
      "When all traffic returns to the live version, based on the canary's requests of the last 60 seconds. A request failed if its response is 5xx or an attempt to reach the upstream failed.",
  });

const weightText = "must be a whole number from 0 to 10,000";

const splitExample = {
  splits: [
    { versionNumber: 3, weight: 95 },
    { versionNumber: 4, weight: 5 },
  ],
  stickyBy: "credential" as const,
  abort: { errorShare: 0.05, minimumRequests: 100 },
};

export const trafficInput = z
  .strictObject({
    splits: z
      .array(
        z.strictObject({
          versionNumber,
          weight: z.int(weightText).min(0, weightText).max(10_000, weightText),
        }),
      )
      .length(2, "must be two versions: the live one and another one")
      .refine((splits) => splits.some(({ weight }) => weight > 0), "must have a weight above 0"),
    stickyBy: stickyBy.optional(),
    abort: abort.optional(),
  })
  .meta({ id: "TrafficSplit", examples: [splitExample] });

const failures = {
  requests: z.int(),
  errors: z.int().meta({ description: "The number of requests with a 5xx response or a failed attempt." }),
  errorShare: z.number(),
};

const counts = z
  .object({
    ...failures,
    latencyMs: z.object({ p50: z.number(), p95: z.number(), p99: z.number() }).nullable(),
  })
  .meta({ id: "CanaryCounts", description: "The requests of a version since the canary release began, on all nodes." });

const servedSplit = z.object({
  versionNumber: z.int(),
  weight: z.int(),
  share: z.number().meta({ description: "The share of the requests, from 0 to 1." }),
  isLive: z.boolean(),
  counts: counts.optional().meta({ description: "Only during a canary release." }),
  lastMinute: z
    .object(failures)
    .optional()
    .meta({ description: "The counts of the last 60 seconds, which decide about an abort." }),
});

const lastCanary = z
  .object({
    versionNumber: z.int(),
    liveVersionNumber: z.int().meta({ description: "The version that was live during the release." }),
    outcome: z.enum(["promoted", "aborted", "stopped", "replaced"]).meta({
      description: "`replaced`: a deployment or a rollback ended it.",
    }),
    startedOn: dateTime,
    endedOn: dateTime,
    abort: abort.optional(),
    counts,
    liveCounts: counts,
  })
  .meta({ id: "LastCanary", description: "How the last canary release ended." });

const servedExample = (requests: number, errors: number) => ({
  counts: { requests, errors, errorShare: errors / requests, latencyMs: { p50: 12.1, p95: 48.2, p99: 97.4 } },
  lastMinute: { requests: requests / 10, errors: 0, errorShare: 0 },
});

export const traffic = z
  .object({
    liveVersionNumber: z.int().nullable().meta({ description: "Null if no version is live." }),
    splits: z.array(servedSplit).meta({ description: "The versions that serve, the live one first." }),
    stickyBy: stickyBy.optional(),
    abort: abort.optional(),
    startedOn: dateTime.optional().meta({ description: "When the canary release began." }),
    lastCanary: lastCanary.nullable().meta({ description: "Null during a canary release, and before the first one." }),
  })
  .meta({
    id: "Traffic",
    description: "The versions that serve a deployment, with counts and latencies.",
    examples: [
      {
        liveVersionNumber: 3,
        splits: [
          { versionNumber: 3, weight: 95, share: 0.95, isLive: true, ...servedExample(9500, 4) },
          { versionNumber: 4, weight: 5, share: 0.05, isLive: false, ...servedExample(500, 1) },
        ],
        stickyBy: splitExample.stickyBy,
        abort: splitExample.abort,
        startedOn: "2026-01-31T10:00:00.000Z",
        lastCanary: null,
      },
    ],
  });

export const testInput = z
  .strictObject({ versionNumber })
  .meta({ id: "TrafficTestCreate", examples: [{ versionNumber: 4 }] });

export const testValue = z
  .object({
    header: z.literal("x-tollgate-version"),
    value: secret(z.string()),
    versionNumber: z.int(),
    expiresOn: dateTime,
  })
  .meta({
    id: "TrafficTest",
    description: "A request header that selects a version, for an hour.",
    examples: [
      {
        header: "x-tollgate-version" as const,
        value: "3q2-7w…",
        versionNumber: 4,
        expiresOn: "2026-01-31T11:00:00.000Z",
      },
    ],
  });
