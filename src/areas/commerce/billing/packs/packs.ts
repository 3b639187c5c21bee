import type { z } from "zod";
import { serverTimeOf } from "../../../../core/access.ts";
import { recordChange } from "../../../../core/changes/record.ts";
import { notFound, rejectingTaken } from "../../../../core/problems/problem.ts";
import { amountOf } from "../../../../lib/amount.ts";
import { formatMinorOf, parseMinorOf } from "../../../../lib/currencies.ts";
import type { Precondition } from "../../../../lib/http/etag.ts";
import { newId } from "../../../../lib/ids.ts";
import type { Paging } from "../../../../lib/paging.ts";
import { formatDateTime } from "../../../../lib/time/time.ts";
import { insertRow } from "../../../../platform/storage/query.ts";
import { findRow, lockRow, pageOfRows } from "../../../../platform/storage/rows.ts";
import type { Reads } from "../../../../platform/storage/storage.ts";
import type { RowOf } from "../../../../platform/storage/tables.ts";
import {
  type BucketContext,
  type MeteringBucket,
  namedMeteringBucket,
} from "../../metering-buckets/metering-buckets.ts";
import { presentAmount } from "../credit-grants/present-grant.ts";
import type { packInput, packPatch } from "../schemas/pack-schema.ts";

export type Pack = RowOf<"credit_packs">;
export type PackInput = z.output<typeof packInput>;
type PackPatch = z.output<typeof packPatch>;

export function listPacks(
  reads: Reads,
  { seq: bucket_seq }: MeteringBucket,
  external_id: string | undefined,
  paging: Paging,
) {
  return pageOfRows(
    reads,
    "credit_packs",
    { bucket_seq, ...(external_id === undefined ? {} : { external_id }) },
    paging,
  );
}

export async function findPack(reads: Reads, { seq: bucket_seq }: MeteringBucket, id: string): Promise<Pack> {
  return found(await findRow(reads, "credit_packs", { bucket_seq, id }));
}

function found(pack: Pack | undefined): Pack {
  if (!pack) throw notFound("credit pack");
  return pack;
}

/** Undefined if the bucket has no such pack. */
export function packNamed(reads: Reads, { seq: bucket_seq }: MeteringBucket, external_id: string) {
  return findRow(reads, "credit_packs", { bucket_seq, external_id });
}

/** Those that customers see, in order. */
export function publicPacks(reads: Reads, { seq }: MeteringBucket): Promise<Pack[]> {
  return reads.all("SELECT * FROM credit_packs WHERE bucket_seq = ? AND is_public = 1 ORDER BY position, seq", [seq]);
}

export async function createPack(
  context: BucketContext,
  { packExternalId, label, price, grant, isPublic = false, position = 0 }: PackInput,
): Promise<Pack> {
  const { transaction, act, bucket } = context;
  const { meter, currency, amount, expiresInDays } = grant;
  const units = currency === undefined ? amountOf(amount as number)! : parseMinorOf(currency, amount as string);
  const row = {
    id: newId("pack", serverTimeOf(act)),
    bucket_seq: bucket.seq,
    external_id: packExternalId,
    label,
    currency: price.currency,
    price: String(parseMinorOf(price.currency, price.amount)),
    grant_meter: meter ?? null,
    grant_currency: currency ?? null,
    grant_amount: String(units),
    expires_in_days: expiresInDays ?? null,
    is_public: isPublic ? 1 : 0,
    position,
    version: 1,
    created_on: act.now,
    updated_on: act.now,
  };
  const pack = await rejectingTaken("credit_pack_exists", insertRow(transaction, "credit_packs", row));
  record(context, "credit-pack.created", { after: pack });
  return pack;
}

/** Price and grant are fixed: purchases and top-ups rely on them. */
export async function updatePack(
  context: BucketContext,
  id: string,
  { label, isPublic, position }: PackPatch,
  precondition: Precondition,
): Promise<Pack> {
  const { transaction, act } = context;
  const before = await lockPack(context, id, precondition);
  const changed = {
    ...(label === undefined ? {} : { label }),
    ...(isPublic === undefined ? {} : { is_public: isPublic ? 1 : 0 }),
    ...(position === undefined ? {} : { position }),
    version: before.version + 1,
    updated_on: act.now,
  };
  await transaction.update("credit_packs", before.seq, changed);
  const after = { ...before, ...changed };
  record(context, "credit-pack.updated", { before, after });
  return after;
}

/** Purchases stay as they are. Top-ups with the pack buy nothing any more. */
export async function deletePack(context: BucketContext, id: string, precondition: Precondition): Promise<void> {
  const { transaction } = context;
  const before = await lockPack(context, id, precondition);
  await transaction.delete("credit_packs", before.seq);
  record(context, "credit-pack.deleted", { before });
}

async function lockPack({ transaction, bucket }: BucketContext, id: string, precondition: Precondition) {
  const pack = found(await lockRow(transaction, "credit_packs", { bucket_seq: bucket.seq, id }));
  precondition(pack);
  return pack;
}

function record(
  { transaction, act, bucket }: BucketContext,
  kind: "credit-pack.created" | "credit-pack.updated" | "credit-pack.deleted",
  { before, after }: { before?: Pack; after?: Pack },
): void {
  const { id, external_id: name } = (after ?? before)!;
  const resource = { type: "credit-pack", id, name, parent: namedMeteringBucket(bucket) };
  const snapshots = { before: before && presentPack(before), after: after && presentPack(after) };
  recordChange(transaction, act, kind, { ...resource, ...snapshots });
}

/** What a customer pays, without tax. */
export function presentPrice({ currency, price }: Pick<Pack, "currency" | "price">) {
  return { currency, amount: formatMinorOf(currency, price) };
}

type GrantColumns = Pick<Pack, "grant_meter" | "grant_currency" | "grant_amount" | "expires_in_days">;

/** What a customer gets. */
export function presentPackGrant({ grant_meter, grant_currency, grant_amount, expires_in_days }: GrantColumns) {
  return {
    ...(grant_meter === null ? {} : { meter: grant_meter }),
    ...(grant_currency === null ? {} : { currency: grant_currency }),
    amount: presentAmount({ meter: grant_meter, currency: grant_currency }, grant_amount),
    ...(expires_in_days === null ? {} : { expiresInDays: expires_in_days }),
  };
}

export function presentPack(pack: Pack) {
  return {
    id: pack.id,
    packExternalId: pack.external_id,
    label: pack.label,
    price: presentPrice(pack),
    grant: presentPackGrant(pack),
    isPublic: pack.is_public === 1,
    position: pack.position,
    createdOn: formatDateTime(pack.created_on),
    updatedOn: formatDateTime(pack.updated_on),
  };
}
