import { read } from "../../../api/endpoint.ts";
import type { Storage } from "../../../platform/storage/storage.ts";
import { findMeteringBucket } from "../../metering-buckets/metering-buckets.ts";
import { bucketPath, inAccountOfCaller } from "../../metering-buckets/paths.ts";
import { reconcile } from "../usage/reconciliation.ts";
import { reconciliation, reconciliationQuery } from "../usage/reconciliation-schema.ts";

const area = "Usage";

export function reconciliationRoutes(storage: Pick<Storage, "isShared" | "reads">) {
  return [
    read({
      operationId: "reconcileUsage",
      path: `${bucketPath}/reconciliation`,
      area,
      inAccountOfCaller,
      summary: "Compare the counters with the events",
      access: "read",
      query: reconciliationQuery,
      response: reconciliation,
      handle: async ({ act, reads, params, query }) => {
        const bucket = await findMeteringBucket(reads, act.account.seq, params.bucketId);
        const from = query.from ?? Number.MIN_SAFE_INTEGER;
        const to = query.to ?? Number.MAX_SAFE_INTEGER;
        const revision = { id: bucket.id, version: "reconciliation" };
        return { body: await reconcile(storage, bucket, from, to), revision, composed: true };
      },
    }),
  ];
}
