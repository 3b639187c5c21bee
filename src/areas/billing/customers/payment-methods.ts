import type { Act } from "../../../core/access.ts";
import { Problem } from "../../../core/problems/problem.ts";
import type { Precondition } from "../../../lib/http/etag.ts";
import type { WriteTransaction } from "../../../platform/storage/storage.ts";
import { actIn, type MeteringBucket } from "../../metering-buckets/metering-buckets.ts";
import { providerFor } from "../settings/providers.ts";
import { type Customer, findCustomer, methodOf, type PaymentMethod, setPaymentMethod } from "./customers.ts";

/** Sets a method of the sandbox. Throws 409 if Stripe collects: it would charge its own method. */
export async function setSandboxMethod(
  transaction: WriteTransaction,
  act: Act,
  bucket: MeteringBucket,
  key: string,
  method: PaymentMethod,
  precondition: Precondition,
): Promise<Customer> {
  await findCustomer(transaction, bucket, key);
  if ((await providerFor(transaction, act, bucket)) === "stripe") throw new Problem("payment_method_at_provider");
  return setPaymentMethod(transaction, actIn(bucket, act), bucket, key, method, precondition);
}

/** Throws 409 if Stripe has the method and collects: it would keep charging it. */
export async function removePaymentMethod(
  transaction: WriteTransaction,
  act: Act,
  bucket: MeteringBucket,
  key: string,
  precondition: Precondition,
): Promise<void> {
  const method = methodOf(await findCustomer(transaction, bucket, key));
  if (method?.type === "stripe" && (await providerFor(transaction, act, bucket)) === "stripe")
    throw new Problem("payment_method_at_provider");
  await setPaymentMethod(transaction, actIn(bucket, act), bucket, key, null, precondition);
}
