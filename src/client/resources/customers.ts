import type { List, PageOptions } from "../transport/list.ts";
import type { ChangeOptions, RequestOptions } from "../transport/options.ts";
import type { Customer, CustomerUpdate, PaymentMethodInput } from "../transport/schema.gen.ts";
import type { Transport } from "../transport/transport.ts";

export interface ListCustomersOptions extends PageOptions, RequestOptions {
  /** Only these, up to 100. */
  customerKeys?: string[] | undefined;
}

/** The customers of one metering bucket: who pays for its subscriptions. */
export class Customers {
  readonly #transport: Transport;
  readonly #bucketId: string;

  constructor(transport: Transport, bucketId: string) {
    this.#transport = transport;
    this.#bucketId = bucketId;
  }

  /**
   * All customers of the bucket, without their balances.
   *
   * @example
   * ```ts
   * for await (const { customerKey, email } of client.customers(bucketId).list()) console.log(customerKey, email);
   * ```
   */
  list({ customerKeys, ...paging }: ListCustomersOptions = {}): List<Customer> {
    const call = { params: { bucketId: this.#bucketId }, query: { customerKeys: customerKeys?.join() } };
    return this.#transport.list("listCustomers", { call, paging });
  }

  /**
   * One customer. It exists from the first subscription of its `customerKey` on.
   *
   * @example
   * ```ts
   * const { balances = [] } = await client.customers(bucketId).get("acme");
   * ```
   */
  get(customerKey: string, options?: RequestOptions): Promise<Customer> {
    return this.#transport.call("getCustomer", { params: this.#params(customerKey), options });
  }

  /**
   * Changes what later invoices show of the customer. `null` clears a field.
   *
   * @example
   * ```ts
   * await client.customers(bucketId).update("acme", {
   *   legalName: "Acme Ltd",
   *   address: { line1: "1 High St", city: "London", country: "GB" },
   *   taxIds: null,
   * });
   * ```
   */
  update(customerKey: string, changes: CustomerUpdate, options?: ChangeOptions): Promise<Customer> {
    return this.#transport.call("updateCustomer", { params: this.#params(customerKey), body: changes, options });
  }

  /**
   * Sets the payment method that pays the customer's invoices.
   *
   * @example
   * ```ts
   * await client.customers(bucketId).setPaymentMethod("acme", { type: "sandbox", behavior: "succeeds" });
   * ```
   */
  setPaymentMethod(customerKey: string, method: PaymentMethodInput, options?: ChangeOptions): Promise<Customer> {
    return this.#transport.call("setPaymentMethod", { params: this.#params(customerKey), body: method, options });
  }

  /**
   * Removes the payment method. Invoices stay open until they are marked as paid.
   *
   * @example
   * ```ts
   * await client.customers(bucketId).deletePaymentMethod("acme");
   * ```
   */
  deletePaymentMethod(customerKey: string, options?: ChangeOptions): Promise<void> {
    return this.#transport.call("deletePaymentMethod", { params: this.#params(customerKey), options });
  }

  /**
   * A link to Stripe's page of the customer, where the payment method is changed. It is valid for minutes.
   *
   * @example
   * ```ts
   * const { url } = await client.customers(bucketId).paymentPortal("acme", "https://app.example.com/billing");
   * ```
   */
  paymentPortal(customerKey: string, returnUrl: string, options?: RequestOptions): Promise<{ url: string }> {
    return this.#transport.call("openPaymentPortal", {
      params: this.#params(customerKey),
      body: { returnUrl },
      options,
    });
  }

  #params(customerKey: string) {
    return { bucketId: this.#bucketId, customerKey };
  }
}
