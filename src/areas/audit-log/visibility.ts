import { type Access, allows, type Role } from "../../core/access.ts";
import type { ListedEntry } from "./audit-log.ts";

/** Types of resources that not everyone with access to the log may read, with the access that their own endpoints need. */
const neededAccess: Record<string, Access> = {
  token: "administer",
  member: "administer",
  session: "administer",
  "trusted-issuer": "administer",
};

/** The types of resources whose entries the role may not read. */
export function hiddenTypesOf(role: Role): string[] {
  return Object.keys(neededAccess).filter((type) => !allows(neededAccess[type]!, role));
}

/** Removes the packs of a role that may not read all entries: a pack contains the entries beside this one. */
export function withoutPacks(entries: ListedEntry[]): ListedEntry[] {
  return entries.map((entry) => {
    if (entry.seal?.pack === undefined) return entry;
    const { pack: _, ...seal } = entry.seal;
    return { ...entry, seal };
  });
}
