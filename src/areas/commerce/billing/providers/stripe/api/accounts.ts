import type { Stripe } from "stripe";
import type { Keyring } from "../../../../../../lib/crypto/keyring.ts";
import type { Egress } from "../../../../../../platform/egress/egress.ts";
import type { Reads } from "../../../../../../platform/storage/storage.ts";
import { openCredentials, type ProviderCredentials, type ProviderMode } from "../../../payments/interface/provider.ts";
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

/** The members of metadata that carry our ids. */
export const metadata = {
  invoice: "tollgate_invoice",
  line: "tollgate_line",
  customer: "tollgate_customer",
  customerKey: "tollgate_customer_key",
  purchase: "tollgate_purchase",
} as const;

/** An error of Stripe as far as it matters here. The package is imported on first use, so classes are not compared. */
interface StripeFailure {
  type: string;
  message: string;
  code?: string;
  param?: string;
  statusCode?: number;
  headers?: Record<string, string>;
}

export function failureOf(error: unknown): StripeFailure | undefined {
  return error instanceof Error && "type" in error && String(error.type).startsWith("Stripe")
    ? (error as unknown as StripeFailure)
    : undefined;
}

/**
 * Whether the same call with the same idempotency key would fail again: Stripe saved the response. Without a response,
 * the call may still be in progress, and only the same key keeps it from being performed twice.
 */
export function isSaved(error: unknown): boolean {
  const failure = failureOf(error);
  if (failure?.statusCode === undefined) return false;
  const isReplayed = failure.headers?.["idempotent-replayed"] === "true";
  return (
    isReplayed || failure.statusCode === 402 || failure.statusCode >= 500 || failure.type === "StripeIdempotencyError"
  );
}

/** Without `param`, whichever parameter Stripe names: that of an id in a path differs between its calls. */
export function isMissing(error: unknown, param?: string): boolean {
  const failure = failureOf(error);
  return failure?.code === "resource_missing" && (param === undefined || failure.param === param);
}

/** The error as an operator reads it. Stripe's messages name keys only in part. */
export function describeError(error: unknown): string {
  const text = error instanceof Error ? error.message : String(error);
  return text.replaceAll("\0", "\uFFFD").toWellFormed().slice(0, 500);
}

/** The options of a call that is performed at most once for each key. */
export function once(...parts: (string | number)[]): Stripe.RequestOptions {
  return { idempotencyKey: `tollgate/${parts.join("/")}` };
}
