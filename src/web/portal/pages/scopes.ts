import type { PortalSession } from "../../../client/transport/portal-schema.gen.ts";

export type PortalScope = PortalSession["scopes"][number];

/** What a person may do, in the order of the form. */
export const scopeLabels: Record<PortalScope, string> = {
  "keys:read": "See keys",
  "keys:write": "Create, roll and delete keys",
  "usage:read": "See usage",
  "requests:read": "See requests",
  "plans:write": "Choose and cancel plans, and pay",
  "invoices:read": "See invoices and billing details",
  "people:write": "Invite and remove people",
};

export const allScopes = Object.keys(scopeLabels) as PortalScope[];

export function describeScopes(scopes: readonly PortalScope[]): string {
  if (allScopes.every((scope) => scopes.includes(scope))) return "Everything";
  return scopes.map((scope) => scopeLabels[scope]).join(", ");
}
