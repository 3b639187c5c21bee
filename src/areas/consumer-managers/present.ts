import { scopesFrom } from "../../core/portal-scopes.ts";
import { formatDateTime } from "../../lib/time/time.ts";
import type { InviteRow, ManagerRow } from "./store.ts";

export function presentManager(row: ManagerRow) {
  return {
    id: row.id,
    createdOn: formatDateTime(row.created_on),
    ...(row.email === null ? {} : { email: row.email }),
    sub: row.sub,
    ...shownScopes(row),
  };
}

export function presentInvite(row: InviteRow) {
  return {
    id: row.id,
    email: row.email,
    createdOn: formatDateTime(row.created_on),
    expiresOn: formatDateTime(row.expires_on),
    ...shownScopes(row),
  };
}

function shownScopes({ scopes }: { scopes: string | null }) {
  return scopes === null ? {} : { scopes: scopesFrom(scopes) };
}
