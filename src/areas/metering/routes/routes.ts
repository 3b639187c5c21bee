import { z } from "zod";
import { list, read, write } from "../../../api/endpoint.ts";
import { queryBoolean } from "../../../api/schemas.ts";
import type { Reads } from "../../../platform/storage/storage.ts";
import { createBucket, deleteBucket, findBucket, listBuckets, updateBucket } from "../buckets.ts";
import { createPlan, deletePlan, findPlan, listPlans, type Plan, subscribedPlans, updatePlan } from "../plans/plans.ts";
import { presentPlan } from "../plans/present-plan.ts";
import { presentBucket } from "../present-bucket.ts";
import {
  meteringBucket,
  meteringBucketInput,
  meteringBucketPatch,
  plan,
  planInput,
  planPatch,
  planQuery,
  subscription,
  subscriptionInput,
  subscriptionPatch,
  subscriptionQuery,
} from "../schema.ts";
import { presentSubscription } from "../subscriptions/present-subscription.ts";
import {
  createSubscription,
  deleteSubscription,
  findSubscription,
  listSubscriptions,
  revisionOf,
  type Subscription,
  updateSubscription,
} from "../subscriptions/subscriptions.ts";
import { bucketPath, bucketsPath, planPath, plansPath, subscriptionPath, subscriptionsPath } from "./paths.ts";

export const meteringAreas = {
  Metering: "Buckets that hold plans and the subscriptions to them.",
};

const area = "Metering";
const inAccountOfCaller = true;
export function meteringRoutes() {
  return [...bucketEndpoints(), ...planEndpoints(), ...subscriptionEndpoints()];
}

function bucketEndpoints() {
  return [
    list({
      operationId: "listMeteringBuckets",
      path: bucketsPath,
      area,
      inAccountOfCaller,
      summary: "List metering buckets",
      access: "read",
      item: meteringBucket,
      listName: "MeteringBucketList",
      handle: async ({ reads, account, query }) => {
        const { data, total } = await listBuckets(reads, account.seq, query);
        return { data: data.map((row) => presentBucket(row, account.name)), total };
      },
    }),
    write({
      operationId: "createMeteringBucket",
      method: "POST",
      path: bucketsPath,
      area,
      inAccountOfCaller,
      summary: "Create a metering bucket",
      access: "edit",
      body: meteringBucketInput,
      response: meteringBucket,
      problems: ["metering_bucket_exists"],
      handle: async ({ act, body }, transaction) => {
        const created = await createBucket(transaction, act, body);
        return { body: presentBucket(created, act.account.name), revision: created };
      },
    }),
    read({
      operationId: "getMeteringBucket",
      path: bucketPath,
      area,
      inAccountOfCaller,
      summary: "Read a metering bucket",
      access: "read",
      response: meteringBucket,
      handle: async ({ reads, account, params }) => {
        const found = await findBucket(reads, account.seq, params.bucketId);
        return { body: presentBucket(found, account.name), revision: found };
      },
    }),
    write({
      operationId: "updateMeteringBucket",
      method: "PATCH",
      path: bucketPath,
      area,
      inAccountOfCaller,
      summary: "Change a metering bucket",
      description: "`null` clears its name. Paths and gateway projects that have the old name no longer find it.",
      access: "edit",
      body: meteringBucketPatch,
      response: meteringBucket,
      problems: ["metering_bucket_exists"],
      handle: async ({ act, params, body, precondition }, transaction) => {
        const updated = await updateBucket(transaction, act, params.bucketId, body, precondition);
        return { body: presentBucket(updated, act.account.name), revision: updated };
      },
    }),
    write({
      operationId: "deleteMeteringBucket",
      method: "DELETE",
      path: bucketPath,
      area,
      inAccountOfCaller,
      summary: "Delete a metering bucket",
      access: "edit",
      query: z.object({
        force: queryBoolean.default(false).meta({ description: "Also delete the subscriptions and usage in it." }),
      }),
      problems: ["metering_bucket_not_empty"],
      handle: async ({ act, params, query, precondition }, transaction) => {
        await deleteBucket(transaction, act, params.bucketId, { force: query.force, precondition });
        return {};
      },
    }),
  ];
}

