import type { Paging } from "../../../lib/paging.ts";
import { countOf, forUpdate, pageOf } from "../../../platform/storage/query.ts";
import { hasRows } from "../../../platform/storage/rows.ts";
import type { Reads, WriteTransaction } from "../../../platform/storage/storage.ts";
import type { RowOf } from "../../../platform/storage/tables.ts";

export type PersonRow = RowOf<"people">;

/** A member with the columns of its person. */
export interface MemberRow extends RowOf<"members"> {
  person_id: string;
  email: string;
  signed_in_on: number | null;
}

export interface MembershipRow extends MemberRow {
  account_id: string;
  account_name: string;
}

const memberColumns = `members.*, people.id AS person_id, people.email, people.signed_in_on`;
const membersJoined = `members JOIN people ON people.seq = members.person_seq`;
const membershipsJoined = `${membersJoined} JOIN accounts ON accounts.seq = members.account_seq`;
const membershipColumns = `${memberColumns}, accounts.id AS account_id, accounts.name AS account_name`;

export async function insertPerson(transaction: WriteTransaction, person: Omit<PersonRow, "seq">): Promise<PersonRow> {
  return { seq: await transaction.insert("people", person), ...person };
}

export function listMembers(reads: Reads, accountSeq: number, paging: Paging) {
  const query = `SELECT ${memberColumns} FROM ${membersJoined} WHERE members.account_seq = ? ORDER BY members.seq`;
  return pageOf<MemberRow>(reads, query, "FROM members WHERE account_seq = ?", [accountSeq], paging);
}

/** Whether any account has a member or an invitation. */
export const hasAnyMember = (reads: Reads): Promise<boolean> => hasRows(reads, "FROM members", []);

const memberWithId = `SELECT ${memberColumns} FROM ${membersJoined} WHERE members.account_seq = ?
  AND (members.invited_id = ? OR (people.id = ? AND (members.state = 'active' OR members.invited_id IS NULL)))`;

/** Finds a member by their id, also by the one that they had while they were invited. */
export function findMember(reads: Reads, accountSeq: number, id: string): Promise<MemberRow | undefined> {
  return reads.one(memberWithId, [accountSeq, id, id]);
}

export function findMemberOf(reads: Reads, accountSeq: number, personSeq: number): Promise<MemberRow | undefined> {
  return reads.one(
    `SELECT ${memberColumns} FROM ${membersJoined} WHERE members.account_seq = ? AND members.person_seq = ?`,
    [accountSeq, personSeq],
  );
}

/** The member whose invitation has this hash, with its account. */
export function findInvited(reads: Reads, hash: Buffer): Promise<MembershipRow | undefined> {
  const sql = `SELECT ${membershipColumns} FROM ${membershipsJoined} WHERE members.invitation_hash = ?`;
  return reads.one(sql, [hash]);
}

/** Locks the row of the member. */
export async function lockMember(transaction: WriteTransaction, seq: number): Promise<void> {
  await transaction.one(forUpdate(transaction, "SELECT seq FROM members WHERE seq = ?"), [seq]);
}

/** The memberships of a person, in the order of joining. */
export function membershipsOf(reads: Reads, personSeq: number): Promise<MembershipRow[]> {
  const sql = `SELECT ${membershipColumns} FROM ${membershipsJoined} WHERE members.person_seq = ? ORDER BY members.seq`;
  return reads.all(sql, [personSeq]);
}

export function countActiveAdmins(reads: Reads, accountSeq: number): Promise<number> {
  return countOf(reads, "FROM members WHERE account_seq = ? AND role = 'admin' AND state = 'active'", [accountSeq]);
}

export async function markMemberRemoved(
  transaction: WriteTransaction,
  accountSeq: number,
  personSeq: number,
  now: number,
) {
  await transaction.insertNew(
    "removed_members",
    [{ account_seq: accountSeq, person_seq: personSeq, removed_on: now }],
    ["account_seq", "person_seq"],
  );
}
