import { noBody } from "../../../../api/body.ts";
import { csvList } from "../../../../api/csv-list.ts";
import { read, routeScope, write } from "../../../../api/endpoint.ts";
import type { Reads } from "../../../../platform/storage/storage.ts";
import { contextIn, findMeteringBucket, type MeteringBucket, timeIn } from "../../metering-buckets/metering-buckets.ts";
import { bucketPath } from "../../metering-buckets/paths.ts";
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

/** A grant of a meter that no plan has pays for nothing: its name may be misspelled. */
async function withWarnings<Presented extends { meter?: string }>(
  reads: Reads,
  bucket: MeteringBucket,
  grants: Presented[],
): Promise<(Presented & { warning?: string })[]> {
  const meters = new Set(grants.flatMap(({ meter }) => meter ?? []));
  const unknown = new Set<string>();
  for (const meter of meters) if (!(await hasMeter(reads, bucket, meter))) unknown.add(meter);
  return grants.map((grant) =>
    grant.meter === undefined || !unknown.has(grant.meter)
      ? grant
      : { ...grant, warning: `No plan of the bucket has the meter ${grant.meter}: the grant pays for nothing.` },
  );
}

async function reply(reads: Reads, bucket: MeteringBucket, grant: Grant, now: number) {
  const [current] = await withCurrentBalances(reads, bucket, grant.customer_key, [grant], now);
  const warned = await withWarnings(reads, bucket, [presentGrant(current!, now)]);
  return { body: warned[0]!, revision: revisionOfGrant(grant, now), composed: true };
}

export function grantRoutes() {
  return routeScope({ inAccountOfCaller: true }, [
    csvList({
      operationId: "listGrants",
      path: grantsPath,
      summary: "List the grants of a customer",
      description: "Also as `text/csv`, if the Accept header prefers it.",
      access: "read",
      item: grant,
      listName: "GrantList",
      csv: grantColumns,
      handle: async ({ reads, act, params, query }) => {
        const bucket = await findMeteringBucket(reads, act.account.seq, params.bucketId);
        const { customer_key } = await findCustomer(reads, bucket, params.customerKey);
        const { data, total } = await listGrants(reads, bucket, customer_key, query);
        const now = timeIn(bucket, act.now);
        const current = await withCurrentBalances(reads, bucket, customer_key, data, now);
        const presented = current.map((row) => presentGrant(row, now));
        return { data: await withWarnings(reads, bucket, presented), total };
      },
    }),
    write({
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
      handle: async ({ act, params, body }, transaction) => {
        const context = await contextIn(transaction, act, params.bucketId);
        const row = await addGrant(context, params.customerKey, body);
        return reply(transaction, context.bucket, row, context.act.now);
      },
    }),
    read({
      operationId: "getGrant",
      path: grantPath,
      summary: "Read a grant",
      access: "read",
      response: grant,
      handle: async ({ reads, act, params }) => {
        const bucket = await findMeteringBucket(reads, act.account.seq, params.bucketId);
        const row = await findGrant(reads, bucket, params.customerKey, params.grantId);
        return reply(reads, bucket, row, timeIn(bucket, act.now));
      },
    }),
    csvList({
      operationId: "listGrantEntries",
      path: `${grantPath}/entries`,
      summary: "List the ledger of a grant",
      description:
        "Entries never change. Usage is entered at the end of each hour, and before invoices. Also as `text/csv`, if the Accept header prefers it.",
      access: "read",
      item: grantEntry,
      listName: "GrantEntryList",
      csv: entryColumns,
      handle: async ({ reads, act, params, query }) => {
        const bucket = await findMeteringBucket(reads, act.account.seq, params.bucketId);
        const row = await findGrant(reads, bucket, params.customerKey, params.grantId);
        const { data, total } = await listEntries(reads, row, query);
        return { data: data.map((entry) => presentEntry(row, entry)), total };
      },
    }),
    csvList({
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
      handle: async ({ reads, act, params, query }) => {
        const bucket = await findMeteringBucket(reads, act.account.seq, params.bucketId);
        const { customer_key } = await findCustomer(reads, bucket, params.customerKey);
        const { data, total } = await listCustomerEntries(reads, bucket, customer_key, query);
        return { data: data.map(presentCustomerEntry), total };
      },
    }),
    write({
      operationId: "voidGrant",
      method: "POST",
      path: `${grantPath}/$void`,
      summary: "Void a grant",
      description: "What is left of it can no longer be used. What it has paid stays paid.",
      access: "bill",
      body: noBody,
      response: grant,
      problems: ["grant_ended"],
      handle: async ({ act, params }, transaction) => {
        const context = await contextIn(transaction, act, params.bucketId);
        const { customerKey, grantId } = params;
        const row = await endGrant(context, customerKey, grantId);
        return {
          body: presentGrant(row, context.act.now),
          revision: revisionOfGrant(row, context.act.now),
          composed: true,
        };
      },
    }),
  ]);
}
