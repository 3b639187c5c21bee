import type { Act } from "../../../core/access.ts";
import type { Keyring } from "../../../lib/crypto/keyring.ts";
import type { Precondition } from "../../../lib/http/etag.ts";
import type { WriteTransaction } from "../../../platform/storage/storage.ts";
import type { ProviderMode } from "./interface/provider.ts";
import type { PaymentServices } from "./interface/service.ts";
import { type ChosenProvider, findProvider, type ProviderInput, setProvider } from "./provider-settings.ts";

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
