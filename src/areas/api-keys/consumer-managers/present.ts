import { scopesFrom } from "../../../core/portal-scopes.ts";
import { formatDateTime } from "../../../lib/time/time.ts";
import type { InviteRow, ManagerRow } from "./store.ts";

export function presentManager(manager: ManagerRow) {
  return {
    id: manager.id,
    createdOn: formatDateTime(manager.created_on),
    ...(manager.email === null ? {} : { email: manager.email }),
    sub: manager.sub,
    ...shownScopes(manager),
  };
}

export function presentInvite(invite: InviteRow) {
  return {
    id: invite.id,
    email: invite.email,
    createdOn: formatDateTime(invite.created_on),
    expiresOn: formatDateTime(invite.expires_on),
    ...shownScopes(invite),
  };
}

function shownScopes({ scopes }: { scopes: string | null }) {
  return scopes === null ? {} : { scopes: scopesFrom(scopes) };
}
