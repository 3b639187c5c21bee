import type { List, PageOptions } from "../transport/list.ts";
import type { ChangeOptions, CreateOptions, RequestOptions } from "../transport/options.ts";
import type {
  Operations,
  PlanChange,
  PlanChangePreview,
  PurchasedSubscription,
  Subscription,
  SubscriptionCancel,
  SubscriptionChange,
  SubscriptionChangePreview,
  SubscriptionCreate,
  SubscriptionPurchase,
  SubscriptionUpdate,
  UpcomingInvoice,
} from "../transport/schema.gen.ts";
import type { Transport } from "../transport/transport.ts";

type SubscriptionFilter = Omit<Operations["listSubscriptions"]["query"], "limit" | "offset" | "accountName">;

/** The subscriptions of one metering bucket: customers and their plans. */
export class Subscriptions {
  readonly #transport: Transport;
  readonly #bucketId: string;

  constructor(transport: Transport, bucketId: string) {
    this.#transport = transport;
    this.#bucketId = bucketId;
  }

  /**
   * All subscriptions of the bucket that match the options.
   *
   * @example
   * ```ts
   * const active = client.subscriptions(bucketId).list({ customerKey: "acme", status: "active" });
   * for await (const { id, nextBillingCycle } of active) console.log(id, nextBillingCycle);
   * ```
   */
  list(options: SubscriptionFilter & PageOptions & RequestOptions = {}): List<Subscription> {
    const { customerKey, subscriptionExternalId, planId, status, ...paging } = options;
    const query = { customerKey, subscriptionExternalId, planId, status };
    return this.#transport.list("listSubscriptions", { call: { params: { bucketId: this.#bucketId }, query }, paging });
  }

