import type { Caller, ProjectRole, Role, TokenRole } from "../../../core/access.ts";
import { formatDateTime } from "../../../lib/time/time.ts";
import { exchangedScopeOf } from "./exchanged-scope.ts";
import type { AccountRow, TokenRow } from "./store.ts";

export function presentAccount(account: Omit<AccountRow, "seq">) {
  return {
    id: account.id,
    name: account.name,
    createdOn: formatDateTime(account.created_on),
    updatedOn: formatDateTime(account.updated_on),
  };
}

export function presentToken(token: Omit<TokenRow, "seq">, usedOn: number | undefined) {
  const lastUsedOn = Math.max(usedOn ?? 0, token.last_used_on ?? 0);
  return {
    id: token.id,
    role: token.role as TokenRole,
    createdOn: formatDateTime(token.created_on),
    ...(token.name === null ? {} : { name: token.name }),
    ...(token.created_by === null ? {} : { createdBy: token.created_by }),
    ...(token.expires_on === null ? {} : { expiresOn: formatDateTime(token.expires_on) }),
    ...exchangedScopeOf(token),
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
