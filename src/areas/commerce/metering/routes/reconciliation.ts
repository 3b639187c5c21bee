import { z } from "zod";
import { dateTime, dateTimeInput, isOrdered, notOrdered } from "../../../../core/schemas/schemas.ts";
import type { Storage } from "../../../../platform/storage/storage.ts";
import { bucketPath, inBucket } from "../../metering-buckets/in-bucket.ts";
import { reconcile } from "../usage/reconciliation.ts";

const side = z.object({ events: z.int(), amount: z.number() });

const reconciliation = z
  .object({
    agrees: z.boolean(),
    meters: z.record(z.string(), z.object({ accepted: z.int(), counted: side, stored: side })),
    differences: z.array(
      z.object({
        subscriptionId: z.string(),
        meter: z.string(),
        periodStart: dateTime,
        counted: side,
        stored: side,
      }),
    ),
  })
  .meta({
    id: "Reconciliation",
    description: "The counters, compared with the events. Events that retention removed count as stored.",
    examples: [
      {
        agrees: true,
        meters: {
          requests: { accepted: 12, counted: { events: 12, amount: 1200 }, stored: { events: 12, amount: 1200 } },
        },
        differences: [],
      },
    ],
  });

const reconciliationParameters = z.strictObject({
  from: dateTimeInput
    .optional()
    .meta({ format: "date-time", description: "Periods that begin at this time or later." }),
  to: dateTimeInput.optional().meta({ format: "date-time", description: "Periods that begin before this time." }),
});

const reconciliationQuery = reconciliationParameters.refine(isOrdered, notOrdered);

export function reconciliationRoutes(storage: Pick<Storage, "isShared" | "reads">) {
  return [
    inBucket.read({
      operationId: "reconcileUsage",
      path: `${bucketPath}/reconciliation`,
      summary: "Compare the counters with the events",
      access: "read",
      query: reconciliationQuery,
      response: reconciliation,
      handle: async ({ bucket, query }) => {
        const from = query.from ?? Number.MIN_SAFE_INTEGER;
        const to = query.to ?? Number.MAX_SAFE_INTEGER;
        const revision = { id: bucket.id, version: "reconciliation" };
        return { body: await reconcile(storage, bucket, from, to), revision, composed: true };
      },
    }),
  ];
}
