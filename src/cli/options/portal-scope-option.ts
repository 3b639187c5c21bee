import { listOption, oneOf } from "../arguments/values.ts";

export const portalScopes = [
  "keys:read",
  "keys:write",
  "usage:read",
  "requests:read",
  "plans:write",
  "invoices:read",
  "people:write",
] as const;

export const scopeOption = {
  scope: listOption("what they may do in the portal; everything by default", oneOf(...portalScopes)),
};
