import type { z } from "zod";
import { recordChange } from "../../../../core/changes/record.ts";
import { invalid, notFound, Problem } from "../../../../core/problems/problem.ts";
import { formatMinorOf } from "../../../../lib/currencies.ts";
import { type Precondition, unconditional } from "../../../../lib/http/etag.ts";
import type { Paging } from "../../../../lib/paging.ts";
import { formatDateTime } from "../../../../lib/time/time.ts";
import { findRow, lockRow } from "../../../../platform/storage/rows.ts";
import type { Reads, WriteTransaction } from "../../../../platform/storage/storage.ts";
import {
  type BucketContext,
  consumerIdIn,
  displayNameIn,
  type MeteringBucket,
  namedMeteringBucket,
} from "../../metering-buckets/metering-buckets.ts";
import { balancesOf } from "../credit-grants/grants.ts";
import { lockCustomerBilling } from "../credit-grants/wallet.ts";
import type { paymentMethodInput, paymentMethodOutput } from "../payments/provider-schema.ts";
import { labelOf, providerFor } from "../payments/providers.ts";
import type { customerPatch, customersQuery } from "../schemas/customer-schema.ts";
import type { stopReasons } from "../schemas/pack-schema.ts";
import type { taxStatus } from "../schemas/party-schema.ts";
import { type Cap, type Caps, capsText, inCurrency, noCaps, parseCaps, presentCaps } from "./caps.ts";
import * as store from "./customer-store.ts";
import { openAmountsOf } from "./customer-store.ts";

export type Customer = store.CustomerRow;
export type CustomerPatch = z.output<typeof customerPatch>;
export type TaxStatus = z.output<typeof taxStatus>;
export type PaymentMethod = z.output<typeof paymentMethodInput>;
/** A payment method, or what is known of one that the provider keeps. */
type StoredMethod = z.output<typeof paymentMethodOutput>;

/** The largest offset of a sorted list: the items before a page are read. */
const maxSortedOffset = 10_000;

export function listCustomers(
  reads: Reads,
  bucket: MeteringBucket,
  { customerKeys, sort, limit, offset }: Paging & z.output<typeof customersQuery>,
) {
  if (sort === undefined) return store.listCustomers(reads, bucket, customerKeys, { limit, offset });
  if (customerKeys !== undefined) throw invalid("?sort", "cannot be combined with customerKeys");
  if (offset > maxSortedOffset) throw invalid("?offset", `must be at most ${maxSortedOffset} in a sorted list`);
  return store.listByDue(reads, bucket, { limit, offset });
}

export async function findCustomer(reads: Reads, bucket: MeteringBucket, key: string): Promise<Customer> {
  return found(await findCustomerIfAny(reads, bucket, key));
}

function found(customer: Customer | undefined): Customer {
  if (!customer) throw notFound("customer");
  return customer;
}

export function findCustomerIfAny(
  reads: Reads,
  { seq: bucket_seq }: Pick<MeteringBucket, "seq">,
  customer_key: string,
) {
  return findRow(reads, "customers", { bucket_seq, customer_key });
}

/** Creates the customer of a subscription, if it is the customer's first. */
export async function ensureCustomer({ transaction, act, bucket }: BucketContext, key: string): Promise<void> {
  await store.insertCustomer(transaction, bucket.id, {
    bucket_seq: bucket.seq,
    customer_key: key,
    email: null,
    legal_name: null,
    address: null,
    tax_ids: null,
    currency: null,
    payment_method: null,
    spend_cap: null,
    credit_limit: null,
    tax_status: null,
    top_up: null,
    consumer_id: await consumerIdIn(transaction, bucket, key),
    version: 1,
    created_on: act.now,
    updated_on: act.now,
  });
}

export async function updateCustomer(
  context: BucketContext,
  key: string,
  { topUp, ...patch }: CustomerChange,
  precondition: Precondition,
): Promise<Customer> {
  const json = (value: unknown) => (value === null ? null : JSON.stringify(value));
  const columns = {
    ...(patch.email === undefined ? {} : { email: patch.email }),
    ...(patch.legalName === undefined ? {} : { legal_name: patch.legalName }),
    ...(patch.address === undefined ? {} : { address: json(patch.address) }),
    ...(patch.taxIds === undefined ? {} : { tax_ids: json(patch.taxIds) }),
    ...(patch.taxStatus === undefined ? {} : { tax_status: patch.taxStatus }),
    ...(patch.currency === undefined ? {} : { currency: patch.currency }),
    ...(patch.spendCaps === undefined ? {} : { spend_cap: capsText(patch.spendCaps) }),
    ...(patch.creditLimits === undefined ? {} : { credit_limit: capsText(patch.creditLimits) }),
    ...(topUp === undefined ? {} : { top_up: json(topUp) }),
  };
  return change(context, key, columns, precondition);
}

type CustomerChange = Omit<CustomerPatch, "topUp" | "spendCap" | "spendCaps" | "creditLimit" | "creditLimits"> & {
  topUp?: TopUp | null | undefined;
} & { [Name in keyof Caps]?: Cap[] | undefined };

