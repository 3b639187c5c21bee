import type { Caller, ProjectRole, Role, TokenRole } from "../../core/access.ts";
import { formatDateTime } from "../../lib/time/time.ts";
import { exchangedScopeOf } from "./exchanged-scope.ts";
import type { AccountRow, TokenRow } from "./store.ts";

export function presentAccount(row: Omit<AccountRow, "seq">) {
  return {
    id: row.id,
    name: row.name,
    createdOn: formatDateTime(row.created_on),
    updatedOn: formatDateTime(row.updated_on),
  };
}

export function presentToken(row: Omit<TokenRow, "seq">, usedOn: number | undefined) {
  const lastUsedOn = Math.max(usedOn ?? 0, row.last_used_on ?? 0);
  return {
    id: row.id,
    role: row.role as TokenRole,
    createdOn: formatDateTime(row.created_on),
    ...(row.name === null ? {} : { name: row.name }),
    ...(row.created_by === null ? {} : { createdBy: row.created_by }),
    ...(row.expires_on === null ? {} : { expiresOn: formatDateTime(row.expires_on) }),
    ...exchangedScopeOf(row),
    ...(lastUsedOn === 0 ? {} : { lastUsedOn: formatDateTime(lastUsedOn) }),
  };
}

export function presentCaller({ id, role, account, email, name, projects, scope, memberships }: Caller) {
  return {
    sub: id,
    // Managers of customers use portals, not the management API.
    role: role as Exclude<Role, "manager">,
    ...(account ? { account: account.name } : {}),
    ...(!memberships && limitedTo(projects)),
    ...(scope && {
      environments: [...scope.environments],
      ...(scope.branch !== undefined && { branch: scope.branch }),
    }),
    ...(memberships && {
      type: "person" as const,
      email,
      ...(name === email ? {} : { name }),
      ...limitedTo(projects),
      accounts: memberships.map((each) => ({
        account: each.account.name,
        role: each.role,
        ...limitedTo(each.projects),
      })),
    }),
  };
}

function limitedTo(projects: readonly ProjectRole[] | undefined) {
  return projects ? { projects: [...projects] } : {};
}
