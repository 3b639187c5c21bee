import { createAccount } from "../../src/areas/access/accounts/accounts.ts";
import { registerProviders } from "../../src/areas/commerce/billing/payments/providers.ts";
import { usageAt } from "../../src/areas/commerce/metering/usage/usage.ts";
import {
  createMeteringBucket,
  type MeteringBucket,
} from "../../src/areas/commerce/metering-buckets/metering-buckets.ts";
import { createPlan, type Meters, type Plan, updatePlan } from "../../src/areas/commerce/plans/plans.ts";
import {
  createSubscription,
  findSubscription,
  findSubscriptionForUpdate,
  type Subscription,
  type SubscriptionInput,
  type SubscriptionPatch,
  updateSubscription,
} from "../../src/areas/commerce/subscriptions/subscriptions.ts";
import type { Act } from "../../src/core/access.ts";
import type { Clock } from "../../src/lib/time/clock.ts";
import type { Storage } from "../../src/platform/storage/storage.ts";
import { paymentProviders } from "../../src/server/background-services/payments.ts";
import { unique } from "./metering.ts";

/** A metering bucket, of a new account unless one is given, without a server. */
export class MeteringAccount {
  private constructor(
    private readonly storage: Storage,
    private readonly clock: Clock,
    readonly account: Act["account"],
    readonly bucket: MeteringBucket,
  ) {}

  static async create(storage: Storage, clock: Clock, given?: Act["account"]): Promise<MeteringAccount> {
    registerProviders(paymentProviders);
    return storage.write(async (transaction) => {
      const account =
        given ?? (await createAccount(transaction, { actor: "system", now: clock.now() }, unique("account")));
      const bucket = await createMeteringBucket(transaction, { account, actor: "system", now: clock.now() });
      return new MeteringAccount(storage, clock, account, bucket);
    });
  }

  get act(): Act {
    return { account: this.account, actor: "system", now: this.clock.now() };
  }

  plan(meters: Meters, more: object = {}): Promise<Plan> {
    const input = { label: "Gold", planExternalId: unique("price"), meters, ...more };
    return this.storage.write((transaction) => createPlan({ transaction, act: this.act, bucket: this.bucket }, input));
  }

  changePlan(plan: Plan, meters: Meters): Promise<Plan> {
    return this.storage.write((transaction) =>
      updatePlan({ transaction, act: this.act, bucket: this.bucket }, plan.id, { meters }, () => {}),
    );
  }

  subscribe(plan: Plan, customerKey: string, more: Partial<SubscriptionInput> = {}): Promise<Subscription> {
    const input: SubscriptionInput = {
      planIds: [plan.id],
      planExternalIds: [plan.external_id],
      status: "active",
      renewalStrategy: "monthly",
      region: "europe-west4",
      customerKey,
      subscriptionExternalId: unique("sub"),
      customerExternalId: "cus_1",
      ...more,
    };
    return this.storage.write((transaction) =>
      createSubscription({ transaction, act: this.act, bucket: this.bucket }, input),
    );
  }

  change({ row }: Subscription, patch: SubscriptionPatch): Promise<Subscription> {
    const { act, bucket } = this;
    return this.storage.write(async (transaction) =>
      updateSubscription(
        { transaction, act, bucket },
        await findSubscriptionForUpdate(transaction, bucket, row.id),
        patch,
      ),
    );
  }

  /** The stored usage, by meter. */
  async used({ row }: Subscription, at = this.clock.now()): Promise<Record<string, number>> {
    const { reads } = this.storage;
    const usage = await usageAt(reads, await findSubscription(reads, this.bucket, row.id), at);
    return Object.fromEntries(Object.entries(usage.meters).map(([meter, { used }]) => [meter, used]));
  }
}
