import { type Act, type Actor, allows, type Role } from "../../../../core/access.ts";
import { recordChange } from "../../../../core/changes/record.ts";
import type { PortalScope } from "../../../../core/portal-scopes.ts";
import { ifFound, invalid, Problem } from "../../../../core/problems/problem.ts";
import { generateSecret, secretHash } from "../../../../lib/crypto/secret-text.ts";
import type { WriteTransaction } from "../../../../platform/storage/storage.ts";
import type { ConsumerFinder, ConsumerReference } from "../../../api-keys/consumer-addresses/consumer-address.ts";
import type { HandoffInput } from "../schema.ts";
import { scopes } from "../schema.ts";
import { findPortal, namedPortal, type Portal } from "../settings/portals.ts";
import { settingsOf } from "../settings/present.ts";

const handoffMilliseconds = 2 * 60 * 1000;

export interface Handoff {
  portal: Portal;
  /** Only its hash is stored. */
  code: string;
  expiresOn: number;
}

/** Issues a code for a session of a customer. Throws if the caller's role does not permit one of the scopes. */
export async function handOff(
  transaction: WriteTransaction,
  act: Act,
  consumers: ConsumerFinder,
  { bucketName, role }: { bucketName: string; role: Role },
  input: HandoffInput,
): Promise<Handoff> {
  const beyond = input.scopes.find((scope) => !permits(role, scope));
  if (beyond !== undefined)
    throw new Problem("forbidden", { detail: `The token's role does not allow the scope ${beyond}.` });
  const found = await customerOf(transaction, act, consumers, bucketName, input.consumerName);
  const { returnUrl } = input;
  const { returnOrigins = [] } = settingsOf(found.portal);
  if (returnUrl !== undefined && !returnOrigins.includes(new URL(returnUrl).origin))
    throw invalid("/returnUrl", "must be within one of the portal's returnOrigins");
  const { subject } = input;
  return issue(transaction, act, found, { subject, scopes: input.scopes, returnUrl, viewer: undefined });
}

/** Issues a code for a session that sees what the customer sees, and changes nothing. */
export async function viewAs(
  transaction: WriteTransaction,
  act: Act,
  consumers: ConsumerFinder,
  bucketName: string,
  consumerName: string,
): Promise<Handoff> {
  const found = await customerOf(transaction, act, consumers, bucketName, consumerName);
  const viewer: Actor = { type: act.actorType ?? "system", id: act.actor, name: act.actorName };
  const readable = scopes.filter(isRead);
  return issue(transaction, act, found, { subject: act.actor, scopes: readable, returnUrl: undefined, viewer });
}

const isRead = (scope: PortalScope): boolean => scope.endsWith(":read");

const permits = (role: Role, scope: PortalScope): boolean =>
  allows(isRead(scope) ? "read" : scope === "plans:write" ? "bill" : "edit", role);

interface Customer {
  bucket: { id: string; name: string };
  portal: Portal;
  consumer: ConsumerReference;
}

async function customerOf(
  transaction: WriteTransaction,
  act: Act,
  consumers: ConsumerFinder,
  bucketName: string,
  consumerName: string,
): Promise<Customer> {
  const { bucket, portal } = await findPortal(transaction, act.account.seq, bucketName);
  if (portal.is_enabled === 0) throw new Problem("portal_disabled");
  const address = { accountSeq: act.account.seq, bucketName, consumerName, tags: [] };
  const found = await ifFound(consumers.find(transaction, address));
  if (!found) throw invalid("/consumerName", "is no consumer of the bucket");
  return { bucket, portal, consumer: found.consumer };
}

interface Grant {
  subject: string;
  scopes: readonly PortalScope[];
  returnUrl: string | undefined;
  viewer: Actor | undefined;
}

async function issue(
  transaction: WriteTransaction,
  act: Act,
  { bucket, portal, consumer }: Customer,
  { subject, scopes: granted, returnUrl, viewer }: Grant,
): Promise<Handoff> {
  const code = generateSecret("tgh");
  const expiresOn = act.now + handoffMilliseconds;
  await transaction.insert("portal_handoffs", {
    hash: secretHash(code),
    portal_seq: portal.seq,
    consumer_seq: consumer.seq,
    subject,
    scopes: granted.join(" "),
    return_url: returnUrl ?? null,
    viewer: viewer ? JSON.stringify(viewer) : null,
    expires_on: expiresOn,
  });
  const after = { consumer: consumer.name, scopes: [...granted], ...(viewer ? {} : { subject }) };
  const action = viewer ? {} : { action: "portal.handed_off" };
  // The customer is a topic, so that its activity shows who entered the portal.
  const resource = {
    ...namedPortal(portal, bucket),
    parent: { type: "consumer", id: consumer.id, name: consumer.name },
  };
  recordChange(transaction, act, viewer ? "portal.viewed" : "portal.handed-off", { ...resource, ...action, after });
  return { portal, code, expiresOn };
}
