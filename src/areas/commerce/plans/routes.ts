import { routeScope } from "../../../api/endpoint.ts";
import { presentPage } from "../../../api/presented.ts";
import type { Reads } from "../../../platform/storage/storage.ts";
import { inBucket, planPath, plansPath } from "../metering-buckets/in-bucket.ts";
import {
  createPlan,
  deletePlan,
  findPlan,
  listPlans,
  type Plan,
  presentPlan,
  subscribedPlans,
  updatePlan,
} from "./plans.ts";
import { plan, planInput, planPatch, planQuery } from "./schema.ts";

export function planArea() {
  const endpoints = routeScope({ area: "Metering" }, [
    inBucket.list({
      operationId: "listPlans",
      path: plansPath,
      summary: "List plans",
      access: "read",
      query: planQuery,
      item: plan,
      listName: "PlanList",
      handle: async ({ reads, bucket, query }) => {
        const page = await listPlans(reads, bucket, query.planExternalId, query);
        return presentPage(page, (row) => presentPlan(row, page.subscribed.has(row.seq)));
      },
    }),
    inBucket.write({
      operationId: "createPlan",
      method: "POST",
      path: plansPath,
      summary: "Create a plan",
      access: "bill",
      body: planInput,
      response: plan,
      problems: ["plan_exists"],
      handle: async ({ act, bucket, body }, transaction) => {
        const created = await createPlan({ transaction, act, bucket }, body);
        return { body: presentPlan(created, false), revision: created, composed: true };
      },
    }),
    inBucket.read({
      operationId: "getPlan",
      path: planPath,
      summary: "Read a plan",
      access: "read",
      response: plan,
      handle: async ({ reads, bucket, params }) => {
        const found = await findPlan(reads, bucket, params.planId);
        return planReply(reads, found);
      },
    }),
    inBucket.write({
      operationId: "updatePlan",
      method: "PATCH",
      path: planPath,
      summary: "Change a plan",
      description: "Meters apply immediately, also to existing subscriptions. `null` clears an optional field.",
      access: "bill",
      body: planPatch,
      response: plan,
      problems: ["plan_exists"],
      handle: async ({ act, bucket, params, body, precondition }, transaction) => {
        const updated = await updatePlan({ transaction, act, bucket }, params.planId, body, precondition);
        return planReply(transaction, updated);
      },
    }),
    inBucket.remove({
      operationId: "deletePlan",
      path: planPath,
      summary: "Delete a plan",
      access: "bill",
      problems: ["plan_has_subscriptions", "plan_is_scheduled"],
      handle: ({ act, bucket, params, precondition }, transaction) =>
        deletePlan({ transaction, act, bucket }, params.planId, precondition),
    }),
  ]);
  return { endpoints };
}

async function planReply(reads: Reads, plan: Plan) {
  const subscribed = await subscribedPlans(reads, [plan]);
  return { body: presentPlan(plan, subscribed.has(plan.seq)), revision: plan, composed: true };
}
