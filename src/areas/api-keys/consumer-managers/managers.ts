import type { Act } from "../../../core/access.ts";
import { recordChange } from "../../../core/changes/record.ts";
import { type PortalScope, scopesFrom, storedScopes } from "../../../core/portal-scopes.ts";
import { existing, notFound, Problem, rejectingTaken } from "../../../core/problems/problem.ts";
import type { Precondition } from "../../../lib/http/etag.ts";
import { newId } from "../../../lib/ids.ts";
import type { Paging } from "../../../lib/paging.ts";
import { emailKey } from "../../../lib/text/email.ts";
import { deleteRow, deleteRows, findRow, lockRow, pageOfRows } from "../../../platform/storage/rows.ts";
import type { Reads, WriteTransaction } from "../../../platform/storage/storage.ts";
import { type ConsumerReference, namedConsumer } from "../consumer-addresses/consumer-address.ts";
import { presentInvite, presentManager } from "./present.ts";
import * as store from "./store.ts";

export type Manager = store.ManagerRow;
export type Invite = store.InviteRow;

export interface ManagerInput {
  sub: string;
  email?: string | undefined;
  scopes?: readonly PortalScope[] | undefined;
  /** The identity provider that has confirmed `sub`. */
  issuer?: string | undefined;
}

/** A person at an identity provider. */
export interface Identity {
  issuer: string;
  subject: string;
}

const inviteMilliseconds = 7 * 24 * 60 * 60 * 1000;

export const listManagers = (reads: Reads, consumer: ConsumerReference, paging: Paging) =>
  pageOfRows(reads, "managers", { consumer_seq: consumer.seq }, paging);

export const listInvites = (reads: Reads, consumer: ConsumerReference, now: number, paging: Paging) =>
  store.listInvites(reads, consumer.seq, now, paging);

export const managersOfConsumers = (reads: Reads, seqs: number[]) =>
  grouped(seqs, (some) => store.managersOfConsumers(reads, some));

export const invitesOfConsumers = (reads: Reads, seqs: number[], now: number) =>
  grouped(seqs, (some) => store.invitesOfConsumers(reads, some, now));

/** A person may manage several consumers of a bucket. */
export async function managersOfMailbox(reads: Reads, bucketSeq: number, mailbox: string) {
  return (await store.managersOfMailbox(reads, bucketSeq, mailbox)).map(ofConsumer);
}

/** Managers whose `sub` is that of an identity provider, unless another provider has confirmed it. */
export async function managersOfSubject(reads: Reads, bucketSeq: number, { issuer, subject }: Identity) {
  return (await store.managersOfSubject(reads, bucketSeq, subject, issuer)).map(ofConsumer);
}

export async function invitesOfMailbox(reads: Reads, bucketSeq: number, mailbox: string, now: number) {
  return (await store.invitesOfMailbox(reads, bucketSeq, mailbox, now)).map(ofConsumer);
}

function ofConsumer<Row extends Manager | Invite>({
  consumer_id: id,
  consumer_name: name,
  consumer_tags: tags,
  ...row
}: store.OfConsumer<Row>) {
  const consumer: ConsumerReference = { seq: row.consumer_seq, id, name, bucket_seq: row.bucket_seq, tags };
  return { row, consumer };
}

async function grouped<Row extends { consumer_seq: number }>(
  seqs: number[],
  find: (seqs: number[]) => Promise<Row[]>,
): Promise<Map<number, Row[]>> {
  const bySeq = new Map<number, Row[]>(seqs.map((seq) => [seq, []]));
  if (seqs.length > 0) for (const row of await find(seqs)) bySeq.get(row.consumer_seq)!.push(row);
  return bySeq;
}

export const findManager = (reads: Reads, consumer: ConsumerReference, id: string): Promise<Manager> =>
  existing(findRow(reads, "managers", { consumer_seq: consumer.seq, id }), "manager");