  /**
   * Creates a subscription. A gateway finds it by `customerKey`, which is the consumer's name.
   *
   * @example
   * ```ts
   * const subscription = await client.subscriptions(bucketId).create({
   *   planIds: [planId],
   *   planExternalIds: ["price_gold"],
   *   status: "active",
   *   type: "periodic",
   *   renewalStrategy: "monthly",
   *   region: "europe-west4",
   *   customerKey: "acme",
   *   subscriptionExternalId: "sub_1",
   *   customerExternalId: "cus_1",
   * });
   * ```
   */
  create(subscription: SubscriptionCreate, options?: CreateOptions): Promise<Subscription> {
    const params = { bucketId: this.#bucketId };
    return this.#transport.call("createSubscription", { params, body: subscription, options });
  }

  /**
   * One subscription.
   *
   * @example
   * ```ts
   * const { status } = await client.subscriptions(bucketId).get(subscriptionId);
   * ```
   */
  get(id: string, options?: RequestOptions): Promise<Subscription> {
    return this.#transport.call("getSubscription", { params: this.#params(id), options });
  }

  /**
   * Changes a subscription. With `prorate`, the rest of this period allows that share of the new plans' maximums beyond what
   * is used.
   *
   * @example
   * ```ts
   * await client.subscriptions(bucketId).update(subscriptionId, { planExternalIds: ["price_silver"], prorate: 0.5 });
   * ```
   */
  update(id: string, changes: SubscriptionUpdate, options?: ChangeOptions): Promise<Subscription> {
    return this.#transport.call("updateSubscription", { params: this.#params(id), body: changes, options });
  }

  /**
   * Previews the effect of a plan change on this and later periods. Changes nothing.
   *
   * @example
   * ```ts
   * const change = { planExternalIds: ["price_silver"], prorate: 0.5 };
   * const { before, after, next } = await client.subscriptions(bucketId).preview(subscriptionId, change);
   * console.log(before.requests?.max, after.requests?.max, next.requests?.max);
   * ```
   */
  preview(id: string, change: PlanChange, options?: RequestOptions): Promise<PlanChangePreview> {
    const call = { params: this.#params(id), body: change, isRepeatable: true, options };
    return this.#transport.call("previewPlanChange", call);
  }

  /**
   * Sells plans to a customer, who pays at `url`. The subscription is `incomplete` until then.
   *
   * @example
   * ```ts
   * const { url } = await client.subscriptions(bucketId).purchase({
   *   customerKey: "acme",
   *   planExternalIds: ["price_gold"],
   *   returnUrl: "https://app.example.com/billing",
   * });
   * ```
   */
  purchase(purchase: SubscriptionPurchase, options?: CreateOptions): Promise<PurchasedSubscription> {
    const params = { bucketId: this.#bucketId };
    return this.#transport.call("purchaseSubscription", { params, body: purchase, options });
  }

  /**
   * Changes the plans and the fees. By default now if the total fee rises, otherwise at the end of the paid period.
   *
   * @example
   * ```ts
   * await client.subscriptions(bucketId).change(subscriptionId, { planExternalIds: ["price_gold"], timing: "now" });
   * ```
   */
  change(id: string, change: SubscriptionChange, options?: CreateOptions & ChangeOptions): Promise<Subscription> {
    return this.#transport.call("changeSubscriptionPlans", { params: this.#params(id), body: change, options });
  }

  /**
   * When a change of plans would happen, and the invoice that it would create. Changes nothing.
   *
   * @example
   * ```ts
   * const change = { planExternalIds: ["price_gold"] };
   * const { timing, on, invoice } = await client.subscriptions(bucketId).previewChange(subscriptionId, change);
   * console.log(timing, on, invoice?.total);
   * ```
   */
  previewChange(id: string, change: SubscriptionChange, options?: RequestOptions): Promise<SubscriptionChangePreview> {
    const call = { params: this.#params(id), body: change, isRepeatable: true, options };
    return this.#transport.call("previewSubscriptionChange", call);
  }

  /**
   * Cancels a subscription, by default at the end of the paid period. Refunds nothing unless `refund` is set.
   *
   * @example
   * ```ts
   * await client.subscriptions(bucketId).cancel(subscriptionId, { timing: "now", refund: true });
   * ```
   */
  cancel(
    id: string,
    cancellation: SubscriptionCancel = {},
    options?: CreateOptions & ChangeOptions,
  ): Promise<Subscription> {
    return this.#transport.call("cancelSubscription", { params: this.#params(id), body: cancellation, options });
  }

  /**
   * Pauses a subscription: nothing is allowed and nothing is billed until it is resumed. The rest of the period is not
   * refunded.
   *
   * @example
   * ```ts
   * const { status } = await client.subscriptions(bucketId).pause(subscriptionId); // "inactive"
   * ```
   */
  pause(id: string, options?: CreateOptions & ChangeOptions): Promise<Subscription> {
    return this.#transport.call("pauseSubscription", { params: this.#params(id), body: {}, options });
  }

  /**
   * Resumes a subscription that is paused, or undoes a cancellation before the period ends.
   *
   * @example
   * ```ts
   * const { status } = await client.subscriptions(bucketId).resume(subscriptionId);
   * ```
   */
  resume(id: string, options?: CreateOptions & ChangeOptions): Promise<Subscription> {
    return this.#transport.call("resumeSubscription", { params: this.#params(id), body: {}, options });
  }

  /**
   * What will be billed next if nothing more is used. Rejected with 404 if there will be no invoice.
   *
   * @example
   * ```ts
   * const { total, currency } = await client.subscriptions(bucketId).upcomingInvoice(subscriptionId);
   * ```
   */
  upcomingInvoice(id: string, options?: RequestOptions): Promise<UpcomingInvoice> {
    return this.#transport.call("getUpcomingInvoice", { params: this.#params(id), options });
  }

  /**
   * Deletes a subscription and its usage.
   *
   * @example
   * ```ts
   * await client.subscriptions(bucketId).delete(subscriptionId);
   * ```
   */
  delete(id: string, options?: ChangeOptions): Promise<void> {
    return this.#transport.call("deleteSubscription", { params: this.#params(id), options });
  }

  #params(subscriptionId: string) {
    return { bucketId: this.#bucketId, subscriptionId };
  }
}
