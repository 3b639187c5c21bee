// Written by `npm run generate` from the OpenAPI document. Do not edit.
import type { List, PageOptions } from "../transport/list.ts";
import type { ChangeOptions, CreateOptions, RequestOptions, TagOptions } from "../transport/options.ts";
import type {
  CreatedToken,
  Domain,
  DomainCreate,
  DomainUpdate,
  Grant,
  GrantEntry,
  GrantInput,
  Manager,
  ManagerCreate,
  ManagerInvite,
  ManagerInviteAccept,
  ManagerInviteCreate,
  ManagerUpdate,
  Plan,
  PlanChange,
  PlanChangePreview,
  PlanCreate,
  PlanUpdate,
  PurchasedSubscription,
  Subscription,
  SubscriptionCancel,
  SubscriptionChange,
  SubscriptionChangePreview,
  SubscriptionCreate,
  SubscriptionPurchase,
  SubscriptionUpdate,
  Token,
  TokenCreate,
  TrustedIssuer,
  TrustedIssuerCreate,
  TrustedIssuerUpdate,
  UpcomingInvoice,
  Variable,
  VariableSet,
  View,
  ViewCreate,
  ViewUpdate,
} from "../transport/schema.gen.ts";
import type { Transport } from "../transport/transport.ts";

/** The credentials of the management API. For admins. */
export class Tokens {
  readonly #transport: Transport;

  constructor(transport: Transport) {
    this.#transport = transport;
  }

  /**
   * List tokens.
   *
   * @example
   * ```ts
   * for await (const item of client.tokens.list()) console.log(item);
   * ```
   */
  list(paging: PageOptions & RequestOptions = {}): List<Token> {
    return this.#transport.list("listTokens", { call: {}, paging });
  }

  /**
   * Create a token.
   * Only this response contains its value.
   *
   * @example
   * ```ts
   * const createdToken = await client.tokens.create({ role: "verifier", name: "gateway in Frankfurt" });
   * ```
   */
  create(token: TokenCreate, options?: CreateOptions): Promise<CreatedToken> {
    return this.#transport.call("createToken", { body: token, options });
  }

  /**
   * Read a token.
   *
   * @example
   * ```ts
   * const token = await client.tokens.get(tokenId);
   * ```
   */
  get(tokenId: string, options?: RequestOptions): Promise<Token> {
    return this.#transport.call("getToken", { params: { tokenId }, options });
  }

  /**
   * Delete a token.
   * It stops working immediately, also if it is the token of this request.
   *
   * @example
   * ```ts
   * await client.tokens.delete(tokenId);
   * ```
   */
  delete(tokenId: string, options?: ChangeOptions): Promise<void> {
    return this.#transport.call("deleteToken", { params: { tokenId }, options });
  }
}

/** Identity providers, such as CI services, whose tokens are exchanged for tokens of the account. For admins. */
export class TrustedIssuers {
  readonly #transport: Transport;

  constructor(transport: Transport) {
    this.#transport = transport;
  }

  /**
   * List trusted issuers.
   *
   * @example
   * ```ts
   * for await (const item of client.trustedIssuers.list()) console.log(item);
   * ```
   */
  list(paging: PageOptions & RequestOptions = {}): List<TrustedIssuer> {
    return this.#transport.list("listTrustedIssuers", { call: {}, paging });
  }

  /**
   * Trust an issuer.
   * Tokens of the issuer whose audience, subject and claims match can be exchanged for tokens of this API, which are valid for 15 minutes.
   *
   * @example
   * ```ts
   * const trustedIssuer = await client.trustedIssuers.create({
   *   issuer: "https://token.actions.githubusercontent.com",
   *   subject: "repo:acme/shop:pull_request",
   *   role: "editor",
   *   project: "shop",
   *   branchClaim: "head_ref"
   * });
   * ```
   */
  create(trustedIssuer: TrustedIssuerCreate, options?: CreateOptions): Promise<TrustedIssuer> {
    return this.#transport.call("createTrustedIssuer", { body: trustedIssuer, options });
  }

  /**
   * Read a trusted issuer.
   *
   * @example
   * ```ts
   * const trustedIssuer = await client.trustedIssuers.get(trustedIssuerId);
   * ```
   */
  get(trustedIssuerId: string, options?: RequestOptions): Promise<TrustedIssuer> {
    return this.#transport.call("getTrustedIssuer", { params: { trustedIssuerId }, options });
  }

