import type { Act, Actor, Caller } from "../../../../core/access.ts";
import { recordChange } from "../../../../core/changes/record.ts";
import { type PortalScope, scopesFrom } from "../../../../core/portal-scopes.ts";
import { notFound, Problem } from "../../../../core/problems/problem.ts";
import { generateSecret, secretHash } from "../../../../lib/crypto/secret-text.ts";
import { cookieValue } from "../../../../lib/http/cookie.ts";
import { newId } from "../../../../lib/ids.ts";
import type { HttpRequest } from "../../../../platform/http1/message/http-request.ts";
import { removeInPieces } from "../../../../platform/storage/removal.ts";
import type { Reads, Storage, WriteTransaction } from "../../../../platform/storage/storage.ts";
import type { Identity, Manager } from "../../../api-keys/consumer-managers/managers.ts";
import { type PortalHosts, type PortalSite, portalAccountOf } from "../hosts/portal-hosts.ts";
import { settingsOf } from "../settings/present.ts";
import * as store from "../store.ts";
import { portalCookies } from "./cookie.ts";

/** How long a session lasts. Then the customer signs in again, or the business repeats the hand-off. */
export const sessionMilliseconds = 12 * 60 * 60 * 1000;

const maxValueLength = 100;

export type PortalSession = store.PortalSessionRow;

export interface OpenedPortalSession {
  /** The value of the cookie. Only its hash is stored. */
  value: string;
  site: PortalSite;
  session: PortalSession;
}

/** A person who has proven that a mailbox is theirs, or who they are at the portal's identity provider, or both. */
export interface PortalPerson {
  /** In lower case. */
  mailbox: string | undefined;
  identity?: Identity | undefined;
}

interface PortalSessionsOptions {
  storage: Storage;
  hosts: PortalHosts;
}

/**
 * Browser sessions of customers. They are read from storage with every request: portals have few, and a deleted
 * consumer, a disabled portal or a signed-out session ends at once on every node.
 */
export class PortalSessions {
  constructor(private readonly options: PortalSessionsOptions) {}

  /** Throws `session_required` without a valid session, and `origin_mismatch` for a write from another page. */
  async authenticate(request: HttpRequest, now: number): Promise<Caller> {
    if (request.method !== "GET" && request.method !== "HEAD") this.options.hosts.checkOrigin(request);
    const site = await this.options.hosts.siteOf(request);
    const session = await this.find(this.options.storage.reads, site, request, now);
    if (!session) throw new Problem("session_required");
    return callerOf(site, session);
  }

  /** The session of a request's cookie at a portal. */
  async find(reads: Reads, site: PortalSite, request: HttpRequest, now: number): Promise<PortalSession | undefined> {
    const name = portalCookies.session.nameOf(this.options.hosts.isSecure(request));
    const value = cookieValue(request.headers.get("cookie") ?? "", name);
    if (value === undefined || value.length > maxValueLength) return undefined;
    return store.findPortalSession(reads, site, secretHash(value), now);
  }

  /** Whether the reference and the guides may be shown: to everyone, or to customers. Tokens count as no session. */
  async mayReadDocs(reads: Reads, site: PortalSite, request: HttpRequest, now: number): Promise<boolean> {
    if (settingsOf(site).isReferencePublic) return true;
    return !request.headers.has("authorization") && (await this.find(reads, site, request, now)) !== undefined;
  }

  /** The customer of a hand-off, and whether the browser has a session of them already. Throws `handoff_invalid`. */
  async customerOfHandoff(reads: Reads, request: HttpRequest, code: string, now: number) {
    const site = await this.options.hosts.siteOf(request);
    const found = await store.findHandoffCustomer(reads, site.seq, secretHash(code), now);
    if (!found) throw new Problem("handoff_invalid");
    const current = await this.find(reads, site, request, now);
    const session = !current ? "none" : current.consumer_seq === found.consumer_seq ? "same" : "other";
    return { consumer: { name: found.name }, session } as const;
  }

  /**
   * Exchanges the code of a hand-off for a session, once. Throws `handoff_invalid`, or `session_replaced` if the
   * browser has a session of another customer and `replaces` is false; then the code stays valid.
   */
  async exchange(
    transaction: WriteTransaction,
    request: HttpRequest,
    act: Omit<Act, "account">,
    { code, replaces }: { code: string; replaces: boolean },
  ): Promise<OpenedPortalSession> {
    const site = await this.options.hosts.siteOf(request);
    const handoff = await store.findHandoffForUpdate(transaction, site.seq, secretHash(code), act.now);
    if (!handoff) throw new Problem("handoff_invalid");
    const current = await this.find(transaction, site, request, act.now);
    if (current && current.consumer_seq !== handoff.consumer_seq && !replaces) throw new Problem("session_replaced");
    await transaction.delete("portal_handoffs", handoff.seq);
    const { consumer_seq, subject, scopes, return_url, viewer } = handoff;
    const owner = { consumer_seq, subject, scopes, return_url, viewer, manager_seq: null, mailbox: null, issuer: null };
    const opened = await open(transaction, act, site, owner, current);
    if (!opened) throw new Problem("handoff_invalid");
    return opened;
  }

