import type { ChangeOptions, RequestOptions } from "../transport/options.ts";
import type {
  BillingProfile,
  BillingProfileInput,
  PaymentComparison,
  PaymentProvider,
} from "../transport/schema.gen.ts";
import type { Transport } from "../transport/transport.ts";

/** The account as a seller: its billing profile and its payment providers. */
export class Billing {
  readonly #transport: Transport;

  constructor(transport: Transport) {
    this.#transport = transport;
  }

  /**
   * The seller that invoices name, and the terms of payment.
   *
   * @example
   * ```ts
   * const { legalName, termsDays } = await client.billing.profile();
   * ```
   */
  profile(options?: RequestOptions): Promise<BillingProfile> {
    return this.#transport.call("getBillingProfile", { options });
  }

  /**
   * Replaces the billing profile. Drafts that waited for it are finalized.
   *
   * @example
   * ```ts
   * await client.billing.setProfile({
   *   legalName: "Weather GmbH",
   *   address: { line1: "Hauptstr. 1", postalCode: "10115", city: "Berlin", country: "DE" },
   *   numberPrefix: "W-",
   *   taxRates: [{ name: "VAT", percentage: "19", country: "DE" }],
   * });
   * ```
   */
  setProfile(profile: BillingProfileInput, options?: ChangeOptions): Promise<BillingProfile> {
    return this.#transport.call("setBillingProfile", { body: profile, options });
  }

  /**
   * How invoices are paid: `live`, or `test` for test buckets.
   *
   * @example
   * ```ts
   * const { type } = await client.billing.provider("live");
   * ```
   */
  provider(mode: PaymentProvider["mode"], options?: RequestOptions): Promise<PaymentProvider> {
    return this.#transport.call("getPaymentProvider", { params: { mode }, options });
  }

  /**
   * Sets how invoices are paid from now on. For admins. Stripe needs its secret key and the signing secret of its webhook
   * endpoint, which are stored encrypted and not returned. Another type erases them; it is rejected while Stripe has
   * invoices that are not finished, unless `force` is set.
   *
   * @example
   * ```ts
   * await client.billing.setProvider("test", "sandbox");
   * ```
   */
  setProvider(
    mode: PaymentProvider["mode"],
    type: PaymentProvider["type"],
    { secretKey, webhookSecret, force, ...options }: ChangeOptions & StripeCredentials & { force?: boolean } = {},
  ): Promise<PaymentProvider> {
    const body = {
      type,
      ...(secretKey === undefined ? {} : { secretKey }),
      ...(webhookSecret === undefined ? {} : { webhookSecret }),
    };
    const query = force === undefined ? {} : { force };
    return this.#transport.call("setPaymentProvider", { params: { mode }, query, body, options });
  }

  /**
   * Compares the invoices that Stripe collects with those that Stripe has.
   *
   * @example
   * ```ts
   * const { differences } = await client.billing.compare("live", { since: "2026-01-01T00:00:00Z" });
   * ```
   */
  compare(
    mode: PaymentProvider["mode"],
    { since, ...options }: RequestOptions & { since?: string } = {},
  ): Promise<PaymentComparison> {
    const query = since === undefined ? {} : { since };
    return this.#transport.call("comparePayments", { params: { mode }, query, options });
  }
}

/** Without one of them, the stored one is kept. */
export interface StripeCredentials {
  secretKey?: string;
  webhookSecret?: string;
}