  /**
   * Change a trusted issuer.
   * The tokens that it issued stop working immediately. The issuer itself cannot be changed.
   *
   * @example
   * ```ts
   * const trustedIssuer = await client.trustedIssuers.update(trustedIssuerId, { subject: "repo:acme/shop:*" });
   * ```
   */
  update(trustedIssuerId: string, changes: TrustedIssuerUpdate, options?: ChangeOptions): Promise<TrustedIssuer> {
    return this.#transport.call("updateTrustedIssuer", { params: { trustedIssuerId }, body: changes, options });
  }

  /**
   * Stop trusting an issuer.
   * The tokens that it issued stop working immediately.
   *
   * @example
   * ```ts
   * await client.trustedIssuers.delete(trustedIssuerId);
   * ```
   */
  delete(trustedIssuerId: string, options?: ChangeOptions): Promise<void> {
    return this.#transport.call("deleteTrustedIssuer", { params: { trustedIssuerId }, options });
  }
}

/** The people who manage the keys of one consumer. */
export class Managers {
  readonly #transport: Transport;
  readonly #params: { bucketName: string; consumerName: string };

  constructor(transport: Transport, bucketName: string, consumerName: string) {
    this.#transport = transport;
    this.#params = { bucketName, consumerName };
  }

  /**
   * List the managers of a consumer.
   *
   * @example
   * ```ts
   * for await (const item of client.managers("main", "acme").list()) console.log(item);
   * ```
   */
  list({ tag, ...paging }: TagOptions & PageOptions & RequestOptions = {}): List<Manager> {
    return this.#transport.list("listManagers", { call: { params: { ...this.#params }, query: { tag: tag } }, paging });
  }

  /**
   * Add a manager.
   *
   * @example
   * ```ts
   * const manager = await client.managers("main", "acme").add({ sub: "auth0|5f7c8ec7c33c6c004bbafe82", email: "jo@acme.example" });
   * ```
   */
  add(manager: ManagerCreate, { tag, ...options }: TagOptions & CreateOptions = {}): Promise<Manager> {
    return this.#transport.call("addManager", {
      params: { ...this.#params },
      query: { tag: tag },
      body: manager,
      options,
    });
  }

  /**
   * Read a manager.
   *
   * @example
   * ```ts
   * const manager = await client.managers("main", "acme").get(managerId);
   * ```
   */
  get(managerId: string, { tag, ...options }: TagOptions & RequestOptions = {}): Promise<Manager> {
    return this.#transport.call("getManager", { params: { ...this.#params, managerId }, query: { tag: tag }, options });
  }

  /**
   * Change what a manager may do in the portal.
   *
   * @example
   * ```ts
   * const manager = await client.managers("main", "acme").update(managerId, { scopes: [ "usage:read" ] });
   * ```
   */
  update(
    managerId: string,
    changes: ManagerUpdate,
    { tag, ...options }: TagOptions & ChangeOptions = {},
  ): Promise<Manager> {
    return this.#transport.call("updateManager", {
      params: { ...this.#params, managerId },
      query: { tag: tag },
      body: changes,
      options,
    });
  }

  /**
   * Remove a manager.
   *
   * @example
   * ```ts
   * await client.managers("main", "acme").delete(managerId);
   * ```
   */
  delete(managerId: string, { tag, ...options }: TagOptions & ChangeOptions = {}): Promise<void> {
    return this.#transport.call("deleteManager", {
      params: { ...this.#params, managerId },
      query: { tag: tag },
      options,
    });
  }
}

/** Invitations of e-mail addresses to become managers of one consumer. */
export class ManagerInvites {
  readonly #transport: Transport;
  readonly #params: { bucketName: string; consumerName: string };

  constructor(transport: Transport, bucketName: string, consumerName: string) {
    this.#transport = transport;
    this.#params = { bucketName, consumerName };
  }

  /**
   * List the pending invites of a consumer.
   *
   * @example
   * ```ts
   * for await (const item of client.managerInvites("main", "acme").list()) console.log(item);
   * ```
   */
  list({ tag, ...paging }: TagOptions & PageOptions & RequestOptions = {}): List<ManagerInvite> {
    return this.#transport.list("listManagerInvites", {
      call: { params: { ...this.#params }, query: { tag: tag } },
      paging,
    });
  }

