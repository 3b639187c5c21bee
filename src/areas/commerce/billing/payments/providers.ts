import type { z } from "zod";
import { type Act, serverTimeOf } from "../../../../core/access.ts";
import { recordChange } from "../../../../core/changes/record.ts";
import { notFound } from "../../../../core/problems/problem.ts";
import type { Keyring } from "../../../../lib/crypto/keyring.ts";
import type { Precondition } from "../../../../lib/http/etag.ts";
import { formatDateTime } from "../../../../lib/time/time.ts";
import { saveRow } from "../../../../platform/storage/query.ts";
import { findRow } from "../../../../platform/storage/rows.ts";
import type { Reads, WriteTransaction } from "../../../../platform/storage/storage.ts";
import type { BucketContext, MeteringBucket } from "../../metering-buckets/metering-buckets.ts";
import {
  type BookTables,
  type PaymentProvider,
  type PaymentServices,
  type ProviderMode,
  type ProviderType,
  providerModes,
  type StoredMethod,
} from "./interface.ts";
import type { paymentProviderInput } from "./provider-schema.ts";

export type PaymentProviders = Record<ProviderType, PaymentProvider>;

let registered: PaymentProviders | undefined;

/** To be called by the composition of the server. Providers use billing, which knows only their interface. */
export function registerProviders(providers: PaymentProviders): void {
  registered = providers;
}

function providers(): PaymentProviders {
  if (!registered) throw new Error("No payment providers are registered");
  return registered;
}

export function providerOfType(type: ProviderType): PaymentProvider {
  return providers()[type];
}

/** The tables of all providers: an invoice may be with one that was replaced. */
export function tablesOfProviders(): BookTables {
  return Object.assign({}, ...Object.values(providers()).map(({ tables }) => tables));
}

/** Without a chosen one, invoices of test buckets use the sandbox, and others are marked as paid. */
export function defaultType(mode: ProviderMode): ProviderType {
  return mode === "test" ? "sandbox" : "manual";
}

/** Invoices of test buckets use the provider for tests. */
export function modeOf({ test_clock }: Pick<MeteringBucket, "test_clock">): ProviderMode {
  return test_clock === null ? "live" : "test";
}

/** How the invoices of a bucket are paid now. */
export async function providerFor(
  reads: Reads,
  act: Pick<Act, "account">,
  bucket: Pick<MeteringBucket, "test_clock" | "created_on">,
): Promise<PaymentProvider> {
  const provider = providerOfType((await findProvider(reads, act.account.seq, modeOf(bucket))).type);
  const hasMoved = bucket.test_clock !== null && bucket.test_clock !== bucket.created_on;
  return hasMoved && !provider.followsTestClock ? providers().sandbox : provider;
}

/**
 * To be called after a change of an invoice other than by its provider: it was paid otherwise, reduced, voided or given
 * up. All providers are notified, because the invoice may be with one that was replaced.
 */
export async function invoiceUpdated({ transaction, act }: BucketContext, { seq }: { seq: number }): Promise<void> {
  for (const provider of Object.values(providers())) await provider.invoiceUpdated(transaction, seq, serverTimeOf(act));
}

/** Whether a provider, which may have been replaced, is charging one of the invoices now. */
export async function isBeingCharged(transaction: WriteTransaction, invoiceSeqs: number[]): Promise<boolean> {
  for (const provider of Object.values(providers()))
    if (await provider.isCharging(transaction, invoiceSeqs)) return true;
  return false;
}

/** How a customer recognizes a payment method. */
export function labelOf(method: StoredMethod): string {
  return providers()[method.type].labelOf(method);
}

export type ProviderInput = z.output<typeof paymentProviderInput>;

/** Throws 404 if the text is no mode. */
export function modeNamed(text: string): ProviderMode {
  const mode = providerModes.find((each) => each === text);
  if (!mode) throw notFound("payment provider");
  return mode;
}

/** What an account has chosen for a mode. Its version is 0 if that is nothing. */
export async function findProvider(reads: Reads, accountSeq: number, mode: ProviderMode) {
  const chosen = await findRow(reads, "payment_providers", { account_seq: accountSeq, mode });
  const type = (chosen?.type as ProviderType | undefined) ?? defaultType(mode);
  const none = { secret_key: null, webhook_secret: null, version: 0, created_on: undefined, updated_on: undefined };
  return { ...none, ...chosen, mode, type };
}

export type ChosenProvider = Awaited<ReturnType<typeof findProvider>>;

interface ProviderChange {
  keyring: Keyring;
  payments: PaymentServices;
  precondition: Precondition;
  /** Also if the provider that is left has unfinished invoices. */
  force: boolean;
}

/** Sets how invoices are paid. Throws 409 if the provider that is left has unfinished invoices. */
export async function changeProvider(
  transaction: WriteTransaction,
  act: Act,
  mode: ProviderMode,
  { type, secretKey, webhookSecret }: ProviderInput,
  { keyring, payments, precondition, force }: ProviderChange,
): Promise<ChosenProvider> {
  const { seq: account_seq, id, name } = act.account;
  const former = await findProvider(transaction, account_seq, mode);
  if (former.type !== type) await payments[former.type]?.leave?.(transaction, act, mode, { force });
  // Not the row, which may not exist yet. An omitted credential is that of the newest version.
  await transaction.lock(`payment provider ${mode} ${account_seq}`);
  const before = await findProvider(transaction, account_seq, mode);
  precondition(revisionOfProvider(act, before));
  const provider = providerOfType(type);
  const row = {
    account_seq,
    mode,
    type,
    ...provider.sealCredentials(keyring, mode, { secretKey, webhookSecret }, before),
    version: before.version + 1,
    created_on: before.created_on ?? act.now,
    updated_on: act.now,
  };
  await saveRow(transaction, "payment_providers", row, ["account_seq", "mode"]);
  await provider.credentialsChanged(transaction, account_seq, mode, act.now);
  const snapshots = { before: presentProvider(before), after: presentProvider(row) };
  recordChange(transaction, act, "payment-provider.updated", { type: "payment-provider", id, name, ...snapshots });
  return row;
}

export function revisionOfProvider({ account }: Pick<Act, "account">, { mode, version }: ChosenProvider) {
  return { id: `payment-provider-${mode}-${account.id}`, version };
}

export function presentProvider({ mode, type, updated_on }: Pick<ChosenProvider, "mode" | "type" | "updated_on">) {
  return { mode, type, ...(updated_on === undefined ? {} : { updatedOn: formatDateTime(updated_on) }) };
}
