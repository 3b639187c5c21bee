import { isJsonObject } from "../../lib/text/json-object.ts";
import { escapePointer } from "../../lib/text/json-pointer.ts";
export interface FieldChange {
  /** A JSON pointer into the resource. Empty for the whole resource. */
  pointer: string;
  before?: unknown;
  after?: unknown;
}

/** Members that change with every update and add nothing to the entry's time. */
const ignored = new Set(["updatedOn"]);

/**
 * Returns the differences between two snapshots, member by member. If one is missing, the other is one difference as a
 * whole.
 */
export function differences(before: object | undefined, after: object | undefined): FieldChange[] {
  if (!before && !after) return [];
  if (!before) return [{ pointer: "", after }];
  if (!after) return [{ pointer: "", before }];
  const changes: FieldChange[] = [];
  compare("", before, after, changes);
  return changes;
}

function compare(pointer: string, before: object, after: object, changes: FieldChange[]): void {
  for (const name of new Set([...Object.keys(before), ...Object.keys(after)])) {
    if (pointer === "" && ignored.has(name)) continue;
    const old = Object.hasOwn(before, name) ? before[name as keyof typeof before] : undefined;
    const now = Object.hasOwn(after, name) ? after[name as keyof typeof after] : undefined;
    const path = `${pointer}/${escapePointer(name)}`;
    if (isJsonObject(old) && isJsonObject(now)) compare(path, old, now, changes);
    else if (JSON.stringify(old) !== JSON.stringify(now)) {
      changes.push({
        pointer: path,
        ...(old === undefined ? {} : { before: old }),
        ...(now === undefined ? {} : { after: now }),
      });
    }
  }
}
