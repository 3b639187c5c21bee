import type { AccountReference, Act } from "../../../../core/access.ts";
import { invalid } from "../../../../core/problems/problem.ts";
import type { Keyring } from "../../../../lib/crypto/keyring.ts";
import type { Minor } from "../../../../lib/text/minor-units.ts";
import type { Reads, WriteTransaction } from "../../../../platform/storage/storage.ts";
import type { TableName } from "../../../../platform/storage/tables.ts";
import type { MeteringBucket } from "../../metering-buckets/metering-buckets.ts";

export const providerTypes = ["manual", "sandbox", "stripe"] as const;
export const providerModes = ["live", "test"] as const;

export type ProviderType = (typeof providerTypes)[number];
export type ProviderMode = (typeof providerModes)[number];

/** A customer's payment method. Its other members are known to its provider. */
export interface StoredMethod {
  type: ProviderType;
}

/** An open invoice to be paid. */
interface PaymentRequest {
  accountSeq: number;
  mode: ProviderMode;
  invoiceSeq: number;
  now: number;
  /** Reads the payment method of the customer. */
  method(): Promise<StoredMethod | undefined>;
}

/**
 * - `paid`, `failed`: the payment was made, or declined.
 * - `requested`: the provider charges after the transaction. Its service records the result.
 * - `waiting`: nothing was charged. The invoice stays open until a payment is recorded or requested again.
 */
export type PaymentOutcome = "paid" | "failed" | "requested" | "waiting";

interface RefundRequest {
  invoiceSeq: number;
  /** The part of a payment to be returned. */
  amount: Minor;
  /** Reads the payment method of the customer. */
  method(): Promise<StoredMethod | undefined>;
}

/**
 * - `stopped`: the invoices cannot be paid any more.
 * - `stopping`: the provider was asked to stop, and they may be paid until it confirms.
 * - `accepted`: payments are made outside of Tollgate and are recorded whenever they arrive.
 */
type StopOutcome = "stopped" | "stopping" | "accepted";

/** Tables, and the condition of the rows that belong to the `owners`: `account_seq`, `bucket_seq` and `customer_key`. */
export type BookTables = Partial<Record<TableName, string>>;

/**
 * How invoices are paid. All methods run in the transaction that changes an invoice and call no other system; what a
 * provider does outside of transactions is its PaymentService. Times are those of the server, also in test buckets.
 */
export interface PaymentProvider {
  readonly type: ProviderType;
  /** Whether customers pay at a page. Otherwise invoices are marked as paid. */
  readonly paysOnline: boolean;
  /** Whether payments are real. */
  readonly movesMoney: boolean;
  /** Whether the provider issues and numbers the legal invoice, and sends it to the customer. */
  readonly issuesInvoices: boolean;
  /** Whether payment methods are kept by the provider, so that they are changed only there. */
  readonly keepsMethods: boolean;
  /** Whether it can be used in a test bucket whose clock was moved. */
  readonly followsTestClock: boolean;
  /** The tables that its methods read. */
  readonly tables: BookTables;

  /** The part of an amount that can be paid with one invoice. The rest is carried over to the next one. */
  payable(amount: Minor, currency: string): Minor;
  requestPayment(transaction: WriteTransaction, request: PaymentRequest): Promise<PaymentOutcome>;
  /**
   * Whether payments with the method wait for a second step, which the operator may confirm: a test provider has no bank
   * that asks for it. Undefined if the provider leaves second steps to the customer's bank.
   */
  needsConfirmation?(method: StoredMethod | undefined): boolean;
  /** Returns how much the payment method got, or `requested` if the service of the provider returns it later. */
  refund(transaction: WriteTransaction, request: RefundRequest): Promise<Minor | "requested">;
  /** To be called after a change of an invoice that the provider may have: paid otherwise, reduced, void or given up. */
  invoiceUpdated(transaction: WriteTransaction, invoiceSeq: number, now: number): Promise<void>;
  /** Whether one of the invoices is being charged, so that its result is not known yet. */
  isCharging(transaction: WriteTransaction, invoiceSeqs: number[]): Promise<boolean>;
  /** To be called before open invoices become void because they were not paid in time. */
  stopPayments(transaction: WriteTransaction, invoiceSeqs: number[], now: number): Promise<StopOutcome>;

