import type { HttpResponse } from "../../../platform/http1/message/http-response.ts";
import type { Policy, RequestContext } from "../../exchange/policy.ts";
import { reject } from "../../exchange/rejection.ts";
import { fillQueryValue, PathTemplate } from "../path-template/path-template.ts";
import type { RewriteOptions } from "./schema.ts";

/** Changes the path and query that the target gets. */
export class RewritePolicy implements Policy {
  readonly #path: PathTemplate | undefined;
  readonly #set: [name: string, value: string][];
  readonly #removed: Set<string>;

  constructor({ path, query }: RewriteOptions) {
    this.#path = path === undefined ? undefined : new PathTemplate(path);
    this.#set = Object.entries(query?.set ?? {});
    this.#removed = new Set([...(query?.remove ?? []), ...this.#set.map(([name]) => name)]);
  }

  enter(context: RequestContext): HttpResponse | undefined {
    if (this.#path) {
      const path = this.#path.fill(context);
      if (path === undefined)
        return reject(context, "malformed_path", {
          detail: "A parameter would change the structure of the path.",
          decision: { reason: "dot_segments" },
        });
      context.path = path;
    }
    if (this.#removed.size > 0) context.query = this.#queryOf(context);
    return undefined;
  }

  /** Parameters that are neither set nor removed are unchanged. */
  #queryOf({ query, params }: RequestContext): string {
    const kept = query === "" ? [] : query.split("&").filter((pair) => !this.#removed.has(nameOf(pair)));
    const set = this.#set.map(([name, value]) => `${encodeURIComponent(name)}=${fillQueryValue(value, params)}`);
    return [...kept, ...set].join("&");
  }
}

/** Decoded like upstreams do: another spelling of a removed name must not pass. */
function nameOf(pair: string): string {
  const name = pair.split("=", 1)[0]!.replaceAll("+", " ");
  try {
    return decodeURIComponent(name);
  } catch {
    return name;
  }
}
