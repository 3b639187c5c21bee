import type { Act } from "../../../../core/access.ts";
import { Problem } from "../../../../core/problems/problem.ts";
import { randomBytes } from "../../../../lib/crypto/random.ts";
import { unconditional } from "../../../../lib/http/etag.ts";
import type { Reads, WriteTransaction } from "../../../../platform/storage/storage.ts";
import type { Consumers, CreatedConsumer } from "../../../api-keys/consumers/consumers.ts";
import { ensureCustomer, findCustomerIfAny, updateCustomer } from "../../../commerce/billing/customers/customers.ts";
import { billingHooks } from "../../../commerce/billing/periods/subscription-hooks.ts";
import { actIn, type BucketContext, findMeteringBucket } from "../../../commerce/metering-buckets/metering-buckets.ts";
import { listPlans } from "../../../commerce/plans/plans.ts";
import { createSubscription } from "../../../commerce/subscriptions/subscriptions.ts";
import type { PortalPerson } from "../sessions/portal-sessions.ts";
import { type PortalSettings, settingsOf } from "../settings/present.ts";
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
    ...(label === undefined ? { description: mailbox } : { displayName: label }),
    managers: [{ ...subOf(person), email: mailbox }],
    withApiKey: withKey,
  });
  await transaction.insert("portal_sign_ups", {
    portal_seq: site.seq,
    consumer_seq: created.consumer.seq,
    email: mailbox,
    created_on: act.now,
    is_returning: isReturning ? 1 : 0,
  });
  await subscribe(transaction, act, settingsOf(site), created.consumer, isReturning);
  return created;
}

type NamedConsumer = Pick<CreatedConsumer["consumer"], "seq" | "name">;

/** What a customer gave at the sign-up is on invoices and receives their mail until the customer enters something else. */
export async function signUpDetails(reads: Reads, { seq }: Pick<NamedConsumer, "seq">) {
  const signUp = await store.findSignUp(reads, seq);
  const legalName = (await store.displayNamesOf(reads, [seq])).get(seq);
  return signUp && { email: signUp.email, ...(legalName === undefined ? {} : { legalName }) };
}

/** Creates the customer of a consumer, with the details of its sign-up. */
export async function ensureBuyer(context: BucketContext, consumer: NamedConsumer): Promise<void> {
  const { transaction, bucket } = context;
  if (await findCustomerIfAny(transaction, bucket, consumer.name)) return;
  await ensureCustomer(context, consumer.name);
  const details = await signUpDetails(transaction, consumer);
  if (details) await updateCustomer(context, consumer.name, details, unconditional);
}

async function subscribe(
  transaction: WriteTransaction,
  act: Act,
  { meteringBucket, signUpPlan }: Pick<PortalSettings, "meteringBucket" | "signUpPlan">,
  consumer: NamedConsumer,
  isReturning: boolean,
): Promise<void> {
  const customerKey = consumer.name;
  if (meteringBucket === undefined || signUpPlan === undefined) return;
  const bucket = await findMeteringBucket(transaction, act.account.seq, meteringBucket).catch((error) => {
    throw error instanceof Problem ? new Problem("sign_up_unavailable", { cause: error }) : error;
  });
  const [plan] = (await listPlans(transaction, bucket, signUpPlan, { limit: 1, offset: 0 })).data;
  if (!plan) throw new Problem("sign_up_unavailable");
  const inBucket = actIn(bucket, act);
  await ensureBuyer({ transaction, act: inBucket, bucket }, consumer);
  await billingHooks.creating(transaction, bucket, customerKey);
  const created = await createSubscription(
    { transaction, act: inBucket, bucket },
    {
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
    },
  );
  await billingHooks.created({ transaction, act: inBucket, bucket }, created);
}
