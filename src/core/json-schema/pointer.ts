import { jsonPointer } from "../problems/field-errors.ts";

/** Names are the caller's and up to a megabyte long: each of many errors would repeat them, in the response and in records. */
const longestPointer = 500;

/** The pointer to a part of what a pointer leads to; cut off where it grows too long. */
export function below(pointer: string, part: string | number): string {
  if (pointer.length > longestPointer) return pointer;
  const name = typeof part === "string" ? part.slice(0, longestPointer) : part;
  const whole = pointer + jsonPointer([name]);
  return whole.length > longestPointer ? `${whole.slice(0, longestPointer)}…` : whole;
}
