import type { Stripe } from "stripe";
import type { Keyring } from "../../../../../lib/crypto/keyring.ts";
import type { Clock } from "../../../../../lib/time/clock.ts";
import type { Egress } from "../../../../../platform/egress/egress.ts";
import { fetchBytes } from "../../../../../platform/egress/fetch-bytes.ts";
import type { Reads, Storage } from "../../../../../platform/storage/storage.ts";
import type { Log } from "../../../../../platform/telemetry/log.ts";
import type { ProviderMode } from "../../payments/interface.ts";
import { findProvider } from "../../payments/providers.ts";
import { sealPurpose } from "./stripe.ts";

const timeoutMilliseconds = 30_000;

const callsAtOnce = 5;

/** Calls Stripe about several things at the same time, in order. */
export async function atOnce<Item>(
  items: Item[],
  signal: AbortSignal | undefined,
  work: (item: Item) => Promise<void>,
): Promise<void> {
  const waiting = items.values();
  const next = async () => {
    for (const item of waiting) {
      if (signal?.aborted) return;
      await work(item);
    }
  };
  await Promise.all(Array.from({ length: callsAtOnce }, next));
}

/** What compares something with Stripe. */
export interface StripeSyncOptions {
  storage: Storage;
  clock: Clock;
  log: Log;
  accounts: StripeAccounts;
}

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
  async credentials(reads: Reads, accountSeq: number, mode: ProviderMode) {
    const { type, secret_key, webhook_secret } = await findProvider(reads, accountSeq, mode);
    if (type !== "stripe" || secret_key === null || webhook_secret === null) return undefined;
    const { keyring } = this.options;
    return {
      secretKey: keyring.open(secret_key, sealPurpose),
      webhookSecret: keyring.open(webhook_secret, sealPurpose),
    };
  }

  /** Undefined if the account does not use Stripe in this mode. */
  async api(reads: Reads, accountSeq: number, mode: ProviderMode): Promise<Stripe | undefined> {
    const credentials = await this.credentials(reads, accountSeq, mode);
    if (!credentials) return undefined;
    const { Stripe } = await stripePackage();
    return new Stripe(credentials.secretKey, {
      httpClient: transport(this.options),
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

const maxBytes = 4 * 1024 * 1024;

type StripeHttpClient = NonNullable<NonNullable<ConstructorParameters<typeof Stripe>[1]>["httpClient"]>;

/** What the HTTP client states itself: the length is that of the bytes sent. */
const ownHeaders = new Set(["content-length", "host", "connection", "accept-encoding"]);

/**
 * The transport of the package `stripe`, through the egress rules. It makes one request for each call: when to try again
 * is decided by InvoiceSync. Follows no redirects.
 */
function transport({ egress, url, stopping }: StripeAccountsOptions): StripeHttpClient {
  return {
    getClientName: () => "tollgate",
    async makeRequest(_host, _port, path, method, headers, body, _protocol, timeout) {
      const given = Object.entries(headers as Record<string, unknown>).filter(
        ([name, value]) => value !== undefined && value !== null && !ownHeaders.has(name.toLowerCase()),
      );
      try {
        const { status, ...received } = await fetchBytes(egress, url + path, {
          name: "Stripe",
          method,
          headers: given.map(([name, value]) => [name.toLowerCase(), String(value)] as const),
          body: body || undefined,
          timeoutSeconds: timeout / 1000,
          maxBytes,
          signal: stopping,
        });
        const named = Object.fromEntries([...received.headers].map(([name, value]) => [name.toLowerCase(), value]));
        return {
          getStatusCode: () => status,
          getHeaders: () => named,
          getRawResponse: () => ({ headers: named }),
          toStream: () => {
            throw new Error("Streams are not used");
          },
          toJSON: async () => JSON.parse(Buffer.from(received.bytes).toString()),
        };
      } catch (error) {
        // Without a code: the package would repeat a request whose connection was closed.
        throw new Error(error instanceof Error ? error.message : String(error));
      }
    },
  };
}