  /**
   * Invite a manager.
   * The invite is valid for seven days.
   *
   * @example
   * ```ts
   * const managerInvite = await client.managerInvites("main", "acme").create({ email: "jo@acme.example" });
   * ```
   */
  create(
    managerInvite: ManagerInviteCreate,
    { tag, ...options }: TagOptions & CreateOptions = {},
  ): Promise<ManagerInvite> {
    return this.#transport.call("inviteManager", {
      params: { ...this.#params },
      query: { tag: tag },
      body: managerInvite,
      options,
    });
  }

  /**
   * Read an invite.
   *
   * @example
   * ```ts
   * const managerInvite = await client.managerInvites("main", "acme").get(inviteId);
   * ```
   */
  get(inviteId: string, { tag, ...options }: TagOptions & RequestOptions = {}): Promise<ManagerInvite> {
    return this.#transport.call("getManagerInvite", {
      params: { ...this.#params, inviteId },
      query: { tag: tag },
      options,
    });
  }

  /**
   * Withdraw an invite.
   *
   * @example
   * ```ts
   * await client.managerInvites("main", "acme").delete(inviteId);
   * ```
   */
  delete(inviteId: string, { tag, ...options }: TagOptions & ChangeOptions = {}): Promise<void> {
    return this.#transport.call("deleteManagerInvite", {
      params: { ...this.#params, inviteId },
      query: { tag: tag },
      options,
    });
  }

  /**
   * Accept an invite.
   *
   * @example
   * ```ts
   * const manager = await client.managerInvites("main", "acme").accept(inviteId, { sub: "auth0|5f7c8ec7c33c6c004bbafe82" });
   * ```
   */
  accept(
    inviteId: string,
    managerInvite: ManagerInviteAccept,
    { tag, ...options }: TagOptions & CreateOptions = {},
  ): Promise<Manager> {
    return this.#transport.call("acceptManagerInvite", {
      params: { ...this.#params, inviteId },
      query: { tag: tag },
      body: managerInvite,
      options,
    });
  }
}

export interface ListPlansOptions extends PageOptions, RequestOptions {
  planExternalId?: string | undefined;
}

/** The plans of one metering bucket: the limits of subscribers. */
export class Plans {
  readonly #transport: Transport;
  readonly #params: { bucketId: string };

  constructor(transport: Transport, bucketId: string) {
    this.#transport = transport;
    this.#params = { bucketId };
  }

  /**
   * List plans.
   *
   * @example
   * ```ts
   * for await (const item of client.plans(bucketId).list()) console.log(item);
   * ```
   */
  list({ planExternalId, ...paging }: ListPlansOptions = {}): List<Plan> {
    return this.#transport.list("listPlans", {
      call: { params: { ...this.#params }, query: { planExternalId: planExternalId } },
      paging,
    });
  }

  /**
   * Create a plan.
   *
   * @example
   * ```ts
   * const plan = await client.plans(bucketId).create({
   *   label: "Gold",
   *   planExternalId: "price_gold",
   *   meters: {
   *     requests: {
   *       label: "Requests",
   *       max: 100000
   *     }
   *   }
   * });
   * ```
   */
  create(plan: PlanCreate, options?: CreateOptions): Promise<Plan> {
    return this.#transport.call("createPlan", { params: { ...this.#params }, body: plan, options });
  }

  /**
   * Read a plan.
   *
   * @example
   * ```ts
   * const plan = await client.plans(bucketId).get(planId);
   * ```
   */
  get(planId: string, options?: RequestOptions): Promise<Plan> {
    return this.#transport.call("getPlan", { params: { ...this.#params, planId }, options });
  }

  /**
   * Change a plan.
   * Meters apply immediately, also to existing subscriptions. `null` clears an optional field.
   *
   * @example
   * ```ts
   * const plan = await client.plans(bucketId).update(planId, { meters: { requests: { label: "Requests", max: 200000 } } });
   * ```
   */
  update(planId: string, changes: PlanUpdate, options?: ChangeOptions): Promise<Plan> {
    return this.#transport.call("updatePlan", { params: { ...this.#params, planId }, body: changes, options });
  }

  /**
   * Delete a plan.
   *
   * @example
   * ```ts
   * await client.plans(bucketId).delete(planId);
   * ```
   */
  delete(planId: string, options?: ChangeOptions): Promise<void> {
    return this.#transport.call("deletePlan", { params: { ...this.#params, planId }, options });
  }
}