function planEndpoints() {
  return [
    list({
      operationId: "listPlans",
      path: plansPath,
      area,
      inAccountOfCaller,
      summary: "List plans",
      access: "read",
      query: planQuery,
      item: plan,
      listName: "PlanList",
      handle: async ({ reads, act, params, query }) => {
        const bucket = await findBucket(reads, act.account.seq, params.bucketId);
        const { data, total, subscribed } = await listPlans(reads, bucket, query.planExternalId, query);
        return { data: data.map((row) => presentPlan(row, subscribed.has(row.seq))), total };
      },
    }),
    write({
      operationId: "createPlan",
      method: "POST",
      path: plansPath,
      area,
      inAccountOfCaller,
      summary: "Create a plan",
      access: "edit",
      body: planInput,
      response: plan,
      problems: ["plan_exists"],
      handle: async ({ act, params, body }, transaction) => {
        const bucket = await findBucket(transaction, act.account.seq, params.bucketId);
        const created = await createPlan(transaction, act, bucket, body);
        return { body: presentPlan(created, false), revision: created, composed: true };
      },
    }),
    read({
      operationId: "getPlan",
      path: planPath,
      area,
      inAccountOfCaller,
      summary: "Read a plan",
      access: "read",
      response: plan,
      handle: async ({ reads, act, params }) => {
        const bucket = await findBucket(reads, act.account.seq, params.bucketId);
        const found = await findPlan(reads, bucket, params.planId);
        return planReply(reads, found);
      },
    }),
    write({
      operationId: "updatePlan",
      method: "PATCH",
      path: planPath,
      area,
      inAccountOfCaller,
      summary: "Change a plan",
      description: "Meters count at once, also for subscriptions that exist. `null` clears an optional field.",
      access: "edit",
      body: planPatch,
      response: plan,
      problems: ["plan_exists"],
      handle: async ({ act, params, body, precondition }, transaction) => {
        const bucket = await findBucket(transaction, act.account.seq, params.bucketId);
        const updated = await updatePlan(transaction, act, bucket, params.planId, body, precondition);
        return planReply(transaction, updated);
      },
    }),
    write({
      operationId: "deletePlan",
      method: "DELETE",
      path: planPath,
      area,
      inAccountOfCaller,
      summary: "Delete a plan",
      access: "edit",
      problems: ["plan_has_subscriptions"],
      handle: async ({ act, params, precondition }, transaction) => {
        const bucket = await findBucket(transaction, act.account.seq, params.bucketId);
        await deletePlan(transaction, act, bucket, params.planId, precondition);
        return {};
      },
    }),
  ];
}

async function planReply(reads: Reads, plan: Plan) {
  const subscribed = await subscribedPlans(reads, [plan]);
  return { body: presentPlan(plan, subscribed.has(plan.seq)), revision: plan, composed: true };
}

function subscriptionEndpoints() {
  return [
    list({
      operationId: "listSubscriptions",
      path: subscriptionsPath,
      area,
      inAccountOfCaller,
      summary: "List subscriptions",
      access: "read",
      query: subscriptionQuery,
      item: subscription,
      listName: "SubscriptionList",
      handle: async ({ reads, act, params, query }) => {
        const bucket = await findBucket(reads, act.account.seq, params.bucketId);
        const { data, total } = await listSubscriptions(reads, bucket, query, act.now, query);
        return { data: data.map((found) => presentSubscription(found, act.now)), total };
      },
    }),
    write({
      operationId: "createSubscription",
      method: "POST",
      path: subscriptionsPath,
      area,
      inAccountOfCaller,
      summary: "Create a subscription",
      access: "edit",
      body: subscriptionInput,
      response: subscription,
      problems: ["subscription_exists"],
      handle: async ({ act, params, body }, transaction) => {
        const bucket = await findBucket(transaction, act.account.seq, params.bucketId);
        const created = await createSubscription(transaction, act, bucket, body);
        return reply(created, act.now);
      },
    }),
    read({
      operationId: "getSubscription",
      path: subscriptionPath,
      area,
      inAccountOfCaller,
      summary: "Read a subscription",
      access: "read",
      response: subscription,
      handle: async ({ reads, act, params }) => {
        const bucket = await findBucket(reads, act.account.seq, params.bucketId);
        return reply(await findSubscription(reads, bucket, params.subscriptionId), act.now);
      },
    }),
    write({
      operationId: "updateSubscription",
      method: "PATCH",
      path: subscriptionPath,
      area,
      inAccountOfCaller,
      summary: "Change a subscription",
      access: "edit",
      body: subscriptionPatch,
      response: subscription,
      problems: ["subscription_exists"],
      handle: async ({ act, params, body, precondition }, transaction) => {
        const bucket = await findBucket(transaction, act.account.seq, params.bucketId);
        const updated = await updateSubscription(transaction, act, bucket, params.subscriptionId, body, precondition);
        return reply(updated, act.now);
      },
    }),
    write({
      operationId: "deleteSubscription",
      method: "DELETE",
      path: subscriptionPath,
      area,
      inAccountOfCaller,
      summary: "Delete a subscription with its usage",
      access: "edit",
      handle: async ({ act, params, precondition }, transaction) => {
        const bucket = await findBucket(transaction, act.account.seq, params.bucketId);
        await deleteSubscription(transaction, act, bucket, params.subscriptionId, precondition);
        return {};
      },
    }),
  ];
}

/** The next reset moves with the time, so the ETag covers the body. */
function reply(found: Subscription, now: number) {
  return { body: presentSubscription(found, now), revision: revisionOf(found, now), composed: true };
}
