import type { z } from "zod";
import { isStorable, maxTagConditions, notStorable, tooManyTagConditions } from "../../core/schemas/schemas.ts";
import type { TagFilter } from "./consumer-address.ts";

const prefix = "tag.";

/**
 * Of a `where` in a body: what is none of its fields must be `tag.<name>`, of as many tags as a query may name, and there must
 * be one condition at least.
 */
export function checkConditions(
  where: Record<string, unknown>,
  { fields, of }: { fields: readonly string[]; of: string },
  context: z.RefinementCtx,
): void {
  const reject = (name: string, message: string) => context.addIssue({ code: "custom", message, path: [name] });
  let tags = 0;
  for (const name of Object.keys(where)) {
    if (fields.includes(name)) continue;
    if (++tags > maxTagConditions) {
      reject(name, tooManyTagConditions);
      return;
    }
    if (!name.startsWith(prefix)) reject(name, `is not a filter of ${of}`);
    else if (name === prefix) reject(name, "must name a property: tag.<property>");
    else if (!isStorable(name)) reject(name, notStorable);
  }
  if (Object.values(where).every((value) => value === undefined))
    context.addIssue({ code: "custom", message: "must hold at least one condition" });
}

export function tagsOf(where: Record<string, unknown>): TagFilter {
  return Object.entries(where)
    .filter(([name]) => name.startsWith(prefix))
    .map(([name, value]) => ({ name: name.slice(prefix.length), value: String(value) }));
}