export interface ListSubscriptionsOptions extends PageOptions, RequestOptions {
  customerKey?: string | undefined;
  subscriptionExternalId?: string | undefined;
  planId?: string | undefined;
  status?:
    | "active"
    | "inactive"
    | "incomplete"
    | "incomplete-expired"
    | "trialing"
    | "past-due"
    | "canceled"
    | "unpaid"
    | undefined;
}

/** The subscriptions of one metering bucket: customers and their plans. */
export class Subscriptions {
  readonly #transport: Transport;
  readonly #params: { bucketId: string };

  constructor(transport: Transport, bucketId: string) {
    this.#transport = transport;
    this.#params = { bucketId };
  }

  /**
   * List subscriptions.
   *
   * @example
   * ```ts
   * for await (const item of client.subscriptions(bucketId).list()) console.log(item);
   * ```
   */
  list({
    customerKey,
    subscriptionExternalId,
    planId,
    status,
    ...paging
  }: ListSubscriptionsOptions = {}): List<Subscription> {
    return this.#transport.list("listSubscriptions", {
      call: {
        params: { ...this.#params },
        query: {
          customerKey: customerKey,
          subscriptionExternalId: subscriptionExternalId,
          planId: planId,
          status: status,
        },
      },
      paging,
    });
  }

  /**
   * Create a subscription.
   *
   * @example
   * ```ts
   * const subscription = await client.subscriptions(bucketId).create({
   *   planIds: [
   *     "plan_0QGzNqW81Kx8VhTb3mPcRdZu"
   *   ],
   *   planExternalIds: [
   *     "price_gold"
   *   ],
   *   status: "active",
   *   type: "periodic",
   *   renewalStrategy: "monthly",
   *   region: "europe-west4",
   *   customerKey: "acme",
   *   subscriptionExternalId: "sub_1",
   *   customerExternalId: "cus_1"
   * });
   * ```
   */
  create(subscription: SubscriptionCreate, options?: CreateOptions): Promise<Subscription> {
    return this.#transport.call("createSubscription", { params: { ...this.#params }, body: subscription, options });
  }

  /**
   * Read a subscription.
   *
   * @example
   * ```ts
   * const subscription = await client.subscriptions(bucketId).get(subscriptionId);
   * ```
   */
  get(subscriptionId: string, options?: RequestOptions): Promise<Subscription> {
    return this.#transport.call("getSubscription", { params: { ...this.#params, subscriptionId }, options });
  }

  /**
   * Change a subscription.
   *
   * @example
   * ```ts
   * const subscription = await client.subscriptions(bucketId).update(subscriptionId, { status: "canceled" });
   * ```
   */
  update(subscriptionId: string, changes: SubscriptionUpdate, options?: ChangeOptions): Promise<Subscription> {
    return this.#transport.call("updateSubscription", {
      params: { ...this.#params, subscriptionId },
      body: changes,
      options,
    });
  }

  /**
   * Delete a subscription with its usage.
   *
   * @example
   * ```ts
   * await client.subscriptions(bucketId).delete(subscriptionId);
   * ```
   */
  delete(subscriptionId: string, options?: ChangeOptions): Promise<void> {
    return this.#transport.call("deleteSubscription", { params: { ...this.#params, subscriptionId }, options });
  }

  /**
   * Preview a change of plans.
   * Changes nothing. Returns the same errors as the change itself.
   *
   * @example
   * ```ts
   * const planChangePreview = await client.subscriptions(bucketId).preview(subscriptionId, { planExternalIds: [ "price_gold" ], prorate: 0.5 });
   * ```
   */
  preview(subscriptionId: string, subscription: PlanChange, options?: RequestOptions): Promise<PlanChangePreview> {
    return this.#transport.call("previewPlanChange", {
      params: { ...this.#params, subscriptionId },
      body: subscription,
      isRepeatable: true,
      options,
    });
  }

  /**
   * Preview the next invoice of a subscription.
   * What will be billed if nothing more is used. Returns 404 if there will be no invoice.
   *
   * @example
   * ```ts
   * const upcomingInvoice = await client.subscriptions(bucketId).upcomingInvoice(subscriptionId);
   * ```
   */
  upcomingInvoice(subscriptionId: string, options?: RequestOptions): Promise<UpcomingInvoice> {
    return this.#transport.call("getUpcomingInvoice", { params: { ...this.#params, subscriptionId }, options });
  }

  /**
   * Change the plans of a subscription.
   * By default now if the total fee rises, otherwise at the end of the paid period. A change now credits the unused rest of the old fee and charges the new one for the rest of the period.
   *
   * @example
   * ```ts
   * const subscription = await client.subscriptions(bucketId).change(subscriptionId, { planExternalIds: [ "price_gold" ] });
   * ```
   */
  change(subscriptionId: string, subscription: SubscriptionChange, options?: CreateOptions): Promise<Subscription> {
    return this.#transport.call("changeSubscriptionPlans", {
      params: { ...this.#params, subscriptionId },
      body: subscription,
      options,
    });
  }

  /**
   * Preview a change of plans.
   * Returns when it would happen and the invoice that it would create. Nothing is changed.
   *
   * @example
   * ```ts
   * const subscriptionChangePreview = await client.subscriptions(bucketId).previewChange(subscriptionId, { planExternalIds: [ "price_gold" ] });
   * ```
   */
  previewChange(
    subscriptionId: string,
    subscription: SubscriptionChange,
    options?: RequestOptions,
  ): Promise<SubscriptionChangePreview> {
    return this.#transport.call("previewSubscriptionChange", {
      params: { ...this.#params, subscriptionId },
      body: subscription,
      isRepeatable: true,
      options,
    });
  }

  /**
   * Cancel a subscription.
   * At the end of the paid period, or now. Refunds nothing unless `refund` is set.
   *
   * @example
   * ```ts
   * const subscription = await client.subscriptions(bucketId).cancel(subscriptionId, { timing: "period-end" });
   * ```
   */
  cancel(
    subscriptionId: string,
    subscription: SubscriptionCancel = {},
    options?: CreateOptions,
  ): Promise<Subscription> {
    return this.#transport.call("cancelSubscription", {
      params: { ...this.#params, subscriptionId },
      body: subscription,
      options,
    });
  }

  /**
   * Resume a paused subscription, or undo a cancellation.
   * A period that is paid for continues; otherwise the fee is charged for the rest of the current period. A cancellation is undone until the end of the period.
   *
   * @example
   * ```ts
   * const subscription = await client.subscriptions(bucketId).resume(subscriptionId);
   * ```
   */
  resume(subscriptionId: string, options?: CreateOptions): Promise<Subscription> {
    return this.#transport.call("resumeSubscription", {
      params: { ...this.#params, subscriptionId },
      body: {},
      options,
    });
  }

  /**
   * Pause a subscription.
   * The status is `inactive` from now on: nothing is allowed, and nothing is billed until `$resume`. What was used before is billed; the rest of the period is not refunded.
   *
   * @example
   * ```ts
   * const subscription = await client.subscriptions(bucketId).pause(subscriptionId);
   * ```
   */
  pause(subscriptionId: string, options?: CreateOptions): Promise<Subscription> {
    return this.#transport.call("pauseSubscription", {
      params: { ...this.#params, subscriptionId },
      body: {},
      options,
    });
  }

  /**
   * Sell plans to a customer.
   * Creates a subscription that is `incomplete` until it is paid, and `incomplete-expired` after 24 hours. Send the customer to `url` to pay; afterwards they go to `returnUrl`, which does not mean that they paid. There is no `url` if nothing is to be paid, if the customer's payment method has paid, or if you mark invoices as paid yourself. Replaces free subscriptions of the customer.
   *
   * @example
   * ```ts
   * const purchasedSubscription = await client.subscriptions(bucketId).purchase({
   *   customerKey: "acme",
   *   planExternalIds: [
   *     "price_gold"
   *   ],
   *   returnUrl: "https://app.example.com/billing"
   * });
   * ```
   */
  purchase(subscription: SubscriptionPurchase, options?: CreateOptions): Promise<PurchasedSubscription> {
    return this.#transport.call("purchaseSubscription", { params: { ...this.#params }, body: subscription, options });
  }
}

