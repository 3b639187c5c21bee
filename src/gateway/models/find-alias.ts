import { grantsPermission } from "../../areas/keys/permissions.ts";
import { Problem } from "../../core/problems/problem.ts";
import type { RunningAlias, RunningModels } from "./targets/running-models.ts";

/** Finds an alias. One that the key may not use does not exist for it. */
export function findAlias(
  { aliases }: RunningModels,
  name: string,
  permissions: readonly string[] | undefined,
): RunningAlias {
  const alias = aliases.get(name);
  if (alias && mayUse(alias, permissions)) return alias;
  throw new Problem("model_not_found", {
    detail: `The model ${JSON.stringify(name.slice(0, 200))} does not exist, or the key may not use it.`,
    errors: [{ pointer: "/model", detail: "does not exist, or the key may not use it" }],
  });
}

export function mayUse({ definition }: RunningAlias, permissions: readonly string[] | undefined): boolean {
  const { permission } = definition;
  return permission === undefined || (permissions?.some((granted) => grantsPermission(granted, permission)) ?? false);
}

export function checkOperation({ name, operations }: RunningAlias, operation: string): void {
  if (operations.includes(operation)) return;
  throw new Problem("request_invalid", {
    detail: `The model ${JSON.stringify(name)} does not serve ${operation}; it serves ${operations.join(" and ")}.`,
    errors: [{ pointer: "/model", detail: `serves ${operations.join(" and ")}` }],
  });
}
