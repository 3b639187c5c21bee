import type { Act } from "../../../core/access.ts";
import { scopesFrom } from "../../../core/portal-scopes.ts";
import { Problem } from "../../../core/problems/problem.ts";
import { generateSecret, secretHash } from "../../../lib/crypto/secret-text.ts";
import type { Reads, WriteTransaction } from "../../../platform/storage/storage.ts";
import type { ConsumerReference } from "../../api-keys/consumer-addresses/consumer-address.ts";
import { findManager } from "../../api-keys/consumer-managers/managers.ts";
import type { Keys } from "../../api-keys/keys/keys.ts";
import { rulesOfNewKey } from "../portal/customer/customer-keys.ts";
import type { PortalSite } from "../portal/hosts/portal-hosts.ts";
import { createAuthorization } from "./authorizations.ts";
import { type AuthorizeRequest, returned } from "./authorize-requests.ts";
import { lockClient } from "./client-store.ts";
import { type Client, clientOfDocument, keepClient } from "./clients.ts";
import { OAuthRejected } from "./oauth-error.ts";
import { type AuthorizationRules, permittedOf } from "./rules.ts";

/** How long a code is valid. */
const codeMilliseconds = 60_000;
const dayMilliseconds = 24 * 60 * 60 * 1000;

/** The person of a portal session who consents. */
interface ConsentingPerson {
  consumer: ConsumerReference;
  /** Undefined for the person of a hand-off. */
  managerId: string | undefined;
  subject: string;
}

/**
 * What the customer would grant: of the requested permissions those that a new key would have, or all of them if none are
 * requested. Throws `invalid_scope` if none of the requested ones remain, and `invalid_client` for the client of another customer.
 */
export async function offerOf(
  reads: Reads,
  keys: Keys,
  request: AuthorizeRequest,
  consumer: ConsumerReference,
  now: number,
): Promise<{ granted: string[]; rules: AuthorizationRules }> {
  const { consumerSeq } = request.client;
  if (consumerSeq !== null && consumerSeq !== consumer.seq)
    throw new OAuthRejected("invalid_client", "The client belongs to another customer.");
  const rules = await rulesOfNewKey(reads, keys, consumer, now);
  const { permissions = [], ...rest } = rules;
  if (request.scopes === undefined) return { granted: permissions, rules };
  const granted = permittedOf(request.scopes, permissions);
  if (granted.length === 0)
    throw returned(new OAuthRejected("invalid_scope", "The customer has none of these permissions."), request);
  return { granted, rules: { ...rest, permissions: granted } };
}

/** Until when an authorization lasts that is granted at a time. */
export function authorizationEnd(refreshDays: number, grantedOn: number): number {
  return grantedOn + refreshDays * dayMilliseconds;
}

/** Stores the consent, and returns the code. The consumer's row must be locked. */
export async function grantCode(
  transaction: WriteTransaction,
  act: Act,
  keys: Keys,
  site: PortalSite,
  request: AuthorizeRequest,
  { consumer, managerId, subject }: ConsentingPerson,
): Promise<string> {
  const { granted, rules } = await offerOf(transaction, keys, request, consumer, act.now);
  const client = await storedClient(transaction, act, site, request, consumer);
  const code = generateSecret("tgac");
  await createAuthorization(transaction, act, site, {
    client,
    consumer,
    managerSeq: await consenterOf(transaction, consumer, managerId),
    subject,
    granted,
    rules,
    code: {
      hash: secretHash(code),
      challenge: request.challenge,
      redirectUri: request.redirectUri,
      expiresOn: act.now + codeMilliseconds,
      deployment: request.deployment,
    },
  });
  return code;
}

/**
 * The manager who consents. Undefined for the person of a hand-off. Throws if they lost the scope since their session was
 * read: what they had consented to has ended then. The consumer's row must be locked.
 */
export async function consenterOf(
  transaction: WriteTransaction,
  consumer: ConsumerReference,
  managerId: string | undefined,
): Promise<number | undefined> {
  if (managerId === undefined) return undefined;
  const { seq, scopes } = await findManager(transaction, consumer, managerId);
  if (!scopesFrom(scopes).includes("keys:write")) throw new Problem("portal_scope_missing");
  return seq;
}

/** Locks the client: it may have been deleted while the person decided. */
async function storedClient(
  transaction: WriteTransaction,
  act: Act,
  site: PortalSite,
  { client }: AuthorizeRequest,
  consumer: ConsumerReference,
): Promise<Client> {
  if (client.document) return clientOfDocument(transaction, act, site, client.document, consumer);
  const { stored } = client;
  if (!stored || !(await lockClient(transaction, stored.seq)))
    throw new Problem("not_found", { detail: "The client was deleted." });
  await keepClient(transaction, stored);
  return stored;
}
