import type { Act } from "../../../core/access.ts";
import { recordChange, recordForFollowers } from "../../../core/changes/record.ts";
import { notFound, Problem } from "../../../core/problems/problem.ts";
import type { Revision } from "../../../lib/http/etag.ts";
import { newId } from "../../../lib/ids.ts";
import { removeInPieces } from "../../../platform/storage/removal.ts";
import type { Reads, Storage, WriteTransaction } from "../../../platform/storage/storage.ts";
import type { ConsumerReference } from "../../api-keys/consumer-addresses/consumer-address.ts";
import { deleteUnusedDocumentClients } from "./client-store.ts";
import type { Client, ClientPortal } from "./clients.ts";
import { presentAuthorization } from "./present.ts";
import type { AuthorizationRules } from "./rules.ts";
import * as store from "./store.ts";

export type Authorization = store.AuthorizationRow;

/** How many authorizations a customer may have at a time. */
const maxOfConsumer = 100;

export { listAuthorizations } from "./store.ts";

/** Deletes expired authorizations, clients and keys, and then clients with documents that nothing needs, in pieces. */
export async function removeExpiredAuthorizations(storage: Storage, now: number, signal?: AbortSignal): Promise<void> {
  await removeInPieces(storage, (transaction, rows) => store.deleteExpired(transaction, now, rows), { signal });
  await removeInPieces(storage, deleteUnusedDocumentClients, { signal });
}

/** Throws 404 if the portal has no such authorization, or it has ended. */
export async function findAuthorization(
  reads: Reads,
  portal: ClientPortal,
  id: string,
  now: number,
): Promise<Authorization> {
  const found = await store.findAuthorization(reads, portal.seq, id, now);
  if (!found) throw notFound("authorization");
  return found;
}

/** Locks the authorization. Throws 404 if the portal has no such authorization, or it has ended. */
export async function findAuthorizationForUpdate(
  transaction: WriteTransaction,
  portal: ClientPortal,
  id: string,
  now: number,
): Promise<Authorization> {
  await store.lockAuthorization(transaction, portal.seq, id);
  return findAuthorization(transaction, portal, id, now);
}

/** An authorization changes with each refresh. */
export function revisionOf({ id, refresh_number }: Authorization): Revision {
  return { id, version: refresh_number + 1 };
}

interface Consent {
  client: Pick<Client, "seq">;
  consumer: ConsumerReference;
  /** The manager who consents. Undefined for the person of a hand-off. */
  managerSeq: number | undefined;
  subject: string;
  granted: readonly string[];
  rules: AuthorizationRules;
  /** Of an authorization for a program with a browser. */
  code?: {
    hash: Buffer;
    challenge: string;
    redirectUri: string;
    expiresOn: number;
    deployment: string;
  };
}

/** The person of a consent, who is the actor of the change that is recorded when its code is exchanged. */
type Consenting = Pick<Act, "actor" | "actorType" | "actorName" | "requestId" | "ip">;

/**
 * The consumer's row must be locked, so that two requests do not both find room. With a code, the change is recorded by
 * `activateAuthorization`: an authorization whose code is never exchanged is not visible in the API.
 */
export async function createAuthorization(
  transaction: WriteTransaction,
  act: Act,
  portal: ClientPortal,
  { client, consumer, managerSeq, subject, granted, rules, code }: Consent,
): Promise<Authorization> {
  if ((await store.countAuthorizations(transaction, consumer.seq, act.now)) >= maxOfConsumer)
    throw new Problem("authorization_limit_reached");
  const id = newId("auth", act.now);
  await transaction.insert("oauth_authorizations", {
    id,
    portal_seq: portal.seq,
    consumer_seq: consumer.seq,
    manager_seq: managerSeq ?? null,
    client_seq: client.seq,
    subject,
    granted: JSON.stringify(granted),
    rules: JSON.stringify(rules),
    deployment: code?.deployment ?? null,
    consent: code ? JSON.stringify(consentingOf(act)) : null,
    code_hash: code?.hash ?? null,
    code_challenge: code?.challenge ?? null,
    redirect_uri: code?.redirectUri ?? null,
    code_expires_on: code?.expiresOn ?? null,
    code_used_on: null,
    refresh_secret: null,
    refresh_number: 0,
    refreshed_on: null,
    created_on: act.now,
    expires_on: code?.expiresOn ?? null,
  });
  const created = (await store.lockAuthorization(transaction, portal.seq, id))!;
  if (!code) recordCreated(transaction, act, created);
  return created;
}

function consentingOf({ actor, actorType, actorName, requestId, ip }: Act): Consenting {
  return { actor, actorType, actorName, requestId, ip };
}

function recordCreated(transaction: WriteTransaction, act: Act, row: Authorization): void {
  const resource = { ...named(row), after: presentAuthorization(row) };
  recordChange(transaction, act, "authorization.created", resource, { consumerId: row.consumer_id });
}

/** Stores that the code was exchanged, with the first refresh token. From now on the authorization is listed. */
export async function activateAuthorization(
  transaction: WriteTransaction,
  act: Act,
  row: Authorization,
  { refreshSecret, expiresOn }: { refreshSecret: Uint8Array; expiresOn: number },
): Promise<Authorization> {
  const values = {
    consent: null,
    code_used_on: act.now,
    refresh_secret: refreshSecret,
    refresh_number: 1,
    refreshed_on: act.now,
    expires_on: expiresOn,
  };
  await transaction.update("oauth_authorizations", row.seq, values);
  const active = { ...row, ...values };
  recordCreated(transaction, { ...act, ...(JSON.parse(row.consent!) as Consenting) }, active);
  return active;
}

/** Ends an authorization. Its access and refresh tokens are rejected immediately. */
export async function endAuthorization(transaction: WriteTransaction, act: Act, row: Authorization): Promise<void> {
  await transaction.delete("oauth_authorizations", row.seq);
  const resource = { ...named(row), before: presentAuthorization(row) };
  recordChange(transaction, act, "authorization.ended", resource, { consumerId: row.consumer_id });
}

/** Stores the current rules, and publishes a change if they differ. */
export async function applyRules(
  transaction: WriteTransaction,
  act: Act,
  row: Authorization,
  rules: AuthorizationRules,
): Promise<void> {
  const text = JSON.stringify(rules);
  if (text === row.rules) return;
  await transaction.update("oauth_authorizations", row.seq, { rules: text });
  recordForFollowers(transaction, act, "authorization.updated", row.id, { consumerId: row.consumer_id });
}

function named({ id, client_name, consumer_id, consumer_name }: Authorization) {
  return {
    type: "authorization",
    id,
    name: client_name,
    parent: { type: "consumer", id: consumer_id, name: consumer_name },
  };
}
