import type { z } from "zod";
import type { Act, MemberRole, Membership, ProjectRole } from "../../../core/access.ts";
import type { ChangedResource } from "../../../core/changes/details.ts";
import { recordChange } from "../../../core/changes/record.ts";
import { existing, notFound, Problem } from "../../../core/problems/problem.ts";
import { generateSecret, secretHash } from "../../../lib/crypto/secret-text.ts";
import type { Precondition } from "../../../lib/http/etag.ts";
import { newId } from "../../../lib/ids.ts";
import { emailKey } from "../../../lib/text/email.ts";
import { deleteRows, findRow } from "../../../platform/storage/rows.ts";
import type { Reads, WriteTransaction } from "../../../platform/storage/storage.ts";
import type { ChangesOf } from "../../../platform/storage/tables.ts";
import { memberEmailOf, memberIdOf, presentMember, projectsOf } from "./present.ts";
import type { memberInput, memberPatch } from "./schema.ts";
import * as store from "./store.ts";

export { hasAnyMember, listMembers } from "./store.ts";

export type Member = store.MemberRow;
export type Person = store.PersonRow;

const invitationMilliseconds = 7 * 24 * 60 * 60 * 1000;

type MemberInput = z.output<typeof memberInput>;

type MemberChanges = z.output<typeof memberPatch>;

export const findMember = (reads: Reads, accountSeq: number, id: string): Promise<Member> =>
  existing(store.findMember(reads, accountSeq, id), "member");

export function membershipOf(membership: store.MembershipRow): Membership {
  return {
    account: { seq: membership.account_seq, id: membership.account_id, name: membership.account_name },
    role: membership.role as MemberRole,
    projects: projectsOf(membership),
    name: membership.name ?? undefined,
    ...(membership.source === "claim" && { isFromClaim: true }),
  };
}

/** The accounts in which a person is an active member, in the order of joining. */
export async function activeMemberships(reads: Reads, personSeq: number): Promise<Membership[]> {
  return (await store.membershipsOf(reads, personSeq)).filter(({ state }) => state === "active").map(membershipOf);
}

/** The person is not signed in by this: an invitation has to be accepted. Ends the removal of a former member. */
export async function inviteMember(transaction: WriteTransaction, act: Act, input: MemberInput): Promise<Member> {
  const { account, now } = act;
  await transaction.lock(`person ${emailKey(input.email)}`);
  await lockMembers(transaction, account.seq);
  const known = await findRow(transaction, "people", { email_key: emailKey(input.email) });
  const person = known ?? (await createPerson(transaction, input.email, now));
  if (await store.findMemberOf(transaction, account.seq, person.seq)) throw new Problem("member_exists");
  await deleteRows(transaction, "removed_members", { account_seq: account.seq, person_seq: person.seq });
  await transaction.insert("members", {
    account_seq: account.seq,
    person_seq: person.seq,
    name: input.name ?? null,
    role: input.role,
    projects: input.projects ? JSON.stringify(input.projects) : null,
    state: "invited",
    source: "invitation",
    invitation_hash: null,
    invited_id: known ? newId("prsn", now) : null,
    invited_email: input.email,
    invited_by: act.actorName ?? act.actor,
    expires_on: now + invitationMilliseconds,
    version: 1,
    created_on: now,
    updated_on: now,
  });
  const member = (await store.findMemberOf(transaction, account.seq, person.seq))!;
  recordChange(transaction, act, "member.invited", resourceOf(undefined, member), personData(member));
  return member;
}

/** Extends an invitation that was not accepted. Links that were sent before stop working. */
export async function inviteAgain(transaction: WriteTransaction, act: Act, id: string): Promise<Member> {
  await lockMembers(transaction, act.account.seq);
  const member = await findMember(transaction, act.account.seq, id);
  if (member.state === "active") throw new Problem("member_active");
  const changed = await change(transaction, act, member, {
    expires_on: act.now + invitationMilliseconds,
    invitation_hash: null,
    invited_by: act.actorName ?? act.actor,
  });
  recordChange(transaction, act, "member.invited", resourceOf(member, changed), personData(member));
  return changed;
}

/** Creates the secret of an invitation's link. Its hash is stored; a secret from before stops working. */
export async function newInvitationSecret(transaction: WriteTransaction, member: Member): Promise<string> {
  const value = generateSecret("tgi");
  await transaction.update("members", member.seq, { invitation_hash: secretHash(value) });
  return value;
}

/** The member whose invitation this is, with its account. Throws unless it can be accepted now. */
export async function findInvitation(reads: Reads, secret: string, now: number): Promise<store.MembershipRow> {
  const member = await store.findInvited(reads, secretHash(secret));
  if (!member || !isInvited(member, now)) throw new Problem("invitation_invalid");
  return member;
}

