import type { z } from "zod";
import type { Act } from "../../../../core/access.ts";
import { recordChange } from "../../../../core/changes/record.ts";
import { notFound } from "../../../../core/problems/problem.ts";
import type { Keyring } from "../../../../lib/crypto/keyring.ts";
import type { Precondition } from "../../../../lib/http/etag.ts";
import { formatDateTime } from "../../../../lib/time/time.ts";
import { saveRow } from "../../../../platform/storage/query.ts";
import type { Reads, WriteTransaction } from "../../../../platform/storage/storage.ts";
import { type ProviderMode, type ProviderType, providerModes } from "./interface/provider.ts";
import type { PaymentServices } from "./interface/service.ts";
import type { paymentProviderInput } from "./provider-schema.ts";
import { defaultType, providerOfType, storedProvider } from "./providers.ts";

export type ProviderInput = z.output<typeof paymentProviderInput>;

/** Throws 404 if the text is no mode. */
export function modeNamed(text: string): ProviderMode {
  const mode = providerModes.find((each) => each === text);
  if (!mode) throw notFound("payment provider");
  return mode;
}

/** What an account has chosen for a mode. Its version is 0 if that is nothing. */
export async function findProvider(reads: Reads, accountSeq: number, mode: ProviderMode) {
  const chosen = await storedProvider(reads, accountSeq, mode);
  return {
    mode,
    type: (chosen?.type as ProviderType | undefined) ?? defaultType(mode),
    secret_key: chosen?.secret_key ?? null,
    webhook_secret: chosen?.webhook_secret ?? null,
    version: chosen?.version ?? 0,
    created_on: chosen?.created_on,
    updated_on: chosen?.updated_on,
  };
}

export type ChosenProvider = Awaited<ReturnType<typeof findProvider>>;

export async function setProvider(
  transaction: WriteTransaction,
  act: Act,
  mode: ProviderMode,
  { type, secretKey, webhookSecret }: ProviderInput,
  { keyring, precondition }: { keyring: Keyring; precondition: Precondition },
): Promise<ChosenProvider> {
  // Not the row, which may not exist yet. An omitted credential is that of the newest version.
  await transaction.lock(`payment provider ${mode} ${act.account.seq}`);
  const before = await findProvider(transaction, act.account.seq, mode);
  precondition(revisionOfProvider(act, before));
  const { seq: account_seq, id, name } = act.account;
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
  input: ProviderInput,
  { keyring, payments, precondition, force }: ProviderChange,
): Promise<ChosenProvider> {
  const before = await findProvider(transaction, act.account.seq, mode);
  if (before.type !== input.type) await payments[before.type]?.leave?.(transaction, act, mode, { force });
  return setProvider(transaction, act, mode, input, { keyring, precondition });
}
