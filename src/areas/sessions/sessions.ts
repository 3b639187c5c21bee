import type { Act, Caller } from "../../core/access.ts";
import { recordChange } from "../../core/changes/record.ts";
import { notFound, Problem } from "../../core/problems/problem.ts";
import { SecondChanceCache } from "../../lib/cache/second-chance-cache.ts";
import { generateSecret, hashFromText, hashToText, secretHash, secretHashText } from "../../lib/crypto/secret-text.ts";
import { newId } from "../../lib/ids.ts";
import type { Paging } from "../../lib/paging.ts";
import type { HttpRequest } from "../../platform/http1/message/http-request.ts";
import { FollowedCache } from "../../platform/storage/feed/followed-cache.ts";
import { removeInPieces } from "../../platform/storage/removal.ts";
import type { Reads, Storage, WriteTransaction } from "../../platform/storage/storage.ts";
import type { Authentication } from "../accounts/authentication.ts";
import { cookieName, cookieValue } from "./cookie.ts";
import type { OwnOrigin } from "./own-origin.ts";
import * as store from "./store.ts";

const idleMilliseconds = 12 * 60 * 60 * 1000;
export const maxMilliseconds = 7 * 24 * 60 * 60 * 1000;
/** If a token has more sessions, the oldest end. */
const maxPerToken = 100;

const maximumBytes = 4 * 1024 * 1024;
const entryBytes = 500;
const maxValueLength = 100;

interface KnownSession {
  id: string;
  tokenHash: string;
  lastUsedOn: number;
  expiresOn: number;
}

/** Browser sessions of tokens. A session has the permissions of its token, whose record identifies the caller. */
export class Sessions {
  readonly cache: FollowedCache<KnownSession>;
  /** Sessions by hash. */
  readonly #lastUses = new Map<string, number>();

  constructor(
    private readonly storage: Storage,
    private readonly authentication: Authentication,
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

  /** The value is only in the cookie; its hash is stored. */
  async create(transaction: WriteTransaction, token: string, act: Act) {
    const { now } = act;
    const caller = await this.holderOf(token, now);
    const value = generateSecret("tgs");
    const tokenHash = secretHash(token);
    const row = {
      id: newId("sess", now),
      hash: secretHash(value),
      account_seq: caller.account?.seq ?? null,
      token_seq: await store.findTokenSeq(transaction, tokenHash),
      token_id: caller.id,
      token_hash: tokenHash,
      created_on: now,
      last_used_on: now,
      expires_on: now + maxMilliseconds,
    };
    await transaction.insert("sessions", row);
    const { account } = caller;
    const created = actOf(act, caller);
    if (account) recordChange(transaction, created, "session.created", { type: "session", id: row.id });
    for (const old of await store.findExcessSessions(transaction, caller.id, maxPerToken))
      await remove(transaction, created, old);
    return { caller, value, id: row.id, expiresOn: row.expires_on };
  }

  list(reads: Reads, caller: Caller, now: number, paging: Paging) {
    return store.listSessions(reads, caller.id, live(now), paging);
  }

  lastUsedOn({ hash, last_used_on }: store.SessionRow): number {
    return Math.max(last_used_on, this.#lastUses.get(hashToText(hash)) ?? 0);
  }

  /** `current` is the session of the request. */
  async delete(transaction: WriteTransaction, act: Act, caller: Caller, named: string): Promise<void> {
    const id = named === "current" ? caller.session : named;
    const session = id === undefined ? undefined : await store.findSession(transaction, caller.id, id);
    if (!session) throw notFound("session");
    await remove(transaction, actOf(act, caller), session);
  }

  /** Written asynchronously in one batch, so that no request waits for it. */
  async saveLastUse(): Promise<void> {
    if (this.#lastUses.size === 0) return;
    const uses = [...this.#lastUses];
    await this.storage.write(async (transaction) => {
      for (const [hash, usedOn] of uses) await store.recordUse(transaction, hashFromText(hash), usedOn);
    });
    for (const [hash, usedOn] of uses) if (this.#lastUses.get(hash) === usedOn) this.#lastUses.delete(hash);
  }

  deleteEnded(now: number, signal?: AbortSignal): Promise<void> {
    return removeInPieces(this.storage, (transaction, rows) => store.deleteEnded(transaction, live(now), rows), {
      signal,
    });
  }

  #callerOf(hash: string, now: number): Caller | undefined | Promise<Caller | undefined> {
    const known = this.cache.peek(hash);
    return known && this.#isLive(hash, known, now) ? this.#use(hash, known, now) : this.#load(hash, now);
  }

  /** Also for a session that seems idle here: it may have been used on another node. */
  async #load(hash: string, now: number): Promise<Caller | undefined> {
    const session = await this.cache.load(hash, async () => {
      const row = await store.findByHash(this.storage.reads, hashFromText(hash));
      return row && toKnown(row);
    });
    return session && this.#isLive(hash, session, now) ? this.#use(hash, session, now) : undefined;
  }

  #isLive(hash: string, { lastUsedOn, expiresOn }: KnownSession, now: number): boolean {
    return now < expiresOn && now < Math.max(lastUsedOn, this.#lastUses.get(hash) ?? 0) + idleMilliseconds;
  }

  #use(hash: string, session: KnownSession, now: number): Caller | undefined | Promise<Caller | undefined> {
    const caller = this.authentication.authenticateHash(session.tokenHash, now);
    const used = (found: Caller | undefined) => {
      if (!found) return undefined;
      // Known here as long as it is cached, so that a delayed write does not make it seem idle.
      session.lastUsedOn = Math.max(session.lastUsedOn, now);
      this.#lastUses.set(hash, now);
      return { ...found, session: session.id };
    };
    return caller instanceof Promise ? caller.then(used) : used(caller);
  }
}

/** The actor of sign-in and sign-out: the holder of the token. The operator has no account here. */
function actOf(act: Act, { id, role, account, name }: Caller): Act {
  const actorType = role === "operator" ? "operator" : "token";
  return { ...act, account: account as Act["account"], actor: id, actorType, actorName: name };
}

async function remove(transaction: WriteTransaction, act: Act, session: store.SessionRow): Promise<void> {
  await store.deleteSession(transaction, session.seq);
  const data = { hash: hashToText(session.hash) };
  if (session.account_seq !== null)
    recordChange(transaction, act, "session.deleted", { type: "session", id: session.id }, data);
  else transaction.record({ accountSeq: null, actor: act.actor, kind: "session.deleted", subject: session.id, data });
}

const live = (now: number) => ({ now, usedAfter: now - idleMilliseconds });

function toKnown(row: store.SessionRow): KnownSession {
  return {
    id: row.id,
    tokenHash: hashToText(row.token_hash),
    lastUsedOn: row.last_used_on,
    expiresOn: row.expires_on,
  };
}