/** The invited person becomes a member, once. Returns them. */
export async function acceptInvitation(
  transaction: WriteTransaction,
  act: Omit<Act, "account">,
  secret: string,
): Promise<{ person: Person; membership: Membership }> {
  const invited = await findInvitation(transaction, secret, act.now);
  await lockMembers(transaction, invited.account_seq);
  await store.lockMember(transaction, invited.seq);
  // Read again: a concurrent request may have accepted it before the lock.
  const member = await findInvitation(transaction, secret, act.now);
  const membership = membershipOf(member);
  const person = (await findRow(transaction, "people", { seq: member.person_seq }))!;
  await activateMember(transaction, { ...personActOf(act, person, member), account: membership.account }, member);
  await recordSignIn(transaction, person, act.now);
  return { person, membership };
}

/**
 * The person with this address, whose mailbox they have proven to read, and the accounts that they may act in. Returns
 * undefined for a person without an account or an invitation.
 */
export async function signInByMail(transaction: WriteTransaction, mailbox: string, now: number) {
  const person = await findRow(transaction, "people", { email_key: mailbox });
  if (!person) return undefined;
  // Whether the provider still grants a role is known only after a sign-in with it.
  const memberships = (await activeMemberships(transaction, person.seq)).filter(({ isFromClaim }) => !isFromClaim);
  if (memberships.length === 0 && (await openInvitations(transaction, person.seq, now)).length === 0) return undefined;
  await recordSignIn(transaction, person, now);
  return { person, memberships };
}

/** The invitations that a person can accept now. They have no effect before that. */
export async function openInvitations(reads: Reads, personSeq: number, now: number): Promise<store.MembershipRow[]> {
  return (await store.membershipsOf(reads, personSeq)).filter((row) => isInvited(row, now));
}

/** The invitations that the person with this id can accept now. */
export async function invitationsOf(reads: Reads, personId: string, now: number): Promise<store.MembershipRow[]> {
  const person = await findRow(reads, "people", { id: personId });
  return person ? openInvitations(reads, person.seq, now) : [];
}

/** The end of a person's last invitation that is not accepted, or 0. */
export async function lastInvitationEnd(reads: Reads, personSeq: number): Promise<number> {
  const invited = (await store.membershipsOf(reads, personSeq)).filter(({ state }) => state === "invited");
  return Math.max(0, ...invited.map(({ expires_on }) => expires_on ?? 0));
}

/** The signed-in person becomes a member of an account that has invited them. */
export async function acceptOwnInvitation(
  transaction: WriteTransaction,
  act: Omit<Act, "account">,
  named: OwnInvitation,
) {
  const { person, invited, account } = await lockOwnInvitation(transaction, named, act.now);
  await activateMember(transaction, { ...personActOf(act, person, invited), account }, invited);
  return invited;
}

/** The signed-in person declines: the account may invite them again. */
export async function declineInvitation(
  transaction: WriteTransaction,
  act: Omit<Act, "account">,
  named: OwnInvitation,
) {
  const { person, invited, account } = await lockOwnInvitation(transaction, named, act.now);
  await transaction.delete("members", invited.seq);
  // The account must not see data of a person who has not joined, except its own invitation.
  const by = { ...act, account, actor: memberIdOf(invited), actorType: "person" as const, ip: undefined };
  const actorName = invited.name ?? memberEmailOf(invited);
  recordChange(transaction, { ...by, actorName }, "member.removed", resourceOf(invited, undefined), personData(person));
}

/** An invitation of a person, by the name of the account. */
interface OwnInvitation {
  personId: string;
  accountName: string;
}

async function lockOwnInvitation(transaction: WriteTransaction, { personId, accountName }: OwnInvitation, now: number) {
  const person = await findRow(transaction, "people", { id: personId });
  const find = async () =>
    person && (await openInvitations(transaction, person.seq, now)).find((row) => row.account_name === accountName);
  const found = await find();
  if (!found) throw notFound("invitation");
  await lockMembers(transaction, found.account_seq);
  // Read again: a concurrent request may have accepted or withdrawn it before the lock.
  const invited = await find();
  if (!invited) throw notFound("invitation");
  return { person: person!, invited, account: membershipOf(invited).account };
}

/** The person with this address, if they may sign in, and the accounts that they may sign in to. */
export async function findInvitedOrMember(reads: Reads, mailbox: string, now: number) {
  const person = await findRow(reads, "people", { email_key: mailbox });
  const rows = person ? await store.membershipsOf(reads, person.seq) : [];
  const accounts = rows
    .filter((row) => (row.state === "active" && row.source !== "claim") || isInvited(row, now))
    .map(({ account_name }) => account_name);
  return person && accounts.length > 0 ? { person, accounts } : undefined;
}

function isInvited({ state, expires_on }: Member, now: number): boolean {
  return state === "invited" && now < (expires_on ?? 0);
}

/** The invitation for a mail, if it can still be accepted. */
export async function findOpenInvitation(reads: Reads, accountSeq: number, id: string, now: number) {
  const member = await store.findMember(reads, accountSeq, id);
  return member && isInvited(member, now) ? member : undefined;
}

/** The member becomes active, and the invitation is used up. */
async function activateMember(transaction: WriteTransaction, act: Act, member: Member): Promise<void> {
  const active = { state: "active", invitation_hash: null, expires_on: null };
  const changed = await change(transaction, act, member, active);
  recordChange(transaction, act, "member.joined", resourceOf(member, changed), personData(member));
}

