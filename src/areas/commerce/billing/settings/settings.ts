import type { z } from "zod";
import type { Act } from "../../../../core/access.ts";
import { recordChange } from "../../../../core/changes/record.ts";
import { notFound } from "../../../../core/problems/problem.ts";
import type { Precondition } from "../../../../lib/http/etag.ts";
import { formatDateTime } from "../../../../lib/time/time.ts";
import { saveRow } from "../../../../platform/storage/query.ts";
import type { Reads, WriteTransaction } from "../../../../platform/storage/storage.ts";
import type { RowOf } from "../../../../platform/storage/tables.ts";
import type { ProviderMode } from "../payments/interface.ts";
import { findProvider, providerOfType } from "../payments/providers.ts";
import type { billingProfileInput } from "../schemas/settings-schema.ts";

type ProfileRow = RowOf<"billing_profiles">;

/** The profile as it is stored, or undefined. */
export function storedProfile(reads: Reads, accountSeq: number): Promise<ProfileRow | undefined> {
  return reads.one("SELECT * FROM billing_profiles WHERE account_seq = ?", [accountSeq]);
}

export type ProfileInput = z.output<typeof billingProfileInput>;

/** A billing profile with its defaults. */
export type BillingProfile = ProfileInput & {
  [Name in keyof typeof defaultProfile]-?: NonNullable<ProfileInput[Name]>;
};

export type TaxBehavior = BillingProfile["taxBehavior"];

export const defaultProfile = {
  termsDays: 14,
  graceDays: 3,
  taxBehavior: "exclusive" as const,
  buyerAddress: "optional" as const,
};

export async function profileOf(reads: Reads, accountSeq: number): Promise<BillingProfile | undefined> {
  const profile = await storedProfile(reads, accountSeq);
  return profile && parsed(profile);
}

const parsed = ({ profile }: ProfileRow): BillingProfile => ({ ...defaultProfile, ...JSON.parse(profile) });

export async function findProfile(reads: Reads, accountSeq: number): Promise<ProfileRow> {
  const profile = await storedProfile(reads, accountSeq);
  if (!profile) throw notFound("billing profile");
  return profile;
}

export async function setProfile(
  transaction: WriteTransaction,
  act: Act,
  input: ProfileInput,
  precondition: Precondition,
): Promise<ProfileRow> {
  // Not the row, which may not exist yet.
  await transaction.lock(`billing profile ${act.account.seq}`);
  const before = await storedProfile(transaction, act.account.seq);
  precondition(before && revisionOfProfile(act, before));
  const row = {
    account_seq: act.account.seq,
    profile: JSON.stringify({ ...defaultProfile, ...input }),
    version: (before?.version ?? 0) + 1,
    created_on: before?.created_on ?? act.now,
    updated_on: act.now,
  };
  await saveRow(transaction, "billing_profiles", row, ["account_seq"]);
  const snapshots = { before: before && presentProfile(before), after: presentProfile(row) };
  const { id, name } = act.account;
  recordChange(transaction, act, "billing-profile.updated", { type: "billing-profile", id, name, ...snapshots });
  return row;
}

export function revisionOfProfile({ account }: Pick<Act, "account">, { version }: { version: number }) {
  return { id: `billing-profile-${account.id}`, version };
}

export function presentProfile(profile: ProfileRow) {
  return {
    ...parsed(profile),
    createdOn: formatDateTime(profile.created_on),
    updatedOn: formatDateTime(profile.updated_on),
  };
}

/** Settings that are about to be set together with what is sold. */
export interface PlannedSales {
  hasProfile: boolean;
  hasProvider(mode: ProviderMode): boolean;
}

/** Warnings about the settings that the account needs before the plans of a bucket are sold and paid. */
export async function missingForSales(
  reads: Reads,
  accountSeq: number,
  mode: ProviderMode,
  planned: PlannedSales = { hasProfile: false, hasProvider: () => false },
): Promise<string[]> {
  const provider = await findProvider(reads, accountSeq, mode);
  return [
    ...(planned.hasProfile || (await profileOf(reads, accountSeq))
      ? []
      : ["Plans with a price cannot be bought yet: the account has no billing profile."]),
    // An account that chose `manual` knows that it has to mark invoices as paid.
    ...(provider.version === 0 && !planned.hasProvider(mode) && !providerOfType(provider.type).paysOnline
      ? ["The account has no payment provider: a bought plan is active once you mark its invoice as paid."]
      : []),
  ];
}