export const findInvite = (reads: Reads, consumer: ConsumerReference, id: string): Promise<Invite> =>
  existing(findRow(reads, "manager_invites", { consumer_seq: consumer.seq, id }), "manager invite");

export async function addManager(
  transaction: WriteTransaction,
  act: Act,
  consumer: ConsumerReference,
  input: ManagerInput,
): Promise<Manager> {
  const row = {
    id: newId("mngr", act.now),
    bucket_seq: consumer.bucket_seq,
    consumer_seq: consumer.seq,
    sub: input.sub,
    email: input.email ?? null,
    email_key: input.email === undefined ? null : emailKey(input.email),
    created_on: act.now,
    scopes: storedScopes(input.scopes),
    version: 1,
    issuer: input.issuer ?? null,
  };
  const seq = await rejectingTaken("manager_exists", transaction.insert("managers", row));
  const created = { seq, ...row };
  const resource = { ...namedManager(consumer, row), after: presentManager(created) };
  recordChange(transaction, act, "manager.created", resource, { consumerId: consumer.id });
  return created;
}

/** A new invite replaces an expired one. */
export async function inviteManager(
  transaction: WriteTransaction,
  act: Act,
  consumer: ConsumerReference,
  email: string,
  scopes?: readonly PortalScope[],
): Promise<Invite> {
  const expired = await store.findExpiredInvite(transaction, consumer.seq, emailKey(email), act.now);
  if (expired) await removeInvite(transaction, act, consumer, expired);
  const row = {
    id: newId("mngi", act.now),
    bucket_seq: consumer.bucket_seq,
    consumer_seq: consumer.seq,
    email,
    email_key: emailKey(email),
    created_on: act.now,
    expires_on: act.now + inviteMilliseconds,
    scopes: storedScopes(scopes),
  };
  const seq = await rejectingTaken("invite_exists", transaction.insert("manager_invites", row));
  const created = { seq, ...row };
  const resource = { ...namedInvite(consumer, row), after: presentInvite(created) };
  recordChange(transaction, act, "manager-invite.created", resource, { consumerId: consumer.id });
  return created;
}

/** The invite becomes a manager, once. */
export async function acceptInvite(
  transaction: WriteTransaction,
  act: Act,
  consumer: ConsumerReference,
  id: string,
  { sub, issuer }: { sub: string; issuer?: string | undefined },
): Promise<Manager> {
  const invite = await findInvite(transaction, consumer, id);
  if (act.now >= invite.expires_on) throw new Problem("invite_expired");
  if (!(await deleteRow(transaction, "manager_invites", invite.seq))) throw notFound("manager invite");
  const resource = { ...namedInvite(consumer, invite), before: presentInvite(invite) };
  recordChange(transaction, act, "manager-invite.accepted", resource, { consumerId: consumer.id });
  const scopes = invite.scopes === null ? undefined : scopesFrom(invite.scopes);
  return addManager(transaction, act, consumer, { sub, email: invite.email, scopes, issuer });
}

const lockedManager = (transaction: WriteTransaction, { seq }: Manager): Promise<Manager> =>
  existing(lockRow(transaction, "managers", { seq }), "manager");

/** The identity provider has confirmed who the manager is, and perhaps has another address for them. */
export async function identifyManager(
  transaction: WriteTransaction,
  act: Act,
  consumer: ConsumerReference,
  found: Manager,
  { issuer, subject, email }: Identity & { email: string | undefined },
): Promise<Manager> {
  // Read again with a lock: scopes may have been removed since.
  const manager = await lockedManager(transaction, found);
  const address = email === undefined ? {} : { email, email_key: emailKey(email) };
  const confirmed = { ...manager, issuer, sub: subject, ...address };
  if (Bun.deepEquals(confirmed, manager)) return manager;
  const isShown = !Bun.deepEquals(presentManager(confirmed), presentManager(manager));
  const changed = { ...confirmed, version: manager.version + (isShown ? 1 : 0) };
  const { seq, ...values } = changed;
  await rejectingTaken("manager_exists", transaction.update("managers", seq, values));
  if (isShown) {
    const resource = { ...namedManager(consumer, changed), before: presentManager(manager) };
    const data = { consumerId: consumer.id };
    recordChange(transaction, act, "manager.updated", { ...resource, after: presentManager(changed) }, data);
  }
  return changed;
}

