import type { Act } from "../../../core/access.ts";
import { Problem } from "../../../core/problems/problem.ts";
import type { Precondition } from "../../../lib/http/etag.ts";
import type { WriteTransaction } from "../../../platform/storage/storage.ts";
import { actIn, type MeteringBucket } from "../../metering-buckets/metering-buckets.ts";
import { providerFor } from "../payments/providers.ts";
import { type Customer, findCustomer, methodOf, type PaymentMethod, setPaymentMethod } from "./customers.ts";

/** Sets a method of the sandbox. Throws 409 if the provider keeps the methods: it would charge its own. */
export async function setSandboxMethod(
  transaction: WriteTransaction,
  act: Act,
  bucket: MeteringBucket,
  key: string,
  method: PaymentMethod,
  precondition: Precondition,
): Promise<Customer> {
  await findCustomer(transaction, bucket, key);
  if ((await providerFor(transaction, act, bucket)).keepsMethods) throw new Problem("payment_method_at_provider");
  return setPaymentMethod(transaction, actIn(bucket, act), bucket, key, method, precondition);
}

/** Throws 409 if the provider keeps the method: it would continue to charge it. */
export async function removePaymentMethod(
  transaction: WriteTransaction,
  act: Act,
  bucket: MeteringBucket,
  key: string,
  precondition: Precondition,
): Promise<void> {
  const method = methodOf(await findCustomer(transaction, bucket, key));
  const provider = await providerFor(transaction, act, bucket);
  if (provider.keepsMethods && method?.type === provider.type) throw new Problem("payment_method_at_provider");
  await setPaymentMethod(transaction, actIn(bucket, act), bucket, key, null, precondition);
}
