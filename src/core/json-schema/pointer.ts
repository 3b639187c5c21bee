import { jsonPointer } from "../problems/field-errors.ts";

/**
 * Clients choose names, which may be a megabyte long. Each of many errors would repeat them in the response and in
 * records.
 */
const maxPointerLength = 500;

/** Returns the pointer to a member of the value at a pointer. Truncated if it becomes too long. */
export function below(pointer: string, part: string | number): string {
  if (pointer.length > maxPointerLength) return pointer;
  const name = typeof part === "string" ? part.slice(0, maxPointerLength) : part;
  const whole = pointer + jsonPointer([name]);
  return whole.length > maxPointerLength ? `${whole.slice(0, maxPointerLength)}…` : whole;
}