export type StopReason = (typeof stopReasons)[number];

/** An automatic top-up, and the pack that it was set for: another one may get the same name. */
export interface TopUp {
  packId: string;
  packExternalId: string;
  below: number | string;
  maximumPerMonth: string;
  isEnabled: boolean;
  /** Why it was turned off, if the customer did not do so. */
  stopped?: { on: number; reason: StopReason };
}

export function topUpOf({ top_up }: Pick<Customer, "top_up">): TopUp | undefined {
  return top_up === null ? undefined : (JSON.parse(top_up) as TopUp);
}

/** With null, removes it. */
export function setTopUp(
  context: BucketContext,
  key: string,
  topUp: TopUp | null,
  precondition: Precondition,
): Promise<Customer> {
  return change(context, key, { top_up: topUp && JSON.stringify(topUp) }, precondition);
}

/** Turns the automatic top-up of a customer off. Returns false if it was off. */
export async function disableTopUp(context: BucketContext, key: string, reason: StopReason): Promise<boolean> {
  const { transaction, act, bucket } = context;
  const customer = await findCustomerIfAny(transaction, bucket, key);
  const topUp = customer && topUpOf(customer);
  if (!topUp?.isEnabled) return false;
  await setTopUp(context, key, { ...topUp, isEnabled: false, stopped: { on: act.now, reason } }, unconditional);
  return true;
}

/** With null, removes it. */
export function setPaymentMethod(
  context: BucketContext,
  key: string,
  method: StoredMethod | null,
  precondition: Precondition,
): Promise<Customer> {
  const columns = { payment_method: method && JSON.stringify(method) };
  return change(context, key, columns, precondition);
}

/** Sets a method of the sandbox. Throws 409 if the provider keeps the methods: it would charge its own. */
export async function setSandboxMethod(
  context: BucketContext,
  key: string,
  method: PaymentMethod,
  precondition: Precondition,
): Promise<Customer> {
  const { transaction, act, bucket } = context;
  await findCustomer(transaction, bucket, key);
  if ((await providerFor(transaction, act, bucket)).keepsMethods) throw new Problem("payment_method_at_provider");
  return setPaymentMethod(context, key, method, precondition);
}

/** Throws 409 if the provider keeps the method: it would continue to charge it. */
export async function removePaymentMethod(
  context: BucketContext,
  key: string,
  precondition: Precondition,
): Promise<void> {
  const { transaction, act, bucket } = context;
  const method = methodOf(await findCustomer(transaction, bucket, key));
  const provider = await providerFor(transaction, act, bucket);
  if (provider.keepsMethods && method?.type === provider.type) throw new Problem("payment_method_at_provider");
  await setPaymentMethod(context, key, null, precondition);
}

async function change(
  context: BucketContext,
  key: string,
  columns: Partial<Customer>,
  precondition: Precondition,
): Promise<Customer> {
  const { transaction, act, bucket } = context;
  await lockCustomerBilling(transaction, bucket, key);
  const before = found(await lockRow(transaction, "customers", { bucket_seq: bucket.seq, customer_key: key }));
  precondition(revisionOfCustomer(bucket, before));
  if (Object.keys(columns).length === 0) return before;
  const changed = { ...columns, version: before.version + 1, updated_on: act.now };
  await transaction.update("customers", before.seq, changed);
  const after = { ...before, ...changed };
  recordCustomer(context, presentCustomer(before), presentCustomer(after));
  return after;
}

/** Also for a change of the balance, which is not a part of the row. */
export function recordCustomer(
  { transaction, act, bucket }: BucketContext,
  before: { customerKey: string },
  after: { customerKey: string },
): void {
  const { customerKey: name } = after;
  const resource = { type: "customer", id: `${bucket.id}/${name}`, name, parent: namedMeteringBucket(bucket) };
  recordChange(transaction, act, "customer.updated", { ...resource, before, after });
}

export function revisionOfCustomer(bucket: MeteringBucket, { seq, version }: Customer) {
  return { id: `${bucket.id}-customer-${seq}`, version };
}

export function methodOf({ payment_method }: Pick<Customer, "payment_method">): StoredMethod | undefined {
  return payment_method === null ? undefined : (JSON.parse(payment_method) as StoredMethod);
}

export async function readMethod(reads: Reads, bucket: MeteringBucket, key: string): Promise<StoredMethod | undefined> {
  return methodOf(await findCustomer(reads, bucket, key));
}

export function capsOf({ spend_cap, credit_limit }: Pick<Customer, "spend_cap" | "credit_limit">): Caps {
  return { spendCaps: parseCaps(spend_cap), creditLimits: parseCaps(credit_limit) };
}

/** The caps of a customer, which may have been deleted. */
export async function readCaps(reads: Reads, bucket: Pick<MeteringBucket, "seq">, key: string): Promise<Caps> {
  const customer = await findCustomerIfAny(reads, bucket, key);
  return customer ? capsInCurrency(reads, customer) : noCaps;
}

