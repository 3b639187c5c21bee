import { list, read, routeScope, write } from "../../../api/endpoint.ts";
import { Presented } from "../../../api/presented.ts";
import type { Reads } from "../../../platform/storage/storage.ts";
import { findMeteringBucket } from "../metering-buckets/metering-buckets.ts";
import { planPath, plansPath } from "../metering-buckets/paths.ts";
import { createPlan, deletePlan, findPlan, listPlans, type Plan, subscribedPlans, updatePlan } from "./plans.ts";
import { presentPlan } from "./present-plan.ts";
import { plan, planInput, planPatch, planQuery } from "./schema.ts";

export function planArea() {
  const endpoints = routeScope({ area: "Metering", inAccountOfCaller: true }, [
    list({
      operationId: "listPlans",
      path: plansPath,
      summary: "List plans",
      access: "read",
      query: planQuery,
      item: plan,
      listName: "PlanList",
      handle: async ({ reads, act, params, query }) => {
        const bucket = await findMeteringBucket(reads, act.account.seq, params.bucketId);
        const { data, total, subscribed } = await listPlans(reads, bucket, query.planExternalId, query);
        return { data: Presented.from(data, (row) => presentPlan(row, subscribed.has(row.seq))), total };
      },
    }),
    write({
      operationId: "createPlan",
      method: "POST",
      path: plansPath,
      summary: "Create a plan",
      access: "bill",
      body: planInput,
      response: plan,
      problems: ["plan_exists"],
      handle: async ({ act, params, body }, transaction) => {
        const bucket = await findMeteringBucket(transaction, act.account.seq, params.bucketId);
        const created = await createPlan({ transaction, act, bucket }, body);
        return { body: presentPlan(created, false), revision: created, composed: true };
      },
    }),
    read({
      operationId: "getPlan",
      path: planPath,
      summary: "Read a plan",
      access: "read",
      response: plan,
      handle: async ({ reads, act, params }) => {
        const bucket = await findMeteringBucket(reads, act.account.seq, params.bucketId);
        const found = await findPlan(reads, bucket, params.planId);
        return planReply(reads, found);
      },
    }),
    write({
      operationId: "updatePlan",
      method: "PATCH",
      path: planPath,
      summary: "Change a plan",
      description: "Meters apply immediately, also to existing subscriptions. `null` clears an optional field.",
      access: "bill",
      body: planPatch,
      response: plan,
      problems: ["plan_exists"],
      handle: async ({ act, params, body, precondition }, transaction) => {
        const bucket = await findMeteringBucket(transaction, act.account.seq, params.bucketId);
        const updated = await updatePlan({ transaction, act, bucket }, params.planId, body, precondition);
        return planReply(transaction, updated);
      },
    }),
    write({
      operationId: "deletePlan",
      method: "DELETE",
      path: planPath,
      summary: "Delete a plan",
      access: "bill",
      problems: ["plan_has_subscriptions", "plan_is_scheduled"],
      handle: async ({ act, params, precondition }, transaction) => {
        const bucket = await findMeteringBucket(transaction, act.account.seq, params.bucketId);
        await deletePlan({ transaction, act, bucket }, params.planId, precondition);
        return {};
      },
    }),
  ]);
  return { endpoints };
}

async function planReply(reads: Reads, plan: Plan) {
  const subscribed = await subscribedPlans(reads, [plan]);
  return { body: presentPlan(plan, subscribed.has(plan.seq)), revision: plan, composed: true };
}
