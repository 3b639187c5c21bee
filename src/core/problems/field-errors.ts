import type { z } from "zod";
import { escapePointer } from "../../lib/text/json-pointer.ts";
import { didYouMean } from "../../lib/text/suggestion.ts";
import type { FieldError } from "./problem.ts";

const readOnlyFields = new Set(["id", "createdOn", "updatedOn", "lastUsedOn", "hasSubscriptions"]);

/** The maximum number of errors in one response. A body of 1 MiB can have 100,000 errors. */
const maxErrors = 100;
/**
 * Options for `safeParse` of what a user wrote. They replace Zod's default messages of bounds, and add to the issue of an
 * unknown member the names of the known ones, because only here its schema is still known.
 */
export const parseOptions = { reportInput: true, error: messageOf };

function messageOf(issue: z.core.$ZodRawIssue): string | undefined {
  switch (issue.code) {
    case "unrecognized_keys":
      return JSON.stringify(membersOf(issue.inst));
    case "invalid_type":
      return issue.expected === "int" ? "must be an integer" : undefined;
    case "too_small":
      return bound(issue, issue.minimum, issue.inclusive ? "at least" : "greater than");
    case "too_big":
      return bound(issue, issue.maximum, issue.inclusive ? "at most" : "less than");
    default:
      return undefined;
  }
}

function membersOf(schema: unknown): string[] {
  const definition = (schema as z.core.$ZodType | undefined)?._zod.def;
  return definition && "shape" in definition ? Object.keys(definition.shape as object) : [];
}

const units: Record<string, string> = { string: "character", array: "item" };

function bound({ origin }: { origin: string }, limit: number | bigint, comparison: string): string {
  const unit = units[origin];
  if (unit === undefined) return `must be ${comparison} ${limit}`;
  if (comparison === "at least" && Number(limit) === 1) return "must not be empty";
  return `must have ${comparison} ${limit} ${unit}${Number(limit) === 1 ? "" : "s"}`;
}

/** Zod's default message for a union. */
const unionMessage = "Invalid input";
/** The beginning of Zod's default message for a wrong type. */
const typeMessage = "Invalid input: expected";
const maxPointerLength = 256;

/** Converts the first 100 Zod issues of a parse with `parseOptions` to errors that name the field. */
export function fieldErrors(issues: readonly z.core.$ZodIssue[], at: (path: PropertyKey[]) => string): FieldError[] {
  const errors: FieldError[] = [];
  const wrongTypes = new Set<string>();
  for (const issue of leavesOf(issues, [])) {
    // A string instead of an array has a length too, which Zod also compares with the limits of the array.
    const place = JSON.stringify(issue.path);
    if (wrongTypes.has(place)) continue;
    if (issue.code === "invalid_type") wrongTypes.add(place);
    for (const { pointer, detail } of describe(issue, at)) {
      errors.push({ pointer: clipped(pointer), detail });
      if (errors.length === maxErrors) return errors;
    }
  }
  return errors;
}

function clipped(pointer: string): string {
  return pointer.length > maxPointerLength ? `${pointer.slice(0, maxPointerLength)}…` : pointer;
}

export function jsonPointer(path: PropertyKey[]): string {
  return path.map((part) => `/${escapePointer(String(part))}`).join("");
}

/** Replaces the issue of a union by those of one of its branches. */
function* leavesOf(issues: readonly z.core.$ZodIssue[], path: PropertyKey[]): Generator<z.core.$ZodIssue> {
  for (const given of issues) {
    const issue = { ...given, path: [...path, ...given.path] };
    const branch = issue.code === "invalid_union" ? intendedBranch(issue) : undefined;
    if (branch) yield* leavesOf(branch, issue.path);
    else yield issue;
  }
}

/** The branch that matched furthest is probably the intended one. Undefined if the union's own message says more. */
function intendedBranch({ errors, message }: z.core.$ZodIssueInvalidUnion): z.core.$ZodIssue[] | undefined {
  const deepest = errors.filter((branch) => branch.length > 0).toSorted((a, b) => depth(b) - depth(a))[0];
  return deepest && depth(deepest) === 0 && message !== unionMessage ? undefined : deepest;
}

function* describe(issue: z.core.$ZodIssue, at: (path: PropertyKey[]) => string): Generator<FieldError> {
  const path = issue.path;
  switch (issue.code) {
    case "unrecognized_keys":
      for (const key of issue.keys) {
        const pointer = at([...path, key]);
        yield { pointer, detail: unknownMember(pointer, key, didYouMean(key, JSON.parse(issue.message))) };
      }
      return;
    case "invalid_key":
      // The name of a member; the issue's own message does not tell what is wrong with it.
      yield { pointer: at(path), detail: issue.issues[0]?.message ?? issue.message };
      return;
    case "invalid_type":
      yield { pointer: at(path), detail: issue.input === undefined ? "is required" : wrongType(issue) };
      return;
    case "invalid_value":
      yield {
        pointer: at(path),
        detail: isMissing(issue) ? `is required, ${oneOf(issue.values)}` : oneOf(issue.values),
      };
      return;
    default:
      yield { pointer: at(path), detail: issue.message };
  }
}

/** A schema of a text may say what the text has to be. */
function wrongType({ expected, message }: z.core.$ZodIssueInvalidType): string {
  return expected === "string" && !message.startsWith(typeMessage) ? message : `must be ${an(expected)}`;
}

/** Only an issue that includes its input can distinguish these cases. */
function isMissing(issue: z.core.$ZodIssue): boolean {
  return "input" in issue && issue.input === undefined;
}

function unknownMember(pointer: string, key: string, known: string): string {
  if (pointer.startsWith("?")) return `is not a parameter of this request${known}`;
  return readOnlyFields.has(key) ? "is read-only" : `is not a field of this request${known}`;
}

function depth(issues: readonly z.core.$ZodIssue[]): number {
  return issues.reduce((max, { path }) => Math.max(max, path.length), 0);
}

function oneOf(values: readonly unknown[]): string {
  return `must be ${values.length > 1 ? "one of " : ""}${values.map((value) => JSON.stringify(value)).join(", ")}`;
}

/** For types that Zod names differently than JSON. */
const words: Record<string, string> = { record: "object", int: "integer" };

function an(kind: string): string {
  const word = words[kind] ?? kind;
  return `${/^[aeiou]/.test(word) ? "an" : "a"} ${word}`;
}