  /** Opens a session of a manager, who has proven who they are. Ends the browser's former session at the portal. */
  async openForManager(
    transaction: WriteTransaction,
    request: HttpRequest,
    act: Omit<Act, "account">,
    site: PortalSite,
    { manager, mailbox, identity }: { manager: Manager } & PortalPerson,
  ): Promise<OpenedPortalSession> {
    const owner = {
      consumer_seq: manager.consumer_seq,
      subject: manager.email ?? manager.sub,
      scopes: scopesFrom(manager.scopes).join(" "),
      return_url: null,
      viewer: null,
      manager_seq: manager.seq,
      mailbox: mailbox ?? null,
      issuer: identity?.issuer ?? null,
    };
    const former = await this.find(transaction, site, request, act.now);
    const opened = await open(transaction, act, site, owner, former);
    if (!opened) throw new Problem("no_portal_access");
    return opened;
  }

  /** Signs out the session of the request. */
  async end(transaction: WriteTransaction, request: HttpRequest, act: Act): Promise<void> {
    const site = await this.options.hosts.siteOf(request);
    const session = await this.find(transaction, site, request, act.now);
    if (!session) throw notFound("session");
    await remove(transaction, act, site, session);
  }

  deleteExpired(now: number, signal?: AbortSignal): Promise<void> {
    const { storage } = this.options;
    return removeInPieces(storage, (transaction, rows) => store.deleteExpired(transaction, now, rows), { signal });
  }
}

type SessionOwner = Pick<
  PortalSession,
  "consumer_seq" | "subject" | "scopes" | "return_url" | "viewer" | "manager_seq" | "mailbox" | "issuer"
>;

/** Returns undefined if the consumer no longer belongs to the bucket. */
async function open(
  transaction: WriteTransaction,
  act: Omit<Act, "account">,
  site: PortalSite,
  owner: SessionOwner,
  former: PortalSession | undefined,
): Promise<OpenedPortalSession | undefined> {
  if (former) await remove(transaction, act, site, former);
  const value = generateSecret("tgps");
  const times = { created_on: act.now, expires_on: act.now + sessionMilliseconds };
  const id = newId("psess", act.now);
  await transaction.insert("portal_sessions", {
    id,
    hash: secretHash(value),
    portal_seq: site.seq,
    ...owner,
    ...times,
  });
  const session = await store.findPortalSession(transaction, site, secretHash(value), act.now);
  if (!session) return undefined;
  record(transaction, act, "portal-session.created", site, session);
  return { value, site, session };
}

/** The actor is the customer's manager, or the user who views the portal as the customer. */
function actorOf({ viewer, subject, manager_id, manager_email, manager_sub }: PortalSession): Actor {
  if (viewer !== null) return JSON.parse(viewer) as Actor;
  if (manager_id === null) return { type: "manager", id: subject };
  return { type: "manager", id: manager_id, name: manager_email ?? manager_sub ?? subject };
}

/** A manager's current scopes, or those of the hand-off. */
export function portalScopesOf({ manager_id, manager_scopes, scopes }: PortalSession): PortalScope[] {
  return manager_id === null ? scopesFrom(scopes) : scopesFrom(manager_scopes);
}

function callerOf(site: PortalSite, session: PortalSession): Caller {
  return {
    id: session.id,
    type: "manager",
    role: "manager",
    account: portalAccountOf(site),
    session: session.id,
    actor: actorOf(session),
    customer: {
      portalId: site.id,
      bucketName: site.bucket_name,
      consumer: { seq: session.consumer_seq, id: session.consumer_id, name: session.consumer_name },
      scopes: portalScopesOf(session),
      suspension: session.is_suspended === 1 ? (session.suspension_reason ?? "") : undefined,
      managerId: session.manager_id ?? undefined,
    },
  };
}

async function remove(
  transaction: WriteTransaction,
  act: Omit<Act, "account">,
  site: PortalSite,
  session: PortalSession,
): Promise<void> {
  await transaction.delete("portal_sessions", session.seq);
  record(transaction, act, "portal-session.deleted", site, session);
}

function record(
  transaction: WriteTransaction,
  act: Omit<Act, "account">,
  kind: "portal-session.created" | "portal-session.deleted",
  site: PortalSite,
  session: PortalSession,
): void {
  const { type, id, name } = actorOf(session);
  const by: Act = { ...act, account: portalAccountOf(site), actor: id, actorType: type, actorName: name };
  const parent = { type: "consumer", id: session.consumer_id, name: session.consumer_name };
  recordChange(transaction, by, kind, { type: "portal-session", id: session.id, parent });
}
