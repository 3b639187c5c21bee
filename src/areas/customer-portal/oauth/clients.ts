import { timingSafeEqual } from "node:crypto";
import type { Act } from "../../../core/access.ts";
import { recordChange } from "../../../core/changes/record.ts";
import { notFound, Problem } from "../../../core/problems/problem.ts";
import { generateSecret, secretHash } from "../../../lib/crypto/secret-text.ts";
import type { Precondition } from "../../../lib/http/etag.ts";
import { newId } from "../../../lib/ids.ts";
import type { Reads, WriteTransaction } from "../../../platform/storage/storage.ts";
import type { ConsumerReference } from "../../api-keys/consumer-addresses/consumer-address.ts";
import type { ClientDocument } from "./client-documents.ts";
import * as store from "./client-store.ts";
import { presentClient } from "./present.ts";
import type { ClientInput, ClientPatch, ClientType } from "./schema.ts";

export type Client = store.ClientRow;

/** How many clients a customer may create, and how many with a document a customer may be the first to authorize. */
const maxOfConsumer = 20;

/** A portal, as its clients refer to it. */
export interface ClientPortal {
  seq: number;
  id: string;
}

export { listClients } from "./client-store.ts";

/** Throws 404 if the portal has no such client. */
export async function findClient(reads: Reads, portal: ClientPortal, id: string, now: number): Promise<Client> {
  const client = await store.findClient(reads, portal.seq, id, now);
  if (!client) throw notFound("client");
  return client;
}

/** Locks the client. Throws 404 if the portal has no such client. */
export async function findClientForUpdate(
  transaction: WriteTransaction,
  portal: ClientPortal,
  id: string,
  now: number,
): Promise<Client> {
  const { seq } = await findClient(transaction, portal, id, now);
  if (!(await store.lockClient(transaction, seq))) throw notFound("client");
  return findClient(transaction, portal, id, now);
}

interface NewClient {
  type: ClientType;
  name: string;
  redirectUris: string[];
  consumer?: Pick<ConsumerReference, "seq"> | undefined;
  documentUrl?: string;
  secretHash?: Buffer;
  registeredFrom?: string;
  expiresOn?: number;
}

export async function insertClient(
  transaction: WriteTransaction,
  act: Act,
  portal: ClientPortal,
  given: NewClient,
): Promise<Client> {
  const id = newId("oac", act.now);
  await transaction.insert("oauth_clients", {
    id,
    portal_seq: portal.seq,
    consumer_seq: given.consumer?.seq ?? null,
    type: given.type,
    document_url: given.documentUrl ?? null,
    name: given.name,
    redirect_uris: JSON.stringify(given.redirectUris),
    secret_hash: given.secretHash ?? null,
    registered_from: given.registeredFrom ?? null,
    version: 1,
    created_on: act.now,
    updated_on: act.now,
    expires_on: given.expiresOn ?? null,
  });
  const client = await findClient(transaction, portal, id, act.now);
  recordChange(transaction, act, "oauth-client.created", {
    ...namedClient(client, portal),
    after: presentClient(client),
  });
  return client;
}

export function createClient(transaction: WriteTransaction, act: Act, portal: ClientPortal, input: ClientInput) {
  return insertClient(transaction, act, portal, { type: "registered", ...input });
}

/** Creates a client of a customer, whose row must be locked. A service client has a secret, which is returned once. */
export async function createOwnClient(
  transaction: WriteTransaction,
  act: Act,
  portal: ClientPortal,
  consumer: ConsumerReference,
  { name, redirectUris }: { name: string; redirectUris?: string[] | undefined },
): Promise<{ client: Client; secret?: string }> {
  if ((await store.countClients(transaction, portal.seq, { consumerSeq: consumer.seq })) >= maxOfConsumer)
    throw new Problem("oauth_client_limit_reached");
  if (redirectUris)
    return {
      client: await insertClient(transaction, act, portal, { type: "registered", name, redirectUris, consumer }),
    };
  const secret = generateSecret("tgcs");
  const given = { type: "service" as const, name, redirectUris: [], consumer, secretHash: secretHash(secret) };
  return { client: await insertClient(transaction, act, portal, given), secret };
}

/** Creates or updates the client of a metadata document that a customer authorizes, and returns it. */
export async function clientOfDocument(
  transaction: WriteTransaction,
  act: Act,
  portal: ClientPortal,
  { url, name, redirectUris }: ClientDocument,
  consumer: Pick<ConsumerReference, "id">,
): Promise<Client> {
  await store.lockDocumentClients(transaction);
  const known = await store.findDocumentClient(transaction, portal.seq, url);
  if (!known) {
    if ((await store.countClients(transaction, portal.seq, { documentsOf: consumer.id })) >= maxOfConsumer)
      throw new Problem("oauth_client_limit_reached", {
        detail:
          "The customer has authorized 20 clients that were not known before. Clients without authorizations are removed.",
      });
    const given = { type: "document" as const, name, redirectUris, documentUrl: url, registeredFrom: consumer.id };
    return insertClient(transaction, act, portal, given);
  }
  return updateClient(transaction, act, portal, known, { name, redirectUris });
}

export async function updateClient(
  transaction: WriteTransaction,
  act: Act,
  portal: ClientPortal,
  client: Client,
  { name = client.name, redirectUris }: ClientPatch,
): Promise<Client> {
  const redirect_uris = redirectUris === undefined ? client.redirect_uris : JSON.stringify(redirectUris);
  if (name === client.name && redirect_uris === client.redirect_uris) return client;
  const changed = { name, redirect_uris, version: client.version + 1, updated_on: act.now };
  await transaction.update("oauth_clients", client.seq, changed);
  const updated = { ...client, ...changed };
  recordChange(transaction, act, "oauth-client.updated", {
    ...namedClient(client, portal),
    before: presentClient(client),
    after: presentClient(updated),
  });
  return updated;
}

/** Its authorizations end: the database deletes them with the client. */
export async function deleteClient(
  transaction: WriteTransaction,
  act: Act,
  portal: ClientPortal,
  client: Client,
  precondition: Precondition,
): Promise<void> {
  precondition(client);
  await transaction.delete("oauth_clients", client.seq);
  recordChange(transaction, act, "oauth-client.deleted", {
    ...namedClient(client, portal),
    before: presentClient(client),
  });
}

/** A dynamic client that a customer has authorized does not expire. */
export async function keepClient(transaction: WriteTransaction, client: Client): Promise<void> {
  if (client.expires_on !== null) await transaction.update("oauth_clients", client.seq, { expires_on: null });
}

export function isClientSecret({ secret_hash }: Client, secret: string): boolean {
  return secret_hash !== null && timingSafeEqual(Buffer.from(secret_hash), secretHash(secret));
}

function namedClient({ id, name }: Client, portal: ClientPortal) {
  return { type: "oauth-client", id, name, parent: { type: "portal", id: portal.id } };
}
