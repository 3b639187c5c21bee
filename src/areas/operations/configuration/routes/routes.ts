import { type AreaContext, areaOf } from "../../../../api/area.ts";
import { read, write } from "../../../../api/endpoint.ts";
import { allows } from "../../../../core/access.ts";
import { Problem } from "../../../../core/problems/problem.ts";
import { formatDateTime } from "../../../../lib/time/time.ts";
import { Configurations, removeExpiredInputs, type StoredPlan } from "../apply/configurations.ts";
import { applyRequest, type ConfigurationPlan, configurationDump, configurationPlan, planRequest } from "../schema.ts";

const configurationPath = "/v1/accounts/{accountName}/configuration";

export function configurationArea(
  { storage, clock, keyring }: AreaContext,
  options: Omit<ConstructorParameters<typeof Configurations>[0], "storage" | "keyring">,
) {
  const configurations = new Configurations({ ...options, storage, keyring });
  const operations = [
    read({
      operationId: "getConfiguration",
      path: configurationPath,
      summary: "Read the configuration of an account",
      description:
        "Secrets are references to environment variables of the same name. Consumers, keys, subscriptions and tokens are not " +
        "part of it, nor are webhooks and metering buckets without a name. Exports are part of it for admins.",
      access: "read",
      isMasked: true,
      response: configurationDump,
      handle: async ({ reads, account, caller }) => ({
        body: await configurations.dump(reads, account, caller.role),
      }),
    }),
    write({
      operationId: "planConfiguration",
      method: "POST",
      path: `${configurationPath}/$plan`,
      summary: "Plan the changes that make an account match a configuration",
      description:
        "Changes nothing. The plan is valid once, for 15 minutes, and as long as the resources in its steps do not change. " +
        "Each step needs the role of the corresponding single operation. Nothing is forced: to delete a bucket that is not " +
        "empty or a plan with subscriptions is an error of the plan.",
      access: "read",
      notForAssistants: "A plan is applied by its id, which does not show what it changes.",
      body: planRequest,
      response: configurationPlan,
      problems: ["configuration_conflict"],
      examples: {
        request: {
          configuration: { version: 1, keyBuckets: { production: { keyPrefix: "acme" } } },
          as: "shop",
          prune: true,
        },
      },
      before: ({ reads, act, caller, body }) => {
        // A plan shows whether a given secret is the stored one.
        if (Object.keys(body.secrets ?? {}).length > 0 && !allows("edit", caller.role))
          throw new Problem("forbidden", { detail: "A plan with values of secrets needs the role editor." });
        return configurations.prepare(reads, act, caller.role, body);
      },
      handle: async ({ act, body }, transaction, prepared) => ({
        body: presentApplyPlan(await configurations.store(transaction, act, body, prepared), act.now),
      }),
    }),
    read({
      operationId: "getConfigurationPlan",
      path: `${configurationPath}/plans/{configurationPlanId}`,
      summary: "Read a plan",
      description: "The newest 100 plans of an account are kept.",
      access: "read",
      response: configurationPlan,
      handle: async ({ reads, account, caller, act, params }) => {
        const plan = await configurations.find(reads, account.seq, caller.role, params.configurationPlanId);
        return { body: presentApplyPlan(plan, act.now) };
      },
    }),
    write({
      operationId: "applyConfiguration",
      method: "POST",
      path: `${configurationPath}/$apply`,
      summary: "Apply a plan",
      description: "All steps in one transaction, or none.",
      access: "edit",
      notForAssistants: "The id of a plan does not show what it changes.",
      body: applyRequest,
      response: configurationPlan,
      problems: ["configuration_changed", "configuration_plan_applied", "configuration_plan_expired"],
      handle: async ({ act, caller, body }, transaction) => ({
        body: presentApplyPlan(await configurations.apply(transaction, act, caller.role, body.planId), act.now),
      }),
    }),
  ];
  return areaOf(
    {
      Configuration:
        "An account's buckets, plans, portals, webhooks, domains, variables, exports and billing settings as one document, planned and applied as a whole.",
    },
    operations,
    { removals: [(signal) => removeExpiredInputs(storage, clock.now(), signal)] },
  );
}

function presentApplyPlan(plan: StoredPlan, now: number): ConfigurationPlan {
  return {
    planId: plan.id,
    status: plan.applied_on !== null ? "applied" : now >= plan.expires_on ? "expired" : "planned",
    ...(plan.owner === null ? {} : { as: plan.owner }),
    prune: plan.is_pruning === 1,
    steps: JSON.parse(plan.steps),
    createdOn: formatDateTime(plan.created_on),
    expiresOn: formatDateTime(plan.expires_on),
    ...(plan.applied_on === null ? {} : { appliedOn: formatDateTime(plan.applied_on) }),
  };
}
