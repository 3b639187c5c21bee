import type { JsonMember, JsonValue } from "./parse-json.ts";

/** Replaces `bytes[start]` to `bytes[end - 1]`. An insertion has `start` equal to `end`. */
export interface JsonEdit {
  start: number;
  end: number;
  /** JSON, not a text that needs escaping. */
  json: string;
}

export function memberOf({ members }: JsonValue, name: string): JsonMember | undefined {
  if (members) for (const member of members) if (member.name.text === name) return member;
  return undefined;
}

/** The value of a member; undefined if it is absent or null. */
export function presentValue(object: JsonValue, name: string): JsonValue | undefined {
  const value = memberOf(object, name)?.value;
  return value === undefined || value.kind === "null" ? undefined : value;
}

/** The text of a string, or the number of a number. */
export function scalarOf(bytes: Buffer, { start, end }: JsonValue): unknown {
  return JSON.parse(bytes.toString("utf8", start, end));
}

/** Longer texts are none that a rule knows, and take time to decode. */
const maxTextBytes = 2_048;

/** The text of a member that is a string, of a long one its begin; undefined if it is not. */
export function textOf(bytes: Buffer, object: JsonValue, name: string): string | undefined {
  const value = memberOf(object, name)?.value;
  if (value?.kind !== "string") return undefined;
  const { start, end } = value;
  return end - start > maxTextBytes
    ? bytes.toString("latin1", start + 1, start + maxTextBytes)
    : (scalarOf(bytes, value) as string);
}

/** Sets a member of an object: replaces its value, or inserts it as the first member. */
export function setMember(object: JsonValue, name: string, json: string): JsonEdit {
  const member = memberOf(object, name);
  if (member) return { start: member.value.start, end: member.value.end, json };
  const at = object.start + 1;
  return { start: at, end: at, json: `${JSON.stringify(name)}:${json}${object.count === 0 ? "" : ","}` };
}

/** Removes a member of an object that has more than one. Members next to each other need one edit each. */
export function removeMember({ members = [] }: JsonValue, name: string): JsonEdit[] {
  const index = members.findIndex((member) => member.name.text === name);
  const [before, member, after] = [members[index - 1], members[index], members[index + 1]];
  if (!member) return [];
  if (after) return [{ start: member.start, end: after.start, json: "" }];
  return [{ start: before?.value.end ?? member.start, end: member.value.end, json: "" }];
}

/** Applies edits that do not overlap. Insertions at the same place are written in their order. */
export function applyEdits(bytes: Buffer, edits: readonly JsonEdit[]): Buffer {
  if (edits.length === 0) return bytes;
  const inOrder = [...edits].sort((one, other) => one.start - other.start || one.end - other.end);
  let length = bytes.length;
  for (const { start, end, json } of inOrder) length += Buffer.byteLength(json) - (end - start);
  const result = Buffer.allocUnsafe(length);
  let read = 0;
  let written = 0;
  for (const { start, end, json } of inOrder) {
    written += bytes.copy(result, written, read, start);
    written += result.write(json, written);
    read = end;
  }
  bytes.copy(result, written, read);
  return result;
}
