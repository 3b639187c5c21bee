import type { AccountReference, Act, Caller, Membership } from "../../../core/access.ts";
import { recordChange } from "../../../core/changes/record.ts";
import { existing, notFound, Problem } from "../../../core/problems/problem.ts";
import { SecondChanceCache } from "../../../lib/cache/second-chance-cache.ts";
import {
  generateSecret,
  hashFromText,
  hashToText,
  secretHash,
  secretHashText,
} from "../../../lib/crypto/secret-text.ts";
import { cookieValue } from "../../../lib/http/cookie.ts";
import { newId } from "../../../lib/ids.ts";
import type { Paging } from "../../../lib/paging.ts";
import type { HttpRequest } from "../../../platform/http1/message/http-request.ts";
import { FollowedCache } from "../../../platform/storage/change-feed/followed-cache.ts";
import { removeRows } from "../../../platform/storage/removal.ts";
import { findRow } from "../../../platform/storage/rows.ts";
import type { Reads, Storage, WriteTransaction } from "../../../platform/storage/storage.ts";
import type { Authentication } from "../accounts/authentication.ts";
import { activeMemberships, type Person, personActOf } from "../members/members.ts";
import type { KnownPerson, PeopleDirectory } from "../members/people-directory.ts";
import { cookieName } from "./cookie.ts";
import type { OwnOrigin } from "./own-origin.ts";
import * as store from "./store.ts";

const idleMilliseconds = 12 * 60 * 60 * 1000;
export const maxMilliseconds = 7 * 24 * 60 * 60 * 1000;
/** If a token or a person has more sessions, the oldest end. */
const maxPerOwner = 100;

const maximumBytes = 4 * 1024 * 1024;
const entryBytes = 500;
const maxValueLength = 100;

interface KnownSession {
  id: string;
  tokenHash: string;
  /** The person of the session. Undefined if a token opened it. */
  person: { id: string; seq: number } | undefined;
  /** Whether the identity provider opened it: roles of its claims count only then. */
  isOfProvider: boolean;
  /** The accounts in which it has ended, as stored. */
  endedIn: string | null;
  /** The only account of a person's session. Undefined for all accounts of the person. */
  accountSeq: number | undefined;
  lastUsedOn: number;
  expiresOn: number;
}

/** How a person signed in. */
export type SignInMethod = "invitation" | "mail" | "oidc";

export interface OpenedSession {
  id: string;
  /** Only for the cookie; its hash is stored. */
  value: string;
  expiresOn: number;
}

/**
 * Browser sessions of tokens and of people. A session has the permissions of its owner at the time of each request: its
 * token, or the roles of its person.
 */
export class Sessions {
  readonly cache: FollowedCache<KnownSession>;
  /** Sessions by hash. */
  readonly #lastUses = new Map<string, number>();

  constructor(
    private readonly storage: Storage,
    private readonly authentication: Authentication,
    private readonly people: PeopleDirectory,
    readonly origin: OwnOrigin,
  ) {
    this.cache = new FollowedCache(storage.feed, new SecondChanceCache(maximumBytes, () => entryBytes));
    storage.feed.follow("sessions", { "session.deleted": ({ data }) => this.cache.evict(data.hash) }, () =>
      this.cache.clear(),
    );
  }

  /** For sign-in: throws unless a page of this server sent the request, and the cookie is safe there. */
  checkOrigin(request: HttpRequest): void {
    this.origin.check(request);
    this.origin.checkSecure(request);
  }

  /** Returns the holder of a token. Throws if the token is not valid. */
  async holderOf(token: string, now: number): Promise<Caller> {
    const caller = await this.authentication.authenticate(token, now);
    if (!caller) throw new Problem("unauthenticated", { detail: "This token is not valid." });
    return caller;
  }

  /** Returns undefined if the request has no valid session. Throws for a write from a page of another origin. */
  authenticate(request: HttpRequest, now: number): Caller | undefined | Promise<Caller | undefined> {
    const value = cookieValue(request.headers.get("cookie") ?? "", cookieName(this.origin.isSecure));
    if (value === undefined || value.length > maxValueLength) return undefined;
    if (request.method !== "GET" && request.method !== "HEAD") this.origin.check(request);
    return this.#callerOf(secretHashText(value), now);
  }

  /** A session of a token. `former` is the value of the browser's cookie, whose session ends. */
  async openForToken(transaction: WriteTransaction, token: string, act: Act, former: string | undefined) {
    const caller = await this.holderOf(token, act.now);
    const tokenHash = secretHash(token);
    // The operator's token is not stored.
    const stored = await findRow(transaction, "tokens", { hash: tokenHash });
    const owner = {
      account_seq: caller.account?.seq ?? null,
      token_seq: stored?.seq ?? null,
      person_seq: null,
      token_id: caller.id,
      token_hash: tokenHash,
      method: "token",
    };
    const { type: actorType, id: actor, name: actorName, account } = caller;
    const by = { ...act, actor, actorType, actorName };
    const opened = await this.#open(transaction, by, owner, account ? [account] : [], former);
    return { ...opened, caller };
  }