/** Caps that were set before the customer had a currency have that of the customer. */
async function capsInCurrency(reads: Reads, customer: Customer): Promise<Caps> {
  const caps = capsOf(customer);
  const { spendCaps, creditLimits } = caps;
  if ([...spendCaps, ...creditLimits].every((cap) => cap.currency !== undefined)) return caps;
  const currency = await currencyOfCustomer(reads, customer);
  return { spendCaps: inCurrency(spendCaps, currency), creditLimits: inCurrency(creditLimits, currency) };
}

/** The caps as they are returned, with their currencies. */
export async function shownCaps(reads: Reads, customer: Customer) {
  return presentCaps(await capsInCurrency(reads, customer));
}

/** Before the currency of a customer can change: stores the one that its caps have. */
export async function fixCapCurrencies(
  transaction: WriteTransaction,
  bucket: MeteringBucket,
  key: string,
): Promise<void> {
  const customer = await findCustomerIfAny(transaction, bucket, key);
  if (!customer) return;
  const { spendCaps, creditLimits } = await capsInCurrency(transaction, customer);
  const fixed = { spend_cap: capsText(spendCaps), credit_limit: capsText(creditLimits) };
  if (fixed.spend_cap === customer.spend_cap && fixed.credit_limit === customer.credit_limit) return;
  await transaction.update("customers", customer.seq, fixed);
}

/** The currency that was set, or that of the first price of the customer. Undefined if there was none. */
export async function currencyOfCustomer(
  reads: Reads,
  { bucket_seq, customer_key, currency }: Pick<Customer, "bucket_seq" | "customer_key" | "currency">,
): Promise<string | undefined> {
  return currency ?? (await store.firstCurrencyOf(reads, bucket_seq, customer_key));
}

/** How a customer recognizes the payment method. */
export function methodLabel(customer: Pick<Customer, "payment_method">): string | undefined {
  const method = methodOf(customer);
  return method && labelOf(method);
}

export function presentBuyer(customer: Customer) {
  return {
    customerKey: customer.customer_key,
    ...(customer.email === null ? {} : { email: customer.email }),
    ...(customer.legal_name === null ? {} : { legalName: customer.legal_name }),
    ...(customer.address === null ? {} : { address: JSON.parse(customer.address) }),
    ...(customer.tax_ids === null ? {} : { taxIds: JSON.parse(customer.tax_ids) as string[] }),
    ...(customer.tax_status === null ? {} : { taxStatus: customer.tax_status as TaxStatus }),
  };
}

/** The fields that an invoice copies. Without a legal name, it has the display name of the consumer. */
export async function buyerOf(reads: Reads, bucket: MeteringBucket, key: string) {
  const buyer = presentBuyer(await findCustomer(reads, bucket, key));
  const legalName = buyer.legalName ?? (await displayNameIn(reads, bucket, key));
  return { ...buyer, ...(legalName === undefined ? {} : { legalName }) };
}

export function presentCustomer(customer: Customer) {
  const paymentMethod = methodOf(customer);
  const topUp = topUpOf(customer);
  return {
    ...presentBuyer(customer),
    ...(customer.currency === null ? {} : { currency: customer.currency }),
    ...presentCaps(capsOf(customer)),
    ...(topUp === undefined ? {} : { topUp: presentTopUp(topUp) }),
    ...(paymentMethod === undefined ? {} : { paymentMethod }),
    ...(customer.consumer_id === null ? {} : { consumerId: customer.consumer_id }),
    createdOn: formatDateTime(customer.created_on),
    updatedOn: formatDateTime(customer.updated_on),
  };
}

export function presentTopUp({ packExternalId, below, maximumPerMonth, isEnabled, stopped }: TopUp) {
  const why = stopped === undefined ? {} : { stopped: { ...stopped, on: formatDateTime(stopped.on) } };
  return { packExternalId, below, maximumPerMonth, isEnabled, ...why };
}

/** What customers owe: the sums of their open invoices by currency. Customers who owe nothing are omitted. */
export async function amountsDue(reads: Reads, bucket: MeteringBucket, keys: string[]) {
  const sums = new Map<string, Map<string, bigint>>();
  for (const { customer_key, currency, amount_due } of await openAmountsOf(reads, bucket.seq, keys)) {
    if (amount_due === "0") continue;
    const owed = sums.get(customer_key) ?? new Map<string, bigint>();
    sums.set(customer_key, owed.set(currency, (owed.get(currency) ?? 0n) + BigInt(amount_due)));
  }
  return new Map([...sums].map(([key, owed]) => [key, [...owed].map(presentSum)]));
}

const presentSum = ([currency, amount]: [string, bigint]) => ({
  currency,
  amount: formatMinorOf(currency, amount),
});

export async function presentWithBalances(reads: Reads, bucket: MeteringBucket, customer: Customer, now: number) {
  const key = customer.customer_key;
  const balances = (await balancesOf(reads, bucket, key, now)).map(presentSum);
  const amountDue = (await amountsDue(reads, bucket, [key])).get(key);
  return {
    ...presentCustomer(customer),
    ...(await shownCaps(reads, customer)),
    ...(balances.length === 0 ? {} : { balances }),
    ...(amountDue === undefined ? {} : { amountDue }),
  };
}
