import { grants } from "../../../areas/keys/permissions.ts";
import type { HttpResponse } from "../../../platform/http1/http-response.ts";
import type { Policy, RequestContext } from "../../policy.ts";
import { reject } from "../../rejection.ts";
import type { PermissionOptions } from "./schema.ts";

/** For the record of the request. */
function ownerOf({ user, keyId }: RequestContext): { consumer?: string; keyId?: string } {
  return { ...(user && { consumer: user.sub }), ...(keyId !== undefined && { keyId }) };
}

/** Passes requests whose key has a permission. A request of nobody has none. */
export class PermissionPolicy implements Policy {
  readonly #permission: string;

  constructor({ permission }: PermissionOptions) {
    this.#permission = permission;
  }

  enter(context: RequestContext): HttpResponse | undefined {
    const { permissions } = context;
    if (permissions)
      for (let index = 0; index < permissions.length; index++)
        if (grants(permissions[index]!, this.#permission)) return undefined;
    return reject(context, "permission_missing", {
      decision: { reason: "missing", permission: this.#permission, ...ownerOf(context) },
    });
  }
}
