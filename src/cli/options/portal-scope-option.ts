import type { PortalSessionCreate } from "../../client/index.ts";
import type { Option } from "../arguments/command.ts";
import { listOption, oneOf } from "../arguments/values.ts";

type PortalScope = PortalSessionCreate["scopes"][number];

export const portalScopes = [
  "keys:read",
  "keys:write",
  "usage:read",
  "requests:read",
  "plans:write",
  "invoices:read",
  "people:write",
] as const;

/** `--scope keys:read --scope usage:read`; undefined if absent: everything. */
export function scopesOption(): Option<PortalScope[] | undefined> {
  const { read, ...shape } = listOption(
    "what they may do in the portal; everything by default",
    oneOf(...portalScopes),
  );
  return { ...shape, read: (given) => (given.length === 0 ? undefined : read(given)) };
}