/** The grants of one customer: credits in units of a meter, or money. */
export class Grants {
  readonly #transport: Transport;
  readonly #params: { bucketId: string; customerKey: string };

  constructor(transport: Transport, bucketId: string, customerKey: string) {
    this.#transport = transport;
    this.#params = { bucketId, customerKey };
  }

  /**
   * List the grants of a customer.
   *
   * @example
   * ```ts
   * for await (const item of client.grants(bucketId, "acme").list()) console.log(item);
   * ```
   */
  list(paging: PageOptions & RequestOptions = {}): List<Grant> {
    return this.#transport.list("listGrants", { call: { params: { ...this.#params } }, paging });
  }

  /**
   * Grant credits to a customer.
   * Units of a meter extend the maximum of the plan. Money pays overage as it occurs, and then invoices when they are finalized. Credits pay for usage from now on.
   *
   * @example
   * ```ts
   * const grant = await client.grants(bucketId, "acme").create({ currency: "EUR", amount: "25.00", funding: "promotional", reason: "Welcome" });
   * ```
   */
  create(grant: GrantInput, options?: CreateOptions): Promise<Grant> {
    return this.#transport.call("createGrant", { params: { ...this.#params }, body: grant, options });
  }

  /**
   * Read a grant.
   *
   * @example
   * ```ts
   * const grant = await client.grants(bucketId, "acme").get(grantId);
   * ```
   */
  get(grantId: string, options?: RequestOptions): Promise<Grant> {
    return this.#transport.call("getGrant", { params: { ...this.#params, grantId }, options });
  }

