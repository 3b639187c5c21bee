import type { AccountReference } from "../../../core/access.ts";
import type { Paging } from "../../../lib/paging.ts";
import { pageOf } from "../../../platform/storage/query.ts";
import type { Reads, WriteTransaction } from "../../../platform/storage/storage.ts";
import type { RowOf } from "../../../platform/storage/tables.ts";

export type ConsoleSessionRow = RowOf<"sessions">;

export function findConsoleSession(
  reads: Reads,
  owner: SessionOwner,
  id: string,
): Promise<ConsoleSessionRow | undefined> {
  const [condition, parameters] = ownedBy(owner);
  return reads.one(`SELECT sessions.* FROM sessions WHERE ${condition} AND sessions.id = ?`, [...parameters, id]);
}

/** A session with its owner's name. */
export interface NamedSessionRow extends ConsoleSessionRow {
  token_name: string | null;
  person_email: string | null;
}

/** A token or a person, or an account. With `limitedTo`, only sessions that are valid in that account alone. */
type SessionOwner = { ownerId: string; limitedTo?: number | undefined } | { accountSeq: number };

/**
 * The sessions that are valid in an account: those that are valid in it alone, and those of active members that are valid
 * in all of their accounts. Roles of a claim count only in sessions of the provider.
 */
const ofAccount = `(sessions.account_seq = ? OR (sessions.account_seq IS NULL AND sessions.person_seq IN (
  SELECT person_seq FROM members WHERE members.account_seq = ? AND members.state = 'active'
    AND (members.source <> 'claim' OR sessions.method = 'oidc')
))) AND ${hasNotEnded("?")}`;

/** Whether a session has not ended in an account. */
function hasNotEnded(accountSeq: string): string {
  return `(sessions.ended_in IS NULL OR sessions.ended_in NOT LIKE '%,' || ${accountSeq} || ',%')`;
}

function ownedBy(owner: SessionOwner): [condition: string, parameters: (string | number)[]] {
  if ("accountSeq" in owner) return [ofAccount, [owner.accountSeq, owner.accountSeq, String(owner.accountSeq)]];
  const { ownerId, limitedTo } = owner;
  return limitedTo === undefined
    ? ["sessions.token_id = ?", [ownerId]]
    : ["sessions.token_id = ? AND sessions.account_seq = ?", [ownerId, limitedTo]];
}

/** Sessions that have not ended, in the order of creation. */
export async function listSessions(reads: Reads, owner: SessionOwner, { now, usedAfter }: Live, paging: Paging) {
  const [condition, parameters] = ownedBy(owner);
  const where = `WHERE ${condition} AND sessions.expires_on > ? AND sessions.last_used_on > ?`;
  const all = [...parameters, now, usedAfter];
  const query = `SELECT sessions.*, tokens.name AS token_name, people.email AS person_email FROM sessions
      LEFT JOIN tokens ON tokens.seq = sessions.token_seq LEFT JOIN people ON people.seq = sessions.person_seq
      ${where} ORDER BY sessions.seq`;
  return pageOf<NamedSessionRow>(reads, query, `FROM sessions ${where}`, all, paging);
}

/** The sessions of a person that are valid in the account, also if they are no longer a member of it. */
export function sessionsOfPerson(reads: Reads, personSeq: number, accountSeq: number): Promise<ConsoleSessionRow[]> {
  return reads.all(
    `SELECT * FROM sessions WHERE person_seq = ? AND (account_seq = ? OR account_seq IS NULL)
      AND ${hasNotEnded("?")} ORDER BY seq`,
    [personSeq, accountSeq, String(accountSeq)],
  );
}

/** The session is no longer valid in the account. */
export async function endSessionIn(transaction: WriteTransaction, { seq }: ConsoleSessionRow, accountSeq: number) {
  await transaction.run("UPDATE sessions SET ended_in = coalesce(ended_in, ',') || ? WHERE seq = ?", [
    `${accountSeq},`,
    seq,
  ]);
}

/** The accounts that a session is valid for, also if it was just removed. */
export function accountsOf(reads: Reads, session: ConsoleSessionRow): Promise<AccountReference[]> {
  const { account_seq, person_seq, method, ended_in } = session;
  return reads.all(
    `SELECT accounts.seq, accounts.id, accounts.name FROM accounts
      WHERE accounts.seq = ? OR (? = 1 AND accounts.seq IN (
        SELECT account_seq FROM members WHERE person_seq = ? AND state = 'active' AND (source <> 'claim' OR ? = 1)
          AND ? NOT LIKE '%,' || account_seq || ',%'
      )) ORDER BY accounts.seq`,
    [account_seq ?? 0, account_seq === null ? 1 : 0, person_seq ?? 0, method === "oidc" ? 1 : 0, ended_in ?? ""],
  );
}

/** Whether the session exists, has not expired, and its person has this role in the account. */
export async function personMayContinue(
  reads: Reads,
  { session, accountSeq, role, projects, now }: PersonAccess,
): Promise<boolean> {
  const row = await reads.one<{ role: string; projects: string | null }>(
    `SELECT members.role, members.projects FROM sessions JOIN members ON members.person_seq = sessions.person_seq
      WHERE sessions.id = ? AND sessions.expires_on > ? AND members.account_seq = ? AND members.state = 'active'
        AND (members.source <> 'claim' OR sessions.method = 'oidc') AND ${hasNotEnded("members.account_seq")}`,
    [session, now, accountSeq],
  );
  return row !== undefined && row.role === role && row.projects === projects;
}

interface PersonAccess {
  session: string;
  accountSeq: number;
  role: string;
  /** JSON, as stored. */
  projects: string | null;
  now: number;
}

interface Live {
  now: number;
  /** A session that was last used at this time or before has expired. */
  usedAfter: number;
}

/** Returns the sessions of a token or a person except the newest `max`. */
export function findExcessSessions(reads: Reads, tokenId: string, max: number): Promise<ConsoleSessionRow[]> {
  return reads.all("SELECT * FROM sessions WHERE token_id = ? ORDER BY seq DESC LIMIT 10 OFFSET ?", [tokenId, max]);
}

export function recordConsoleSessionUse(transaction: WriteTransaction, hash: Buffer, time: number): Promise<void> {
  const sql = "UPDATE sessions SET last_used_on = ? WHERE hash = ? AND last_used_on < ?";
  return transaction.run(sql, [time, hash, time]);
}
