import type { Act } from "../../../../core/access.ts";
import type { Reads, WriteTransaction } from "../../../../platform/storage/storage.ts";
import type { RowOf } from "../../../../platform/storage/tables.ts";
import type { MeteringBucket } from "../../metering-buckets/metering-buckets.ts";
import type { BookTables, PaymentProvider, ProviderMode, ProviderType, StoredMethod } from "./interface/provider.ts";

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

/** What an account has chosen for a mode. */
export function storedProvider(reads: Reads, accountSeq: number, mode: ProviderMode) {
  const query = "SELECT * FROM payment_providers WHERE account_seq = ? AND mode = ?";
  return reads.one<RowOf<"payment_providers">>(query, [accountSeq, mode]);
}

/** How the invoices of a bucket are paid now. */
export async function providerFor(
  reads: Reads,
  act: Pick<Act, "account">,
  bucket: Pick<MeteringBucket, "test_clock" | "created_on">,
): Promise<PaymentProvider> {
  const mode = modeOf(bucket);
  const chosen = await storedProvider(reads, act.account.seq, mode);
  const provider = providers()[(chosen?.type as ProviderType | undefined) ?? defaultType(mode)];
  const hasMoved = bucket.test_clock !== null && bucket.test_clock !== bucket.created_on;
  return hasMoved && !provider.followsTestClock ? providers().sandbox : provider;
}

/**
 * To be called after a change of an invoice other than by its provider: it was paid otherwise, reduced, voided or given
 * up. All providers are notified, because the invoice may be with one that was replaced.
 */
export async function invoiceUpdated(transaction: WriteTransaction, invoiceSeq: number, now: number): Promise<void> {
  for (const provider of Object.values(providers())) await provider.invoiceUpdated(transaction, invoiceSeq, now);
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