  /**
   * List the ledger of a grant.
   * Entries never change. Usage is entered at the end of each hour, and before invoices.
   *
   * @example
   * ```ts
   * for await (const item of client.grants(bucketId, "acme").entries(grantId)) console.log(item);
   * ```
   */
  entries(grantId: string, paging: PageOptions & RequestOptions = {}): List<GrantEntry> {
    return this.#transport.list("listGrantEntries", { call: { params: { ...this.#params, grantId } }, paging });
  }

  /**
   * Void a grant.
   * What is left of it can no longer be used. What it has paid stays paid.
   *
   * @example
   * ```ts
   * const grant = await client.grants(bucketId, "acme").void(grantId);
   * ```
   */
  void(grantId: string, options?: CreateOptions): Promise<Grant> {
    return this.#transport.call("voidGrant", { params: { ...this.#params, grantId }, body: {}, options });
  }
}

/** Custom domains: your own hosts, served by deployments. */
export class Domains {
  readonly #transport: Transport;

  constructor(transport: Transport) {
    this.#transport = transport;
  }

  /**
   * List custom domains.
   *
   * @example
   * ```ts
   * for await (const item of client.domains.list()) console.log(item);
   * ```
   */
  list(paging: PageOptions & RequestOptions = {}): List<Domain> {
    return this.#transport.list("listDomains", { call: {}, paging });
  }

  /**
   * Claim a host for a deployment.
   * Give `deploymentName`, or `mounts` for several deployments by path. Set the records in `dns`. The server looks them up with increasing intervals. A claim that is not proven within seven days is removed; it does not prevent other accounts from proving the host.
   *
   * @example
   * ```ts
   * const domain = await client.domains.create({ host: "api.acme.example", deploymentName: "orders-main-1a2b3c4" });
   * ```
   */
  create(domain: DomainCreate, options?: CreateOptions): Promise<Domain> {
    return this.#transport.call("createDomain", { body: domain, options });
  }

  /**
   * Read a custom domain.
   *
   * @example
   * ```ts
   * const domain = await client.domains.get(domainId);
   * ```
   */
  get(domainId: string, options?: RequestOptions): Promise<Domain> {
    return this.#transport.call("getDomain", { params: { domainId }, options });
  }

  /**
   * Change the deployments of a domain.
   * Applies to the next request. The host and its proof are not changed.
   *
   * @example
   * ```ts
   * const domain = await client.domains.update(domainId, {
   *   mounts: [
   *     {
   *       path: "/",
   *       deploymentName: "shop-main-9f8e7d6"
   *     },
   *     {
   *       path: "/billing",
   *       deploymentName: "billing-main-1a2b3c4",
   *       stripPath: true
   *     }
   *   ]
   * });
   * ```
   */
  update(domainId: string, changes: DomainUpdate, options?: ChangeOptions): Promise<Domain> {
    return this.#transport.call("updateDomain", { params: { domainId }, body: changes, options });
  }