  /** Checks the credentials and encrypts them. One that is not given stays. Throws 400. */
  sealCredentials(
    keyring: Keyring,
    mode: ProviderMode,
    input: CredentialsInput,
    before: SealedCredentials,
  ): SealedCredentials;
  /** To be called after the provider was set, with other credentials perhaps. */
  credentialsChanged(transaction: WriteTransaction, accountSeq: number, mode: ProviderMode, now: number): Promise<void>;
  /** How a customer recognizes a payment method. */
  labelOf(method: StoredMethod): string;
}

/** The credentials of a payment provider, which are stored encrypted and never returned. */
interface CredentialsInput {
  secretKey?: string | undefined;
  webhookSecret?: string | undefined;
}

interface SealedCredentials {
  secret_key: Uint8Array | null;
  webhook_secret: Uint8Array | null;
}

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

/** A customer who is sent to a page of a payment provider. */
export interface PayingCustomer {
  account: AccountReference;
  bucket: MeteringBucket;
  customerKey: string;
  /** The customer goes there afterwards. It says nothing about the payment. */
  returnUrl: string;
}

/** Where a customer enters a payment method, which then pays what is open. */
export interface Checkout extends PayingCustomer {
  /** The customer goes there without having entered anything. */
  cancelUrl: string;
}

/** What a page of this server asks the customer for: a payment method, or the second step of a payment. */
export interface CheckoutStep {
  step: "method" | "confirmation";
  due: DueInvoice[];
  /** Why the last payment was not made. */
  failure?: "declined" | "not-confirmed" | undefined;
}

interface DueInvoice {
  number?: string | undefined;
  currency: string;
  amountDue: string;
  seller?: string | undefined;
  lines: { text: string; amount: string }[];
}

/** How the pages of a business look. */
export interface CheckoutLook {
  title: string;
  /** Sets the accent colours. */
  style: string;
  /** A data URL. */
  logo?: string | undefined;
}

/** A page of this server where customers enter a payment method. */
export interface CheckoutPage {
  currentStep(reads: Reads, checkout: Checkout): Promise<CheckoutStep>;
  /** The look of the business's portal; undefined if it has none. */
  lookOf(reads: Reads, checkout: Checkout): Promise<CheckoutLook | undefined>;
  /** Returns what is left to do, or undefined if that is nothing. Throws 400 if the form is not valid. */
  submit(
    transaction: WriteTransaction,
    act: Act,
    checkout: Checkout,
    form: URLSearchParams | undefined,
  ): Promise<CheckoutStep | undefined>;
  /** The page and its Content-Security-Policy. Without a step, everything is done, and the page leads back. */
  render(
    checkout: Checkout,
    step: CheckoutStep | undefined,
    look: CheckoutLook | undefined,
  ): { html: string; policy: string };
}

/** What a payment provider does outside of the transactions that change invoices. */
export interface PaymentService {
  /** The page where customers pay: its address at the provider, or a page of this server. */
  checkout: { urlOf(checkout: Checkout): Promise<string> } | CheckoutPage;
  /** The address of a page of the provider where a customer changes the payment method and reads invoices. */
  portalUrl?(customer: PayingCustomer): Promise<string>;
  /**
   * To be called before another provider replaces this one, whose credentials are erased then. Throws 409 while it has
   * unfinished invoices, unless `force` is set.
   */
  leave?(transaction: WriteTransaction, act: Act, mode: ProviderMode, options: { force: boolean }): Promise<void>;
  /** Charges and refunds what was requested, and records results. Called every few seconds, on any node. */
  run?(signal?: AbortSignal): Promise<void>;
  /** Deletes what is no longer needed. */
  removeOld?(now: number, signal?: AbortSignal): Promise<void>;
}

/** By type. Payments without a service are made outside of Tollgate. */
export type PaymentServices = Partial<Record<ProviderType, PaymentService>>;
