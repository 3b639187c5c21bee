import { formatDateTime } from "../../lib/time/time.ts";
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
    role: row.role as "admin" | "editor" | "reader" | "verifier",
    createdOn: formatDateTime(row.created_on),
    ...(row.name === null ? {} : { name: row.name }),
    ...(row.expires_on === null ? {} : { expiresOn: formatDateTime(row.expires_on) }),
    ...(lastUsedOn === 0 ? {} : { lastUsedOn: formatDateTime(lastUsedOn) }),
  };
}
