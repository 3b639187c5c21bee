/** What a manager of a customer may do in a portal. Each scope is checked by the operations that need it. */
export const portalScopes = [
  "keys:read",
  "keys:write",
  "usage:read",
  "requests:read",
  "plans:write",
  "invoices:read",
  "people:write",
] as const;
export type PortalScope = (typeof portalScopes)[number];

/** As they are stored: separated by spaces, and null for all. */
export function storedScopes(scopes: readonly PortalScope[] | null | undefined): string | null {
  const isAll = !scopes || portalScopes.every((scope) => scopes.includes(scope));
  return isAll ? null : portalScopes.filter((scope) => scopes.includes(scope)).join(" ");
}

export function scopesFrom(stored: string | null): PortalScope[] {
  return stored === null ? [...portalScopes] : (stored.split(" ") as PortalScope[]);
}
