import { jsonPointer } from "../../../http/issues.ts";
import type { FieldError } from "../../../problems/problem.ts";
import type { ErrorObject } from "./json-schema.ts";

/** What is wrong, below the place at which the checked value stands. */
export function describe(error: ErrorObject, place: string): FieldError {
  const { keyword, params, instancePath, message = "is not as it should be" } = error;
  const pointer = place + instancePath;
  switch (keyword) {
    case "required":
      return { pointer: pointer + jsonPointer([params.missingProperty]), detail: "is required" };
    case "additionalProperties":
      return { pointer: pointer + jsonPointer([params.additionalProperty]), detail: "is not known here" };
    case "unevaluatedProperties":
      return { pointer: pointer + jsonPointer([params.unevaluatedProperty]), detail: "is not known here" };
    case "enum":
      return { pointer, detail: `must be one of ${(params.allowedValues as unknown[]).map(show).join(", ")}` };
    case "const":
      return { pointer, detail: `must be ${show(params.allowedValue)}` };
    default:
      return { pointer, detail: message };
  }
}

function show(value: unknown): string {
  return JSON.stringify(value);
}
