export interface FieldChange {
  /** A JSON pointer into the resource; empty for all of it. */
  pointer: string;
  before?: unknown;
  after?: unknown;
}

/** Changes with every update, and adds nothing to the entry's time. */
const ignored = new Set(["updatedOn"]);

/** What differs between two snapshots, member by member; one that is missing makes the other a whole. */
export function differences(before: object | undefined, after: object | undefined): FieldChange[] {
  if (!before && !after) return [];
  if (!before || !after) return [{ pointer: "", ...(before ? { before } : { after }) }];
  const changes: FieldChange[] = [];
  compare("", before, after, changes);
  return changes;
}

function compare(pointer: string, before: object, after: object, changes: FieldChange[]): void {
  for (const name of new Set([...Object.keys(before), ...Object.keys(after)])) {
    if (pointer === "" && ignored.has(name)) continue;
    const old = Object.hasOwn(before, name) ? before[name as keyof typeof before] : undefined;
    const now = Object.hasOwn(after, name) ? after[name as keyof typeof after] : undefined;
    const path = `${pointer}/${name.replaceAll("~", "~0").replaceAll("/", "~1")}`;
    if (isPlain(old) && isPlain(now)) compare(path, old, now, changes);
    else if (JSON.stringify(old) !== JSON.stringify(now)) {
      changes.push({
        pointer: path,
        ...(old === undefined ? {} : { before: old }),
        ...(now === undefined ? {} : { after: now }),
      });
    }
  }
}

function isPlain(value: unknown): value is object {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
