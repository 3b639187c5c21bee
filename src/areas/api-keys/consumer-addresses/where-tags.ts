import { z } from "zod";
import { isStorable, maxTagConditions, notStorable, tooManyTagConditions } from "../../../core/schemas/schemas.ts";
import { didYouMean } from "../../../lib/text/suggestion.ts";
import type { TagFilter } from "./consumer-address.ts";

const prefix = "tag.";

/**
 * The value of a member that is not a field. `checkConditions` validates it, as it can tell whether the name is that of
 * a tag. It has no type here: generated clients would apply it to the fields too, as an index signature.
 */
export const tagCondition = z.unknown();

/** The members of tags, for the JSON Schema. */
export const tagConditions = { patternProperties: { "^tag\\.": { type: "string" } } };

/**
 * Validates a `where` in a body: members that are not fields must be `tag.<name>`, with the same limit of tags as in a
 * query, and there must be at least one condition.
 */
export function checkConditions(
  where: Record<string, unknown>,
  { fields, things }: { fields: readonly string[]; things: string },
  context: z.RefinementCtx,
): void {
  const reject = (name: string, message: string) => context.addIssue({ code: "custom", message, path: [name] });
  let tags = 0;
  for (const [name, value] of Object.entries(where)) {
    if (fields.includes(name)) continue;
    if (++tags > maxTagConditions) {
      reject(name, tooManyTagConditions);
      return;
    }
    if (!name.startsWith(prefix)) reject(name, `is not a filter of ${things}${didYouMean(name, fields)}`);
    else if (name === prefix) reject(name, "must name a property: tag.<property>");
    else if (typeof value !== "string") reject(name, "must be a string");
    else if (!isStorable(name) || !isStorable(value)) reject(name, notStorable);
  }
  if (Object.values(where).every((value) => value === undefined))
    context.addIssue({ code: "custom", message: "must have at least one condition" });
}

export function tagsOf(where: Record<string, unknown>): TagFilter {
  return Object.entries(where)
    .filter(([name]) => name.startsWith(prefix))
    .map(([name, value]) => ({ name: name.slice(prefix.length), value: String(value) }));
}
