import { isStorable } from "../../../../core/schemas/schemas.ts";
import { type Amount, amountOf, maxAmount } from "../../../../lib/amount.ts";
import { escapePointer } from "../../../../lib/text/json-pointer.ts";
import { parseDateTime } from "../../../../lib/time/time.ts";

/** The error of an event, and its position. */
export interface EventError {
  pointer: string;
  detail: string;
}

export interface UsageEvent {
  index: number;
  id: string;
  source: string;
  subject: string;
  time: number;
  amounts: Map<string, Amount>;
}

const maxTextLength = 512;

/** Periods of events between these begin and end in the years 0 to 9999, so their usage can be read. */
const earliest = Date.parse("0001-01-01T00:00:00Z");
const latest = Date.parse("9999-01-01T00:00:00Z");

/** Returns the event, or its error. */
export function readEvent(item: unknown, index: number, now: number): UsageEvent | EventError {
  if (typeof item !== "object" || item === null || Array.isArray(item))
    return { pointer: "", detail: "must be an object" };
  const { specversion, id, source, type, subject, time, data } = item as Record<string, unknown>;
  if (specversion !== "1.0") return { pointer: "/specversion", detail: 'must be "1.0"' };
  for (const [name, value] of Object.entries({ id, source, type, subject })) {
    if (value === undefined) return { pointer: `/${name}`, detail: "is required" };
    if (typeof value !== "string" || value === "" || value.length > maxTextLength || !isStorable(value))
      return { pointer: `/${name}`, detail: `must be text of 1 to ${maxTextLength} characters, none of them NUL` };
  }
  // Some encoders write attributes that are unset as null.
  const at = time === undefined || time === null ? now : typeof time === "string" ? parseDateTime(time) : undefined;
  if (at === undefined) return { pointer: "/time", detail: "must be an RFC 3339 date-time" };
  if (at < earliest || at >= latest) return { pointer: "/time", detail: "must be in the years 1 to 9998" };
  const amounts = readAmounts(data);
  if ("detail" in amounts) return amounts;
  return { index, id: id as string, source: source as string, subject: subject as string, time: at, amounts };
}

function readAmounts(data: unknown): Map<string, Amount> | EventError {
  if (typeof data !== "object" || data === null || Array.isArray(data))
    return { pointer: "/data", detail: "must be an object of meters" };
  const amounts = new Map<string, Amount>();
  // Without the pairs of Object.entries: an event may have a thousand meters. A parsed object inherits no enumerable members.
  for (const meter in data) {
    const value = (data as Record<string, unknown>)[meter];
    const amount = typeof value === "number" ? amountOf(value) : undefined;
    if (amount === undefined || amount <= 0n)
      return meterError(meter, `must be a number greater than 0 and at most ${maxAmount}, with at most 9 decimals`);
    amounts.set(meter, amount);
  }
  return amounts.size === 0 ? { pointer: "/data", detail: "must name at least one meter" } : amounts;
}

export function meterError(meter: string, detail: string): EventError {
  return { pointer: `/data/${escapePointer(meter.slice(0, 64))}`, detail };
}