export async function recordSignIn(transaction: WriteTransaction, person: Person, now: number): Promise<void> {
  await transaction.update("people", person.seq, { signed_in_on: now });
}

/** The act of a person who is not signed in yet. */
export function personActOf<Given extends Omit<Act, "account">>(
  act: Given,
  person: Person,
  member?: { name: string | null },
) {
  return { ...act, actor: person.id, actorType: "person" as const, actorName: member?.name ?? person.email };
}

export async function updateMember(
  transaction: WriteTransaction,
  act: Act,
  id: string,
  { name, role, projects }: MemberChanges,
  precondition: Precondition,
): Promise<Member> {
  await lockMembers(transaction, act.account.seq);
  const member = await findMember(transaction, act.account.seq, id);
  precondition(memberRevisionOf(member));
  const values = {
    ...(name === undefined ? {} : { name }),
    ...(role === undefined ? {} : { role }),
    ...(projects === undefined ? {} : { projects: projects && JSON.stringify(projects) }),
  };
  const hasNewRole =
    (role ?? member.role) !== member.role || (projects !== undefined && member.projects !== values.projects);
  if (hasNewRole && member.source === "claim") throw new Problem("role_from_claim");
  if (role !== undefined && role !== "admin") await keepAnAdmin(transaction, act, member);
  rejectUnfitProjects({ role: (role ?? member.role) as MemberRole, projects: projectsOf({ ...member, ...values }) });
  const changed = await change(transaction, act, member, values);
  recordChange(transaction, act, "member.updated", resourceOf(member, changed), personData(member));
  return changed;
}

/** A former member is not readmitted by a claim until they are invited again. */
export async function removeMember(
  transaction: WriteTransaction,
  act: Act,
  id: string,
  precondition: Precondition,
): Promise<Member> {
  await lockMembers(transaction, act.account.seq);
  const member = await findMember(transaction, act.account.seq, id);
  precondition(memberRevisionOf(member));
  await keepAnAdmin(transaction, act, member);
  await transaction.delete("members", member.seq);
  await store.markMemberRemoved(transaction, act.account.seq, member.person_seq, act.now);
  recordChange(transaction, act, "member.removed", resourceOf(member, undefined), personData(member));
  return member;
}

/** Throws if a role is limited to projects in a way that has no effect. */
export function rejectUnfitProjects({ role, projects }: { role: MemberRole; projects?: ProjectRole[] | undefined }) {
  if (!projects) return;
  const fail = (pointer: string, detail: string) =>
    new Problem("validation_failed", {
      detail: `${pointer} ${detail}`,
      errors: [{ pointer, detail }],
    });
  if (role !== "editor" && role !== "reader")
    throw fail("/projects", "must not be set unless the role is editor or reader");
  for (const [index, each] of projects.entries()) {
    if (role === "reader" && each.role === "editor")
      throw fail(`/projects/${index}/role`, "must not be more than role");
    if (projects.findIndex(({ project }) => project === each.project) !== index)
      throw fail(`/projects/${index}/project`, "is listed twice");
  }
}

export function memberRevisionOf(member: Member) {
  return { id: memberIdOf(member), version: member.version };
}

/** Two concurrent writes must not remove the last two admins, or invite a person twice. */
export const lockMembers = (transaction: WriteTransaction, accountSeq: number) =>
  transaction.lock(`members ${accountSeq}`);

async function keepAnAdmin(transaction: WriteTransaction, act: Act, member: Member): Promise<void> {
  if (await isLastAdmin(transaction, act.account.seq, member)) throw new Problem("last_admin");
}

/** Whether the member is the only active admin of the account. The members must be locked. */
export async function isLastAdmin(
  transaction: WriteTransaction,
  accountSeq: number,
  { role, state }: Pick<Member, "role" | "state">,
): Promise<boolean> {
  if (role !== "admin" || state !== "active") return false;
  return (await store.countActiveAdmins(transaction, accountSeq)) === 1;
}

function createPerson(transaction: WriteTransaction, email: string, now: number): Promise<Person> {
  const times = { signed_in_on: null, created_on: now, updated_on: now };
  const identity = { email, email_key: emailKey(email), issuer: null, subject: null };
  return store.insertPerson(transaction, { id: newId("prsn", now), ...identity, ...times });
}

async function change(
  transaction: WriteTransaction,
  act: Act,
  member: Member,
  values: ChangesOf<"members">,
): Promise<Member> {
  await transaction.update("members", member.seq, { ...values, version: member.version + 1, updated_on: act.now });
  return (await store.findMemberOf(transaction, act.account.seq, member.person_seq))!;
}

export function personData(member: Member | Person) {
  return { personId: "person_id" in member ? member.person_id : member.id };
}

export function resourceOf(before: Member | undefined, after: Member | undefined): ChangedResource {
  const member = (after ?? before)!;
  return {
    type: "member",
    id: memberIdOf(member),
    name: member.name ?? memberEmailOf(member),
    before: before && presentMember(before),
    after: after && presentMember(after),
  };
}
