import { Problem } from "../../../../core/problems/problem.ts";
import type { Precondition } from "../../../../lib/http/etag.ts";
import { actIn, type BucketContext } from "../../metering-buckets/metering-buckets.ts";
import { providerFor } from "../payments/providers.ts";
import { type Customer, findCustomer, methodOf, type PaymentMethod, setPaymentMethod } from "./customers.ts";

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
  return setPaymentMethod({ ...context, act: actIn(bucket, act) }, key, method, precondition);
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
  await setPaymentMethod({ ...context, act: actIn(bucket, act) }, key, null, precondition);
}
