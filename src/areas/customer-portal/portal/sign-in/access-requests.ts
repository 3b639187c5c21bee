import type { Act } from "../../../../core/access.ts";
import { recordChange } from "../../../../core/changes/record.ts";
import { notFound, Problem } from "../../../../core/problems/problem.ts";
import { newId } from "../../../../lib/ids.ts";
import { formatDateTime } from "../../../../lib/time/time.ts";
import type { WriteTransaction } from "../../../../platform/storage/storage.ts";
import type { Consumers } from "../../../api-keys/consumers/consumers.ts";
import type { MailQueue } from "../../../common/mail/mail-queue.ts";
import { createCustomer, type NewCustomerSite } from "./customers.ts";
import { accessMailKind } from "./mail.ts";
import { portalMembershipsOf } from "./memberships.ts";
import * as store from "./store.ts";

type AccessRequest = store.AccessRequestRow;

export { listAccessRequests } from "./store.ts";

/** A person has one request: another one changes nothing, also after it was denied. */
export async function requestAccess(
  transaction: WriteTransaction,
  act: Act,
  portal: { seq: number; id: string; bucket_name: string },
  { mailbox, label, note }: { mailbox: string; label: string | undefined; note: string | undefined },
): Promise<AccessRequest> {
  await transaction.lock(`access requests ${portal.id}`);
  const known = await store.accessRequestOf(transaction, portal.seq, mailbox);
  // If it was approved, the customer was deleted since.
  if (known) return known.state === "approved" ? change(transaction, act, known, "pending", null) : known;
  const row = {
    id: newId("preq", act.now),
    portal_seq: portal.seq,
    mailbox,
    label: label ?? null,
    note: note ?? null,
    state: "pending",
    consumer_name: null,
    version: 1,
    created_on: act.now,
    updated_on: act.now,
  };
  const created = { seq: await transaction.insert("portal_access_requests", row), ...row };
  const parent = { type: "portal", id: portal.id, name: portal.bucket_name };
  const resource = { ...named(row), parent, after: presentAccessRequest(row) };
  recordChange(transaction, act, "access-request.created", resource);
  return created;
}

/** Creates the customer, and notifies the person by mail. */
export async function approveAccess(
  transaction: WriteTransaction,
  act: Act,
  { consumers, mail }: { consumers: Consumers; mail: MailQueue },
  portal: NewCustomerSite & { id: string; bucket_seq: number },
  id: string,
): Promise<AccessRequest> {
  const request = await pending(transaction, portal.seq, id);
  const { mailbox } = request;
  const label = request.label ?? undefined;
  // They may have been invited meanwhile.
  const [known] = await portalMembershipsOf(transaction, portal.bucket_seq, { mailbox }, act.now);
  const { consumer } =
    known ??
    (await createCustomer(transaction, act, consumers, portal, {
      mailbox,
      person: { mailbox },
      label,
      withKey: false,
      // The business decides who gets an account, and a trial.
      isReturning: false,
    }));
  const approved = await change(transaction, act, request, "approved", consumer.name);
  if (mail.isEnabled) {
    const about = { kind: accessMailKind, recipient: mailbox, subjectId: `${portal.id} ${request.id}` };
    await mail.add(transaction, { ...about, accountSeq: act.account.seq }, act.now);
  }
  return approved;
}

/** Sends no mail. */
export async function denyAccess(
  transaction: WriteTransaction,
  act: Act,
  portalSeq: number,
  id: string,
): Promise<AccessRequest> {
  return change(transaction, act, await pending(transaction, portalSeq, id), "denied", null);
}

async function pending(transaction: WriteTransaction, portalSeq: number, id: string) {
  const request = await store.findAccessRequestForUpdate(transaction, portalSeq, id);
  if (!request) throw notFound("access request");
  if (request.state !== "pending") throw new Problem("access_request_decided");
  return request;
}

async function change(
  transaction: WriteTransaction,
  act: Act,
  request: AccessRequest,
  state: "pending" | "approved" | "denied",
  consumerName: string | null,
): Promise<AccessRequest> {
  const values = { state, consumer_name: consumerName, version: request.version + 1, updated_on: act.now };
  await transaction.update("portal_access_requests", request.seq, values);
  const changed = { ...request, ...values };
  const snapshots = { before: presentAccessRequest(request), after: presentAccessRequest(changed) };
  const kind = state === "pending" ? "created" : state;
  recordChange(transaction, act, `access-request.${kind}`, { ...named(request), ...snapshots });
  return changed;
}

const named = ({ id, mailbox }: Pick<AccessRequest, "id" | "mailbox">) => ({
  type: "access-request",
  id,
  name: mailbox,
});

export function presentAccessRequest(accessRequest: Omit<AccessRequest, "seq">) {
  return {
    id: accessRequest.id,
    email: accessRequest.mailbox,
    ...(accessRequest.label === null ? {} : { name: accessRequest.label }),
    ...(accessRequest.note === null ? {} : { note: accessRequest.note }),
    state: accessRequest.state as "pending" | "approved" | "denied",
    ...(accessRequest.consumer_name === null ? {} : { consumerName: accessRequest.consumer_name }),
    createdOn: formatDateTime(accessRequest.created_on),
    updatedOn: formatDateTime(accessRequest.updated_on),
  };
}
