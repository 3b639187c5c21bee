import { grantsPermission } from "../../../areas/api-keys/keys/permissions.ts";
import type { DecisionDetail } from "../../../areas/insight/request-log/request-record.ts";
import type { HttpResponse } from "../../../platform/http1/message/http-response.ts";
import type { Policy, RequestContext } from "../../exchange/policy.ts";
import { reject } from "../../exchange/rejection.ts";
import type { PermissionOptions } from "./schema.ts";

/** Passes requests whose key has a permission. A request without a key has none. */
export class PermissionPolicy implements Policy {
  readonly #permission: string;

  constructor({ permission }: PermissionOptions) {
    this.#permission = permission;
  }

  enter(context: RequestContext): HttpResponse | undefined {
    const { permissions } = context;
    if (permissions)
      for (let index = 0; index < permissions.length; index++)
        if (grantsPermission(permissions[index]!, this.#permission)) return undefined;
    return reject(context, "permission_missing", {
      decision: this.#detailOf(context),
      // Tells an OAuth client which permission to ask its user for (RFC 6750, 3.1).
      ...(context.client !== undefined && {
        headers: { "www-authenticate": `Bearer error="insufficient_scope", scope="${this.#permission}"` },
      }),
    });
  }

  #detailOf({ keyId, user, permissions }: RequestContext): DecisionDetail {
    if (keyId === undefined) return { reason: "anonymous", permission: this.#permission };
    const detail: DecisionDetail = { reason: "missing", permission: this.#permission, keyId };
    if (user) detail.consumer = user.sub;
    if (permissions) detail.permissions = [...permissions];
    return detail;
  }
}
