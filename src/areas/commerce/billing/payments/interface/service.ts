import type { AccountReference, Act } from "../../../../../core/access.ts";
import type { Reads, WriteTransaction } from "../../../../../platform/storage/storage.ts";
import type { MeteringBucket } from "../../../metering-buckets/metering-buckets.ts";
import type { ProviderMode, ProviderType } from "./provider.ts";

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
