import type { AccountReference, Act } from "../../../../core/access.ts";
import { invalid, Problem } from "../../../../core/problems/problem.ts";
import type { Keyring } from "../../../../lib/crypto/keyring.ts";
import type { Precondition } from "../../../../lib/http/etag.ts";
import type { WriteTransaction } from "../../../../platform/storage/storage.ts";
import {
  type PaymentServices,
  type ProviderMode,
  type ProviderType,
  providerModes,
} from "../../../commerce/billing/payments/interface.ts";
import { changeProvider, findProvider, revisionOfProvider } from "../../../commerce/billing/payments/providers.ts";
import { billingProfileInput } from "../../../commerce/billing/schemas/settings-schema.ts";
import {
  defaultProfile,
  type PlannedSales,
  type ProfileInput,
  presentProfile,
  revisionOfProfile,
  setProfile,
  storedProfile,
} from "../../../commerce/billing/settings/settings.ts";
import type { ConfigurationEntry, Desired, Existing, Kind, PlannedInput } from "../kind.ts";
import { fieldsOf, withoutDefaults } from "./entries.ts";

/** The settings of sales that a plan sets. */
export function plannedSales(planned: PlannedInput): PlannedSales {
  return {
    hasProfile: planned("billingProfile", "seller") !== undefined,
    hasProvider: (mode) => planned("paymentProviders", mode) !== undefined,
  };
}

/** The billing profile of the account. Invoices need one, so it is changed but never deleted. */
export const billingProfileKind: Kind = {
  name: "billingProfile",
  isSingle: true,
  operations: { create: "setBillingProfile", update: "setBillingProfile" },
  async existing(reads, account) {
    const row = await storedProfile(reads, account.seq);
    if (!row) return [];
    const entry = fieldsOf(billingProfileInput, presentProfile(row));
    return [{ ...revisionOfProfile({ account }, row), name: "seller", entry }];
  },
  desired: (name, entry) => ({ ...name, input: { ...defaultProfile, ...entry } }),
  dumped: ({ entry }) => withoutDefaults(entry, defaultProfile),
  async create(transaction, act, { input }) {
    return revisionOfProfile(act, await setProfile(transaction, act, profileIn(input), isMissing)).id;
  },
  async update(transaction, act, _current, { input }, precondition) {
    await setProfile(transaction, act, profileIn(input), precondition);
  },
};

const profileIn = (input: ConfigurationEntry) => input as unknown as ProfileInput;

/** How invoices are paid. Credentials are not part of it: a file can keep a provider that needs some, but not choose it. */
export function paymentProviderKind(keyring: Keyring, payments: PaymentServices): Kind {
  async function change(transaction: WriteTransaction, act: Act, written: Desired, precondition: Precondition) {
    const { name: mode, input } = written as Desired & { name: ProviderMode; input: { type: ProviderType } };
    try {
      return await changeProvider(transaction, act, mode, input, { keyring, payments, precondition, force: false });
    } catch (error) {
      if (!(error instanceof Problem) || error.code !== "validation_failed") throw error;
      throw invalid("/type", "needs credentials, which are not in a file: use `tollgate billing set-provider`");
    }
  }
  return {
    name: "paymentProviders",
    operations: { create: "setPaymentProvider", update: "setPaymentProvider" },
    async existing(reads, account) {
      const found: Existing[] = [];
      for (const mode of providerModes) {
        const provider = await findProvider(reads, account.seq, mode);
        if (provider.version > 0) found.push(existingProvider(account, provider));
      }
      return found;
    },
    desired: (name, entry) => ({ ...name, input: entry }),
    dumped: ({ entry }) => entry,
    async create(transaction, act, desired) {
      return revisionOfProvider(act, await change(transaction, act, desired, isNotChosen)).id;
    },
    async update(transaction, act, current, { input }, precondition) {
      await change(transaction, act, { name: current.name, input }, precondition);
    },
  };
}

function existingProvider(account: AccountReference, provider: Awaited<ReturnType<typeof findProvider>>): Existing {
  return { ...revisionOfProvider({ account }, provider), name: provider.mode, entry: { type: provider.type } };
}

/** The precondition of a profile that must not exist. */
const isMissing: Precondition = (current) => {
  if (current) throw new Problem("conflict");
};

/** The precondition of a provider that was not chosen yet. */
const isNotChosen: Precondition = (current) => {
  if (current?.version !== 0) throw new Problem("conflict");
};