  /**
   * Delete a custom domain.
   * Requests to its host are no longer routed.
   *
   * @example
   * ```ts
   * await client.domains.delete(domainId);
   * ```
   */
  delete(domainId: string, options?: ChangeOptions): Promise<void> {
    return this.#transport.call("deleteDomain", { params: { domainId }, options });
  }

  /**
   * Look up the records of a domain now.
   * Does not wait for the next scheduled lookup. The lookup is made within a few seconds after the response.
   *
   * @example
   * ```ts
   * const domain = await client.domains.check(domainId);
   * ```
   */
  check(domainId: string, options?: CreateOptions): Promise<Domain> {
    return this.#transport.call("checkDomain", { params: { domainId }, body: {}, options });
  }
}

/** The variables of a gateway project. */
export class Variables {
  readonly #transport: Transport;
  readonly #params: { projectName: string };

  constructor(transport: Transport, projectName: string) {
    this.#transport = transport;
    this.#params = { projectName };
  }

  /**
   * List the variables of a project.
   * Secrets are listed without their values.
   *
   * @example
   * ```ts
   * for await (const item of client.variables("orders").list()) console.log(item);
   * ```
   */
  list(paging: PageOptions & RequestOptions = {}): List<Variable> {
    return this.#transport.list("listVariables", { call: { params: { ...this.#params } }, paging });
  }

  /**
   * Read a variable.
   *
   * @example
   * ```ts
   * const variable = await client.variables("orders").get("UPSTREAM_TOKEN");
   * ```
   */
  get(variableName: string, options?: RequestOptions): Promise<Variable> {
    return this.#transport.call("getVariable", { params: { ...this.#params, variableName }, options });
  }

  /**
   * Set a variable.
   * Creates it or replaces it as a whole. A plain variable takes effect with the next build; a secret with the next request of every version that uses it, within a second on every node.
   *
   * @example
   * ```ts
   * const variable = await client.variables("orders").set("UPSTREAM_TOKEN", {
   *   value: "s3cr3t-of-the-upstream",
   *   isSecret: true,
   *   environments: [
   *     "production"
   *   ]
   * });
   * ```
   */
  set(variableName: string, variable: VariableSet, options?: ChangeOptions): Promise<Variable> {
    return this.#transport.call("setVariable", { params: { ...this.#params, variableName }, body: variable, options });
  }

  /**
   * Delete a variable.
   * Versions keep the plain variables that they were built with. Routes that use a deleted secret respond with 503.
   *
   * @example
   * ```ts
   * await client.variables("orders").delete("UPSTREAM_TOKEN");
   * ```
   */
  delete(variableName: string, options?: ChangeOptions): Promise<void> {
    return this.#transport.call("deleteVariable", { params: { ...this.#params, variableName }, options });
  }
}

/** The saved views of an account: named filters of the console's lists. */
export class Views {
  readonly #transport: Transport;

  constructor(transport: Transport) {
    this.#transport = transport;
  }

  /**
   * List the saved views of an account.
   *
   * @example
   * ```ts
   * for await (const item of client.views.list()) console.log(item);
   * ```
   */
  list(paging: PageOptions & RequestOptions = {}): List<View> {
    return this.#transport.list("listViews", { call: {}, paging });
  }

  /**
   * Save a view.
   *
   * @example
   * ```ts
   * const view = await client.views.create({ name: "Gold customers", page: "consumers", search: "tag=plan%3Dgold" });
   * ```
   */
  create(view: ViewCreate, options?: CreateOptions): Promise<View> {
    return this.#transport.call("createView", { body: view, options });
  }

  /**
   * Read a view.
   *
   * @example
   * ```ts
   * const view = await client.views.get(viewId);
   * ```
   */
  get(viewId: string, options?: RequestOptions): Promise<View> {
    return this.#transport.call("getView", { params: { viewId }, options });
  }

  /**
   * Rename a view or change its filters.
   *
   * @example
   * ```ts
   * const view = await client.views.update(viewId, { name: "Gold and platinum customers" });
   * ```
   */
  update(viewId: string, changes: ViewUpdate, options?: ChangeOptions): Promise<View> {
    return this.#transport.call("updateView", { params: { viewId }, body: changes, options });
  }

  /**
   * Delete a view.
   *
   * @example
   * ```ts
   * await client.views.delete(viewId);
   * ```
   */
  delete(viewId: string, options?: ChangeOptions): Promise<void> {
    return this.#transport.call("deleteView", { params: { viewId }, options });
  }
}
