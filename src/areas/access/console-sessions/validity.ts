import type { Caller } from "../../../core/access.ts";
import type { Reads } from "../../../platform/storage/storage.ts";
import { isTokenValid } from "../accounts/tokens.ts";
import { personMayContinue } from "./store.ts";

/**
 * Whether a caller may continue to read a stream: the token is valid, or the person's session and role are unchanged.
 * Storage is queried, so the result holds for all nodes.
 */
export async function isCallerValid(reads: Reads, caller: Caller, now: number): Promise<boolean> {
  const { type, session, account, role, projects } = caller;
  if (type !== "person") return isTokenValid(reads, caller, now);
  if (session === undefined || account === undefined) return false;
  const stored = projects ? JSON.stringify(projects) : null;
  return personMayContinue(reads, { session, accountSeq: account.seq, role, projects: stored, now });
}
