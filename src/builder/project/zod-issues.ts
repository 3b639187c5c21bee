import type { z } from "zod";
import { parseOptions } from "../../core/problems/field-errors.ts";
import { didYouMean } from "../../lib/text/suggestion.ts";
import type { Located } from "../documents/located.ts";
import type { Path } from "../documents/source-document.ts";

/**
 * Parses a value of a document with a schema. Returns undefined and reports errors at their positions if it is invalid.
 */
export function readWith<Schema extends z.ZodType>(schema: Schema, value: Located): z.output<Schema> | undefined {
  const result = schema.safeParse(value.value, parseOptions);
  if (result.success) return result.data;
  for (const issue of result.error.issues) report(issue, value);
  return undefined;
}

function report(issue: z.core.$ZodIssue, root: Located): void {
  const path = issue.path as Path;
  const value = root.descendant(path);
  const depth = value.path.length - root.path.length;
  if (depth < path.length) {
    value.error(`"${String(path[depth])}" is missing`);
  } else if (issue.code === "unrecognized_keys") {
    for (const name of issue.keys) {
      value.member(name)?.keyError(`unknown member "${name}"${didYouMean(name, JSON.parse(issue.message))}`);
    }
  } else if (issue.code === "invalid_union" && closestBranch(issue).length > 0) {
    for (const inner of closestBranch(issue)) report({ ...inner, path: [...path, ...inner.path] }, root);
  } else if (issue.code === "invalid_key") {
    value.keyError(`"${value.name}" ${issue.issues[0]?.message ?? issue.message}`);
  } else {
    value.error(path.length > 0 ? `"${path.join(".")}" ${describe(issue)}` : describe(issue));
  }
}

/** The intended branch of a union: the one that matches partially. */
function closestBranch({ errors }: z.core.$ZodIssueInvalidUnion): z.core.$ZodIssue[] {
  const isInside = (branch: z.core.$ZodIssue[]) => branch.length > 0 && branch.every(({ path }) => path.length > 0);
  // The type matches, and the value is invalid as a whole: an unknown member, or a text of another form.
  const isOfType = (branch: z.core.$ZodIssue[]) =>
    branch.length > 0 &&
    branch.every(({ code, path }) => path.length > 0 || (code !== "invalid_type" && code !== "invalid_value"));
  return errors.find(isInside) ?? errors.find(isOfType) ?? [];
}

function describe(issue: z.core.$ZodIssue): string {
  if (issue.code === "invalid_type")
    return issue.message.replace(/^Invalid input: expected (\w+).*$/, "must be of type $1");
  if (issue.code === "invalid_value") {
    const values = issue.values.map((value) => JSON.stringify(value));
    return values.length > 3 ? `must be one of ${values.join(", ")}` : `must be ${values.join(" or ")}`;
  }
  return issue.message;
}
