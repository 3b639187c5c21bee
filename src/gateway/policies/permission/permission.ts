import { grants } from "../../../areas/keys/permissions.ts";
import type { HttpResponse } from "../../../platform/http1/http-response.ts";
import type { Passage, Policy } from "../../policy.ts";
import { refuse } from "../../refusal.ts";
import type { PermissionOptions } from "./schema.ts";

/** Passes requests whose key has a permission. A request of nobody has none. */
export class PermissionPolicy implements Policy {
  readonly #permission: string;

  constructor({ permission }: PermissionOptions) {
    this.#permission = permission;
  }

  enter(passage: Passage): HttpResponse | undefined {
    const { permissions } = passage;
    if (permissions)
      for (let index = 0; index < permissions.length; index++)
        if (grants(permissions[index]!, this.#permission)) return undefined;
    return refuse(passage, "permission_missing");
  }
}