  /**
   * A session of a person, in all accounts that they are a member of now or later. With `account` it is limited to that
   * one: the link of an invitation does not prove access to the person's mailbox.
   */
  async openForPerson(
    transaction: WriteTransaction,
    act: Omit<Act, "account">,
    { person, method, account, former }: PersonSignIn,
  ): Promise<OpenedSession> {
    const memberships = await activeMemberships(transaction, person.seq);
    const owner = {
      account_seq: account?.seq ?? null,
      token_seq: null,
      person_seq: person.seq,
      token_id: person.id,
      token_hash: undefined,
      method,
    };
    const accounts = account ? [account] : memberships.map((membership) => membership.account);
    return this.#open(transaction, personActOf(act, person), owner, accounts, former);
  }

  list(reads: Reads, caller: Caller, now: number, paging: Paging) {
    return store.listSessions(reads, ownerOfCaller(caller), live(now), paging);
  }

  /** The sessions of an account's tokens and members. */
  listOfAccount(reads: Reads, accountSeq: number, now: number, paging: Paging) {
    return store.listSessions(reads, { accountSeq }, live(now), paging);
  }

  lastUsedOn({ hash, last_used_on }: Pick<store.ConsoleSessionRow, "hash" | "last_used_on">): number {
    return Math.max(last_used_on, this.#lastUses.get(hashToText(hash)) ?? 0);
  }

  /** `current` is the session of the request. */
  async delete(transaction: WriteTransaction, act: Act, caller: Caller, named: string): Promise<void> {
    const id = named === "current" ? caller.session : named;
    if (id === undefined) throw notFound("session");
    const owner = ownerOfCaller(caller);
    await remove(transaction, act, await existing(store.findConsoleSession(transaction, owner, id), "session"));
  }

  /** Ends a session in the account. In other accounts of the person it continues. */
  async deleteOfAccount(transaction: WriteTransaction, act: Act, id: string): Promise<void> {
    const owner = { accountSeq: act.account.seq };
    await endIn(transaction, act, await existing(store.findConsoleSession(transaction, owner, id), "session"));
  }

  /** Ends the sessions of a former member in the account, and returns their number. */
  async endOfMember(transaction: WriteTransaction, act: Act, personSeq: number): Promise<number> {
    const sessions = await store.sessionsOfPerson(transaction, personSeq, act.account.seq);
    for (const session of sessions) await endIn(transaction, act, session);
    return sessions.length;
  }

  /** Written asynchronously in one batch, so that no request waits for it. */
  async saveLastUse(): Promise<void> {
    if (this.#lastUses.size === 0) return;
    const uses = [...this.#lastUses];
    await this.storage.write(async (transaction) => {
      for (const [hash, usedOn] of uses) await store.recordConsoleSessionUse(transaction, hashFromText(hash), usedOn);
    });
    for (const [hash, usedOn] of uses) if (this.#lastUses.get(hash) === usedOn) this.#lastUses.delete(hash);
  }

  deleteEnded(now: number, signal?: AbortSignal): Promise<void> {
    const hasEnded = "expires_on <= ? OR last_used_on <= ?";
    return removeRows(this.storage, "sessions", hasEnded, [now, live(now).usedAfter], { signal });
  }

  async #open(
    transaction: WriteTransaction,
    act: Omit<Act, "account">,
    { token_hash, ...owner }: SessionOwner,
    accounts: readonly AccountReference[],
    former: string | undefined,
  ): Promise<OpenedSession> {
    const { now, ip } = act;
    const value = generateSecret("tgs");
    const hash = secretHash(value);
    const row = {
      id: newId("sess", now),
      hash,
      ...owner,
      // No token has this hash, so that versions that do not know people reject the session.
      token_hash: token_hash ?? hash,
      ip: ip ?? null,
      ended_in: null,
      created_on: now,
      last_used_on: now,
      expires_on: now + maxMilliseconds,
    };
    const replaced =
      former === undefined ? undefined : await findRow(transaction, "sessions", { hash: secretHash(former) });
    if (replaced) await remove(transaction, act, replaced);
    await transaction.insert("sessions", row);
    for (const account of accounts)
      recordChange(transaction, { ...act, account }, "session.created", { type: "session", id: row.id });
    for (const old of await store.findExcessSessions(transaction, owner.token_id, maxPerOwner))
      await remove(transaction, act, old);
    return { value, id: row.id, expiresOn: row.expires_on };
  }

  /** Storage is read also for a session that seems idle here: it may have been used on another node. */
  async #callerOf(hash: string, now: number): Promise<Caller | undefined> {
    const known = this.cache.peek(hash);
    if (known && this.#isLive(hash, known, now)) return this.#use(hash, known, now);
    const session = await this.cache.load(hash, async () => {
      const row = await findRow(this.storage.reads, "sessions", { hash: hashFromText(hash) });
      return row && toKnown(row);
    });
    return session && this.#isLive(hash, session, now) ? this.#use(hash, session, now) : undefined;
  }

  #isLive(hash: string, { lastUsedOn, expiresOn }: KnownSession, now: number): boolean {
    return now < expiresOn && now < Math.max(lastUsedOn, this.#lastUses.get(hash) ?? 0) + idleMilliseconds;
  }

  async #use(hash: string, session: KnownSession, now: number): Promise<Caller | undefined> {
    const { person, tokenHash } = session;
    const found = person
      ? callerIn(await this.people.find(person.id, person.seq), session, now)
      : await this.authentication.authenticateHash(tokenHash, now);
    if (!found) return undefined;
    // Known here as long as it is cached, so that a delayed write does not make it seem idle.
    session.lastUsedOn = Math.max(session.lastUsedOn, now);
    this.#lastUses.set(hash, now);
    return { ...found, session: session.id, sessionAccountSeq: person && session.accountSeq };
  }
}

interface PersonSignIn {
  person: Person;
  method: SignInMethod;
  account?: AccountReference | undefined;
  /** The value of the browser's cookie, whose session ends. */
  former: string | undefined;
}

type SessionOwner = Pick<
  store.ConsoleSessionRow,
  "account_seq" | "token_seq" | "person_seq" | "token_id" | "method"
> & {
  token_hash: Buffer | undefined;
};

/**
 * The person as a caller, until the request names an account in their first one. A person who is only invited has no
 * account, and can read and accept their invitations.
 */
export function callerOf({ id, email }: { id: string; email: string }, memberships: readonly Membership[]): Caller {
  const { role, account, projects } = memberships[0] ?? {
    role: "reader" as const,
    account: undefined,
    projects: undefined,
  };
  return { type: "person", id, email, name: email, role, account, projects, memberships };
}

/** Returns undefined for a person without an account that the session is valid for, unless they have an invitation. */
function callerIn(person: KnownPerson | undefined, session: KnownSession, now: number): Caller | undefined {
  const { accountSeq, isOfProvider, endedIn } = session;
  const memberships = person?.memberships.filter(
    ({ account, isFromClaim }) =>
      (accountSeq === undefined || account.seq === accountSeq) &&
      (isOfProvider || !isFromClaim) &&
      !endedIn?.includes(`,${account.seq},`),
  );
  const isInvited = person !== undefined && accountSeq === undefined && now < person.invitedUntil;
  return person && (memberships!.length > 0 || isInvited) ? callerOf(person, memberships!) : undefined;
}

/** A session that is valid in one account alone does not reach the person's sessions in others. */
const ownerOfCaller = ({ id, sessionAccountSeq }: Caller) => ({ ownerId: id, limitedTo: sessionAccountSeq });

export type NamedSession = store.NamedSessionRow;

/** The token or the person of a session, or the operator. */
export function ownerOf({ person_seq, token_seq, token_id: id, person_email, token_name }: NamedSession) {
  const type = person_seq !== null ? "person" : token_seq !== null ? "token" : "operator";
  const name = person_email ?? token_name;
  return { type, id, ...(name === null ? {} : { name }) } as const;
}

/** Ends a session in the account of the act: all of it, unless it is also valid in other accounts. */
async function endIn(transaction: WriteTransaction, act: Act, session: store.ConsoleSessionRow): Promise<void> {
  const others = (await store.accountsOf(transaction, session)).filter(({ seq }) => seq !== act.account.seq);
  if (others.length === 0) {
    await remove(transaction, act, session, [act.account]);
    return;
  }
  await store.endSessionIn(transaction, session, act.account.seq);
  const data = { hash: hashToText(session.hash) };
  recordChange(transaction, act, "session.deleted", { type: "session", id: session.id }, data);
}

/** The end of a session is in the audit log of each account that it was valid for. */
async function remove(
  transaction: WriteTransaction,
  act: Omit<Act, "account">,
  session: store.ConsoleSessionRow,
  known: readonly AccountReference[] = [],
): Promise<void> {
  await transaction.delete("sessions", session.seq);
  const data = { hash: hashToText(session.hash) };
  const accounts = [...known, ...(await store.accountsOf(transaction, session))];
  const seqs = new Set(accounts.map(({ seq }) => seq));
  for (const seq of seqs) {
    const account = accounts.find((each) => each.seq === seq)!;
    recordChange(transaction, { ...act, account }, "session.deleted", { type: "session", id: session.id }, data);
  }
  if (seqs.size === 0)
    transaction.record({ accountSeq: null, actor: act.actor, kind: "session.deleted", subject: session.id, data });
}

const live = (now: number) => ({ now, usedAfter: now - idleMilliseconds });

function toKnown(consoleSession: store.ConsoleSessionRow): KnownSession {
  return {
    id: consoleSession.id,
    tokenHash: hashToText(consoleSession.token_hash),
    person:
      consoleSession.person_seq === null ? undefined : { id: consoleSession.token_id, seq: consoleSession.person_seq },
    accountSeq: consoleSession.account_seq ?? undefined,
    isOfProvider: consoleSession.method === "oidc",
    endedIn: consoleSession.ended_in,
    lastUsedOn: consoleSession.last_used_on,
    expiresOn: consoleSession.expires_on,
  };
}
