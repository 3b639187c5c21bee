import { noBody } from "../../../../api/body.ts";
import { presentPage } from "../../../../api/presented.ts";
import type { Reads } from "../../../../platform/storage/storage.ts";
import { bucketPath, inBucket } from "../../metering-buckets/in-bucket.ts";
import type { MeteringBucket } from "../../metering-buckets/metering-buckets.ts";
import { hasMeter } from "../../plans/plans.ts";
import {
  findGrant,
  type Grant,
  listCustomerEntries,
  listEntries,
  listGrants,
  revisionOfGrant,
} from "../credit-grants/grants.ts";
import { presentCustomerEntry, presentEntry, presentGrant } from "../credit-grants/present-grant.ts";
import { findCustomer } from "../customers/customers.ts";
import { addGrant, endGrant, withCurrentBalances } from "../periods/grant-actions.ts";
import { creditEntriesQuery, creditEntry, grant, grantEntry, grantInput } from "../schemas/grant-schema.ts";
import { creditEntryColumns, entryColumns, grantColumns } from "./csv-columns.ts";

const grantsPath = `${bucketPath}/customers/{customerKey}/grants` as const;
const grantPath = `${grantsPath}/{grantId}` as const;

/** Of each meter, in order: a warning if no plan has it, so that its units pay for nothing. Its name may be misspelled. */
export async function meterWarnings(
  reads: Reads,
  bucket: MeteringBucket,
  what: "grant" | "pack",
  meters: (string | null)[],
): Promise<{ warning?: string }[]> {
  const known = new Map<string | null, boolean>([[null, true]]);
  for (const meter of meters) if (!known.has(meter)) known.set(meter, await hasMeter(reads, bucket, meter!));
  return meters.map((meter) =>
    known.get(meter) ? {} : { warning: `No plan of the bucket has the meter ${meter}: the ${what} pays for nothing.` },
  );
}

/** Grants of a customer as they are shown. */
async function shown(reads: Reads, bucket: MeteringBucket, customerKey: string, grants: Grant[], now: number) {
  const warnings = await meterWarnings(
    reads,
    bucket,
    "grant",
    grants.map(({ meter }) => meter),
  );
  const current = await withCurrentBalances(reads, bucket, customerKey, grants, now);
  return current.map((grant, index) => ({ ...presentGrant(grant, now), ...warnings[index] }));
}

async function reply(reads: Reads, bucket: MeteringBucket, grant: Grant, now: number) {
  const [body] = await shown(reads, bucket, grant.customer_key, [grant], now);
  return { body: body!, revision: revisionOfGrant(grant, now), composed: true };
}

export function grantRoutes() {
  return [
    inBucket.list({
      operationId: "listGrants",
      path: grantsPath,
      summary: "List the grants of a customer",
      description: "Also as `text/csv`, if the Accept header prefers it.",
      access: "read",
      item: grant,
      listName: "GrantList",
      csv: grantColumns,
      handle: async ({ reads, bucket, now, params, query }) => {
        const { customer_key } = await findCustomer(reads, bucket, params.customerKey);
        const { data, total } = await listGrants(reads, bucket, customer_key, query);
        return { data: await shown(reads, bucket, customer_key, data, now), total };
      },
    }),
    inBucket.write({
      operationId: "createGrant",
      method: "POST",
      path: grantsPath,
      summary: "Grant credits to a customer",
      description:
        "Units of a meter extend the maximum of the plan. Money pays overage as it occurs, and then invoices when they " +
        "are finalized. Credits pay for usage from now on.",
      access: "bill",
      body: grantInput,
      response: grant,
      handle: async ({ context, bucket, params, body }, transaction) => {
        const row = await addGrant(context, params.customerKey, body);
        return reply(transaction, bucket, row, context.act.now);
      },
    }),
    inBucket.read({
      operationId: "getGrant",
      path: grantPath,
      summary: "Read a grant",
      access: "read",
      response: grant,
      handle: async ({ reads, bucket, now, params }) => {
        const row = await findGrant(reads, bucket, params.customerKey, params.grantId);
        return reply(reads, bucket, row, now);
      },
    }),
    inBucket.list({
      operationId: "listGrantEntries",
      path: `${grantPath}/entries`,
      summary: "List the ledger of a grant",
      description:
        "Entries never change. Usage is entered at the end of each hour, and before invoices. Also as `text/csv`, if the Accept header prefers it.",
      access: "read",
      item: grantEntry,
      listName: "GrantEntryList",
      csv: entryColumns,
      handle: async ({ reads, bucket, params, query }) => {
        const row = await findGrant(reads, bucket, params.customerKey, params.grantId);
        return presentPage(await listEntries(reads, row, query), (entry) => presentEntry(row, entry));
      },
    }),
    inBucket.list({
      operationId: "listCreditEntries",
      path: `${bucketPath}/customers/{customerKey}/credit-entries`,
      summary: "List the history of a customer's credit",
      description:
        "The entries of all grants of the customer, by default the oldest first. Usage is entered at the end of each hour, and " +
        "before invoices. Also as `text/csv`, if the Accept header prefers it.",
      access: "read",
      query: creditEntriesQuery,
      item: creditEntry,
      listName: "CreditEntryList",
      csv: creditEntryColumns,
      handle: async ({ reads, bucket, params, query }) => {
        const { customer_key } = await findCustomer(reads, bucket, params.customerKey);
        return presentPage(await listCustomerEntries(reads, bucket, customer_key, query), presentCustomerEntry);
      },
    }),
    inBucket.write({
      operationId: "voidGrant",
      method: "POST",
      path: `${grantPath}/$void`,
      summary: "Void a grant",
      description: "What is left of it can no longer be used. What it has paid stays paid.",
      access: "bill",
      body: noBody,
      response: grant,
      problems: ["grant_ended"],
      handle: async ({ context, params }) => {
        const { now } = context.act;
        const row = await endGrant(context, params.customerKey, params.grantId);
        return { body: presentGrant(row, now), revision: revisionOfGrant(row, now), composed: true };
      },
    }),
  ];
}
