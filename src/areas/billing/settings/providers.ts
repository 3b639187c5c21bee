import type { z } from "zod";
import type { Act } from "../../../core/access.ts";
import { recordChange } from "../../../core/changes/record.ts";
import { invalid } from "../../../core/problems/problem.ts";
import type { Keyring } from "../../../lib/crypto/keyring.ts";
import type { Precondition } from "../../../lib/http/etag.ts";
import { formatDateTime } from "../../../lib/time/time.ts";
import type { Reads, WriteTransaction } from "../../../platform/storage/storage.ts";
import type { MeteringBucket } from "../../metering-buckets/metering-buckets.ts";
import { wakeAllCollections } from "../collection/collection-store.ts";
import type { paymentProviderInput, providerModes, providerTypes } from "../schemas/settings-schema.ts";
import { type SealedCredentials, sealCredential } from "./credentials.ts";
import * as store from "./settings-store.ts";

export type ProviderMode = (typeof providerModes)[number];
export type ProviderType = (typeof providerTypes)[number];
export type ProviderInput = z.output<typeof paymentProviderInput>;

/** Invoices of test buckets use the provider for tests. */
export function modeOf({ test_clock }: Pick<MeteringBucket, "test_clock">): ProviderMode {
  return test_clock === null ? "live" : "test";
}

/**
 * How the invoices of a bucket are paid. A test bucket whose clock was moved does not use Stripe, whose time cannot be
 * moved with it.
 */
export async function providerFor(
  reads: Reads,
  act: Pick<Act, "account">,
  bucket: Pick<MeteringBucket, "test_clock" | "created_on">,
): Promise<ProviderType> {
  const { type } = await findProvider(reads, act.account.seq, modeOf(bucket));
  const hasMoved = bucket.test_clock !== null && bucket.test_clock !== bucket.created_on;
  return type === "stripe" && hasMoved ? "sandbox" : type;
}

/** Without one, invoices of test buckets use the sandbox, and others are marked as paid. */
export async function findProvider(reads: Reads, accountSeq: number, mode: ProviderMode) {
  const provider = await store.findProvider(reads, accountSeq, mode);
  return {
    mode,
    type: (provider?.type ?? (mode === "test" ? "sandbox" : "manual")) as ProviderType,
    secret_key: provider?.secret_key ?? null,
    webhook_secret: provider?.webhook_secret ?? null,
    version: provider?.version ?? 0,
    updated_on: provider?.updated_on,
  };
}

export type BillingProvider = Awaited<ReturnType<typeof findProvider>>;

export async function setProvider(
  transaction: WriteTransaction,
  act: Act,
  mode: ProviderMode,
  input: ProviderInput,
  { keyring, precondition }: { keyring: Keyring; precondition: Precondition },
): Promise<BillingProvider> {
  // Not the row, which may not exist yet. An omitted credential is that of the newest version.
  await transaction.lock(`payment provider ${mode} ${act.account.seq}`);
  const before = await findProvider(transaction, act.account.seq, mode);
  precondition(revisionOfProvider(act, before));
  const { seq: account_seq, id, name } = act.account;
  const { type } = input;
  const row = {
    account_seq,
    mode,
    type,
    ...sealedFor(keyring, mode, input, before),
    version: before.version + 1,
    created_on: act.now,
    updated_on: act.now,
  };
  await store.saveProvider(transaction, row);
  // Collections that waited for valid credentials continue.
  if (type === "stripe") await wakeAllCollections(transaction, account_seq, mode, act.now);
  const snapshots = { before: presentProvider(before), after: presentProvider({ ...row, mode }) };
  recordChange(transaction, act, "payment-provider.updated", { type: "payment-provider", id, name, ...snapshots });
  return { ...row, mode };
}

/** A credential that is not given stays. Throws if there is none, or if it is for the other mode. */
function sealedFor(
  keyring: Keyring,
  mode: ProviderMode,
  input: ProviderInput,
  before: BillingProvider,
): SealedCredentials {
  const { type, secretKey, webhookSecret } = input;
  if (type !== "stripe") {
    for (const [name, value] of Object.entries({ secretKey, webhookSecret }))
      if (value !== undefined) throw invalid(`/${name}`, "is only for the type stripe");
    return { secret_key: null, webhook_secret: null };
  }
  if (secretKey !== undefined && !secretKey.slice(3).startsWith(`${mode}_`))
    throw invalid("/secretKey", `must be a ${mode} key: sk_${mode}_… or rk_${mode}_…`);
  const sealed = {
    secret_key: secretKey === undefined ? before.secret_key : sealCredential(keyring, secretKey),
    webhook_secret: webhookSecret === undefined ? before.webhook_secret : sealCredential(keyring, webhookSecret),
  };
  if (sealed.secret_key === null) throw invalid("/secretKey", "is required for the type stripe");
  if (sealed.webhook_secret === null) throw invalid("/webhookSecret", "is required for the type stripe");
  return sealed;
}

export function revisionOfProvider({ account }: Pick<Act, "account">, { mode, version }: BillingProvider) {
  return { id: `payment-provider-${mode}-${account.id}`, version };
}

export function presentProvider({ mode, type, updated_on }: Pick<BillingProvider, "mode" | "type" | "updated_on">) {
  return { mode, type, ...(updated_on === undefined ? {} : { updatedOn: formatDateTime(updated_on) }) };
}
