import type { z } from "zod";
import type { FieldError } from "./problem.ts";

const readOnlyFields = new Set(["id", "createdOn", "updatedOn"]);

/** Converts Zod issues to errors that name the field. */
export function fieldErrors(issues: readonly z.core.$ZodIssue[], at: (path: PropertyKey[]) => string): FieldError[] {
  return issues.flatMap((issue) => describe(issue, at)).slice(0, 100);
}

export function jsonPointer(path: PropertyKey[]): string {
  return path.map((part) => `/${String(part).replaceAll("~", "~0").replaceAll("/", "~1")}`).join("");
}

function describe(issue: z.core.$ZodIssue, at: (path: PropertyKey[]) => string): FieldError[] {
  const path = issue.path;
  switch (issue.code) {
    case "unrecognized_keys":
      return issue.keys.map((key) => ({
        pointer: at([...path, key]),
        detail: readOnlyFields.has(key) ? "is read-only" : "is not a field of this request",
      }));
    case "invalid_union": {
      // The branch that matched furthest is probably the intended one.
      const branches = issue.errors.filter((branch) => branch.length > 0);
      const deepest = branches.toSorted((a, b) => depth(b) - depth(a))[0];
      if (!deepest || depth(deepest) === 0) return [{ pointer: at(path), detail: issue.message }];
      return deepest.flatMap((inner) => describe({ ...inner, path: [...path, ...inner.path] }, at));
    }
    case "invalid_type":
      return [
        { pointer: at(path), detail: issue.input === undefined ? "is required" : `must be ${an(issue.expected)}` },
      ];
    case "invalid_value":
      return [{ pointer: at(path), detail: oneOf(issue.values) }];
    default:
      return [{ pointer: at(path), detail: issue.message }];
  }
}

function depth(issues: readonly z.core.$ZodIssue[]): number {
  return Math.max(...issues.map((issue) => issue.path.length));
}

function oneOf(values: readonly unknown[]): string {
  return `must be ${values.length > 1 ? "one of " : ""}${values.map((value) => JSON.stringify(value)).join(", ")}`;
}

function an(kind: string): string {
  const word = kind === "record" ? "object" : kind;
  return `${/^[aeiou]/.test(word) ? "an" : "a"} ${word}`;
}
