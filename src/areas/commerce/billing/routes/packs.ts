import { list, read, routeScope, write } from "../../../../api/endpoint.ts";
import type { Reads } from "../../../../platform/storage/storage.ts";
import { findMeteringBucket, type MeteringBucket } from "../../metering-buckets/metering-buckets.ts";
import { bucketPath } from "../../metering-buckets/paths.ts";
import { hasMeter } from "../../plans/plans.ts";
import { createPack, deletePack, findPack, listPacks, type Pack, presentPack, updatePack } from "../packs/packs.ts";
import { pack, packInput, packPatch, packQuery } from "../schemas/pack-schema.ts";

const packsPath = `${bucketPath}/credit-packs` as const;
const packPath = `${packsPath}/{packId}` as const;

/** Units of a meter that no plan has pay for nothing: its name may be misspelled. */
async function withWarning(reads: Reads, bucket: MeteringBucket, row: Pack) {
  const { grant_meter: meter } = row;
  const isUnknown = meter !== null && !(await hasMeter(reads, bucket, meter));
  const warning = `No plan of the bucket has the meter ${meter}: the pack pays for nothing.`;
  return { ...presentPack(row), ...(isUnknown ? { warning } : {}) };
}

async function reply(reads: Reads, bucket: MeteringBucket, row: Pack) {
  return { body: await withWarning(reads, bucket, row), revision: row, composed: true };
}

export function packRoutes() {
  return routeScope({ inAccountOfCaller: true }, [
    list({
      operationId: "listCreditPacks",
      path: packsPath,
      summary: "List credit packs",
      access: "read",
      query: packQuery,
      item: pack,
      listName: "CreditPackList",
      handle: async ({ reads, act, params, query }) => {
        const bucket = await findMeteringBucket(reads, act.account.seq, params.bucketId);
        const { data, total } = await listPacks(reads, bucket, query.packExternalId, query);
        return { data: await Promise.all(data.map((row) => withWarning(reads, bucket, row))), total };
      },
    }),
    write({
      operationId: "createCreditPack",
      method: "POST",
      path: packsPath,
      summary: "Create a credit pack",
      description: "Credit that customers buy for a price. Price and grant cannot be changed afterwards.",
      access: "bill",
      body: packInput,
      response: pack,
      problems: ["credit_pack_exists"],
      handle: async ({ act, params, body }, transaction) => {
        const bucket = await findMeteringBucket(transaction, act.account.seq, params.bucketId);
        return reply(transaction, bucket, await createPack({ transaction, act, bucket }, body));
      },
    }),
    read({
      operationId: "getCreditPack",
      path: packPath,
      summary: "Read a credit pack",
      access: "read",
      response: pack,
      handle: async ({ reads, act, params }) => {
        const bucket = await findMeteringBucket(reads, act.account.seq, params.bucketId);
        return reply(reads, bucket, await findPack(reads, bucket, params.packId));
      },
    }),
    write({
      operationId: "updateCreditPack",
      method: "PATCH",
      path: packPath,
      summary: "Change a credit pack",
      description: "Its label, whether customers see it in the portal, and its place there.",
      access: "bill",
      body: packPatch,
      response: pack,
      handle: async ({ act, params, body, precondition }, transaction) => {
        const bucket = await findMeteringBucket(transaction, act.account.seq, params.bucketId);
        return reply(
          transaction,
          bucket,
          await updatePack({ transaction, act, bucket }, params.packId, body, precondition),
        );
      },
    }),
    write({
      operationId: "deleteCreditPack",
      method: "DELETE",
      path: packPath,
      summary: "Delete a credit pack",
      description: "What was bought stays. Automatic top-ups with the pack buy nothing any more.",
      access: "bill",
      handle: async ({ act, params, precondition }, transaction) => {
        const bucket = await findMeteringBucket(transaction, act.account.seq, params.bucketId);
        await deletePack({ transaction, act, bucket }, params.packId, precondition);
        return {};
      },
    }),
  ]);
}