export async function updateManager(
  transaction: WriteTransaction,
  act: Act,
  consumer: ConsumerReference,
  id: string,
  { scopes }: { scopes?: readonly PortalScope[] | null | undefined },
  precondition: Precondition,
): Promise<Manager> {
  const manager = await lockedManager(transaction, await findManager(transaction, consumer, id));
  precondition(manager);
  const changed = {
    ...manager,
    scopes: scopes === undefined ? manager.scopes : storedScopes(scopes),
    version: manager.version + 1,
  };
  if (changed.scopes === manager.scopes) return manager;
  const { seq, ...values } = changed;
  await transaction.update("managers", seq, values);
  // What they consented to ends with the scope that consent needs, as it ends with the manager.
  if (!scopesFrom(changed.scopes).includes("keys:write"))
    await deleteRows(transaction, "oauth_authorizations", { manager_seq: seq });
  const resource = {
    ...namedManager(consumer, manager),
    before: presentManager(manager),
    after: presentManager(changed),
  };
  recordChange(transaction, act, "manager.updated", resource, { consumerId: consumer.id });
  return changed;
}

/**
 * Throws `last_manager` if this is the consumer's only manager with all scopes, so that customers cannot lock themselves
 * out. Call it before such a manager is limited or removed.
 */
export async function requireAnotherUnlimitedManager(reads: Reads, { consumer_seq, scopes }: Manager): Promise<void> {
  if (scopes === null && (await store.countUnlimited(reads, consumer_seq)) === 1) throw new Problem("last_manager");
}

export async function deleteManager(
  transaction: WriteTransaction,
  act: Act,
  consumer: ConsumerReference,
  id: string,
  precondition: Precondition,
): Promise<void> {
  const manager = await findManager(transaction, consumer, id);
  precondition(manager);
  if (!(await deleteRow(transaction, "managers", manager.seq))) throw notFound("manager");
  const resource = { ...namedManager(consumer, manager), before: presentManager(manager) };
  recordChange(transaction, act, "manager.deleted", resource, { consumerId: consumer.id });
}

export async function deleteInvite(
  transaction: WriteTransaction,
  act: Act,
  consumer: ConsumerReference,
  id: string,
  precondition: Precondition,
): Promise<void> {
  const invite = await findInvite(transaction, consumer, id);
  precondition(managerRevisionOf(invite));
  // It may just have been accepted; the caller must get an error then.
  if (!(await removeInvite(transaction, act, consumer, invite))) throw notFound("manager invite");
}

async function removeInvite(
  transaction: WriteTransaction,
  act: Act,
  consumer: ConsumerReference,
  invite: Invite,
): Promise<boolean> {
  if (!(await deleteRow(transaction, "manager_invites", invite.seq))) return false;
  const resource = { ...namedInvite(consumer, invite), before: presentInvite(invite) };
  recordChange(transaction, act, "manager-invite.deleted", resource, { consumerId: consumer.id });
  return true;
}

function namedManager(consumer: ConsumerReference, { id, sub, email }: Pick<Manager, "id" | "sub" | "email">) {
  return { type: "manager", id, name: email ?? sub, parent: namedConsumer(consumer) };
}

function namedInvite(consumer: ConsumerReference, { id, email }: Pick<Invite, "id" | "email">) {
  return { type: "manager-invite", id, name: email, parent: namedConsumer(consumer) };
}

/** Invites cannot be changed, so each has one revision. */
export function managerRevisionOf(row: { id: string }) {
  return { id: row.id, version: 1 };
}
