import { invalid } from "../../../../core/problems/problem.ts";
import type { PaymentProvider } from "./provider.ts";

/** The members of a provider that calls no other system: it has no credentials, and no invoices or methods elsewhere. */
export const localProvider = {
  issuesInvoices: false,
  keepsMethods: false,
  followsTestClock: true,
  tables: {},
  payable: (amount) => amount,
  invoiceUpdated: async () => {},
  isCharging: async () => false,
  sealCredentials: (_keyring, _mode, input) => {
    for (const [name, value] of Object.entries(input))
      if (value !== undefined) throw invalid(`/${name}`, "is only for the type stripe");
    return { secret_key: null, webhook_secret: null };
  },
  credentialsChanged: async () => {},
} satisfies Partial<PaymentProvider>;
