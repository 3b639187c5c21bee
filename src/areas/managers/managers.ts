import type { Act } from "../../core/access.ts";
import { recordChange } from "../../core/changes/record.ts";
import { notFound, Problem } from "../../core/problems/problem.ts";
import type { Precondition } from "../../lib/http/etag.ts";
import { newId } from "../../lib/ids.ts";
import type { Paging } from "../../lib/paging.ts";
import { emailKey } from "../../lib/text/email.ts";
import { UniqueViolation } from "../../platform/storage/errors.ts";
import type { Reads, WriteTransaction } from "../../platform/storage/storage.ts";
import { type ConsumerReference, namedConsumer } from "../buckets/consumer-address.ts";
import { presentInvite, presentManager } from "./present.ts";
import * as store from "./store.ts";

export type Manager = store.ManagerRow;
export type Invite = store.InviteRow;

export interface ManagerInput {
  sub: string;
  email?: string | undefined;
}

const inviteMilliseconds = 7 * 24 * 60 * 60 * 1000;

export const listManagers = (reads: Reads, consumer: ConsumerReference, paging: Paging) =>
  store.listManagers(reads, consumer.seq, paging);

export const listInvites = (reads: Reads, consumer: ConsumerReference, now: number, paging: Paging) =>
  store.listInvites(reads, consumer.seq, now, paging);

export const managersOfConsumers = (reads: Reads, seqs: number[]) =>
  grouped(seqs, (some) => store.managersOfConsumers(reads, some));

export const invitesOfConsumers = (reads: Reads, seqs: number[], now: number) =>
  grouped(seqs, (some) => store.invitesOfConsumers(reads, some, now));

async function grouped<Row extends { consumer_seq: number }>(
  seqs: number[],
  find: (seqs: number[]) => Promise<Row[]>,
): Promise<Map<number, Row[]>> {
  const bySeq = new Map<number, Row[]>(seqs.map((seq) => [seq, []]));
  if (seqs.length > 0) for (const row of await find(seqs)) bySeq.get(row.consumer_seq)!.push(row);
  return bySeq;
}

export async function findManager(reads: Reads, consumer: ConsumerReference, id: string): Promise<Manager> {
  const manager = await store.findManager(reads, consumer.seq, id);
  if (!manager) throw notFound("manager");
  return manager;
}

export async function findInvite(reads: Reads, consumer: ConsumerReference, id: string): Promise<Invite> {
  const invite = await store.findInvite(reads, consumer.seq, id);
  if (!invite) throw notFound("manager invite");
  return invite;
}

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
  };
  const seq = await rejecting("manager_exists", transaction.insert("managers", row));
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
  };
  const seq = await rejecting("invite_exists", transaction.insert("manager_invites", row));
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
  sub: string,
): Promise<Manager> {
  const invite = await findInvite(transaction, consumer, id);
  if (act.now >= invite.expires_on) throw new Problem("invite_expired");
  if (!(await store.deleteRow(transaction, "manager_invites", invite.seq))) throw notFound("manager invite");
  const resource = { ...namedInvite(consumer, invite), before: presentInvite(invite) };
  recordChange(transaction, act, "manager-invite.accepted", resource, { consumerId: consumer.id });
  return addManager(transaction, act, consumer, { sub, email: invite.email });
}

export async function deleteManager(
  transaction: WriteTransaction,
  act: Act,
  consumer: ConsumerReference,
  id: string,
  precondition: Precondition,
): Promise<void> {
  const manager = await findManager(transaction, consumer, id);
  precondition(revisionOf(manager));
  if (!(await store.deleteRow(transaction, "managers", manager.seq))) throw notFound("manager");
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
  precondition(revisionOf(invite));
  // It may just have been accepted; the caller must get an error then.
  if (!(await removeInvite(transaction, act, consumer, invite))) throw notFound("manager invite");
}

async function removeInvite(
  transaction: WriteTransaction,
  act: Act,
  consumer: ConsumerReference,
  invite: Invite,
): Promise<boolean> {
  if (!(await store.deleteRow(transaction, "manager_invites", invite.seq))) return false;
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

/** Neither can be changed, so each has one revision. */
export function revisionOf(row: { id: string }) {
  return { id: row.id, version: 1 };
}

async function rejecting<Result>(code: "manager_exists" | "invite_exists", work: Promise<Result>): Promise<Result> {
  try {
    return await work;
  } catch (error) {
    throw error instanceof UniqueViolation ? new Problem(code) : error;
  }
}
