import type { Stripe } from "stripe";
import type { Keyring } from "../../../../../lib/crypto/keyring.ts";
import type { Egress } from "../../../../../platform/egress/egress.ts";
import type { Reads } from "../../../../../platform/storage/storage.ts";
import { openCredentials, type ProviderCredentials } from "../../../payments/interface/credentials.ts";
import type { ProviderMode } from "../../../payments/interface/provider.ts";
import { findProvider } from "../../../payments/provider-settings.ts";
import { EgressClient } from "./egress-client.ts";

const timeoutMilliseconds = 30_000;

interface StripeAccountsOptions {
  keyring: Keyring;
  egress: Egress;
  /** The address of the API, without a trailing slash. */
  url: string;
  /** Ends calls in progress. */
  stopping?: AbortSignal | undefined;
}

/** The API of Stripe with the credentials of an account and a mode. */
export class StripeAccounts {
  constructor(private readonly options: StripeAccountsOptions) {}

  /** Undefined if the account does not use Stripe in this mode. Throws a MissingKey. */
  async credentials(reads: Reads, accountSeq: number, mode: ProviderMode): Promise<ProviderCredentials | undefined> {
    const provider = await findProvider(reads, accountSeq, mode);
    return provider.type === "stripe" ? openCredentials(this.options.keyring, provider) : undefined;
  }

  /** Undefined if the account does not use Stripe in this mode. */
  async api(reads: Reads, accountSeq: number, mode: ProviderMode): Promise<Stripe | undefined> {
    const credentials = await this.credentials(reads, accountSeq, mode);
    if (!credentials) return undefined;
    const { egress, url, stopping } = this.options;
    const { Stripe } = await stripePackage();
    return new Stripe(credentials.secretKey, {
      httpClient: new EgressClient(egress, url, stopping),
      // InvoiceSync repeats calls itself: it looks for what the first one did.
      maxNetworkRetries: 0,
      timeout: timeoutMilliseconds,
      telemetry: false,
      appInfo: { name: "Tollgate" },
    });
  }
}

/** Imported on first use: it would slow down every start. */
export const stripePackage = () => import("stripe");
