import type { Act } from "../../../core/access.ts";
import { Problem } from "../../../core/problems/problem.ts";
import { randomBytes } from "../../../lib/crypto/random.ts";
import type { WriteTransaction } from "../../../platform/storage/storage.ts";
import { billingHooks } from "../../billing/periods/subscription-hooks.ts";
import type { Consumers, CreatedConsumer } from "../../consumers/consumers.ts";
import { actIn, findMeteringBucket } from "../../metering-buckets/metering-buckets.ts";
import { listPlans } from "../../plans/plans.ts";
import { createSubscription } from "../../subscriptions/subscriptions.ts";
import type { PortalPerson } from "../person.ts";
import type { PortalSettings } from "../settings/present.ts";
import { settingsOf } from "../settings/present.ts";
import { subOf } from "./memberships.ts";
import * as store from "./store.ts";

/** The portal of a new customer. */
export interface NewCustomerSite {
  seq: number;
  bucket_name: string;
  settings: string;
}

interface NewCustomer {
  mailbox: string;
  person: PortalPerson;
  label: string | undefined;
  withKey: boolean;
  /** The person had an account before: a trial has ended already. */
  isReturning: boolean;
}

/**
 * Creates a consumer for a person who signs up, with them as its manager, and subscribes it to the plan of the portal.
 * Its name is random: it is in addresses and logs, and must not say who it is.
 */
export async function createCustomer(
  transaction: WriteTransaction,
  act: Act,
  consumers: Consumers,
  site: NewCustomerSite,
  { mailbox, person, label, withKey, isReturning }: NewCustomer,
): Promise<CreatedConsumer> {
  const name = `customer-${randomBytes(8).toString("hex")}`;
  const created = await consumers.create(transaction, act, site.bucket_name, {
    name,
    description: label ?? mailbox,
    managers: [{ ...subOf(person), email: mailbox }],
    withApiKey: withKey,
  });
  await subscribe(transaction, act, settingsOf(site), name, isReturning);
  await store.insertSignUp(transaction, {
    portal_seq: site.seq,
    consumer_seq: created.consumer.seq,
    email: mailbox,
    label: label ?? null,
    created_on: act.now,
    is_returning: isReturning ? 1 : 0,
  });
  return created;
}

async function subscribe(
  transaction: WriteTransaction,
  act: Act,
  { meteringBucket, signUpPlan }: Pick<PortalSettings, "meteringBucket" | "signUpPlan">,
  customerKey: string,
  isReturning: boolean,
): Promise<void> {
  if (meteringBucket === undefined || signUpPlan === undefined) return;
  const bucket = await findMeteringBucket(transaction, act.account.seq, meteringBucket).catch((error) => {
    throw error instanceof Problem ? new Problem("sign_up_unavailable", { cause: error }) : error;
  });
  const [plan] = (await listPlans(transaction, bucket, signUpPlan, { limit: 1, offset: 0 })).data;
  if (!plan) throw new Problem("sign_up_unavailable");
  const inBucket = actIn(bucket, act);
  await billingHooks.creating(transaction, bucket, customerKey);
  const created = await createSubscription(transaction, inBucket, bucket, {
    planIds: [plan.id],
    planExternalIds: [signUpPlan],
    status: plan.trial_days === null ? "active" : "trialing",
    ...(isReturning && plan.trial_days !== null ? { trialStartDate: inBucket.now, trialEndDate: inBucket.now } : {}),
    renewalStrategy: "monthly",
    // Required, and without effect.
    region: "us-central1",
    customerKey,
    subscriptionExternalId: customerKey,
    customerExternalId: customerKey,
  });
  await billingHooks.created(transaction, inBucket, bucket, created);
}
