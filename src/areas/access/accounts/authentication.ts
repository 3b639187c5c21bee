import { timingSafeEqual } from "node:crypto";
import type { AccountReference, Caller } from "../../../core/access.ts";
import { Problem } from "../../../core/problems/problem.ts";
import { ownCopy } from "../../../lib/cache/own-copy.ts";
import { SecondChanceCache } from "../../../lib/cache/second-chance-cache.ts";
import { hashFromText, secretHash, secretHashText } from "../../../lib/crypto/secret-text.ts";
import { FollowedCache } from "../../../platform/storage/change-feed/followed-cache.ts";
import { NamedWrite } from "../../../platform/storage/named-write.ts";
import type { Storage } from "../../../platform/storage/storage.ts";
import { accessOf } from "./exchanged-scope.ts";
import * as store from "./store.ts";

interface Credential {
  seq: number;
  caller: Caller;
  expiresOn: number | null;
}

const maximumBytes = 8 * 1024 * 1024;
const entryBytes = 400;
const maxHashes = 500;
const maxHashedLength = 512;

interface TokenUse {
  id: string;
  seq: number;
  usedOn: number;
}

export const tokenUseWrite = new NamedWrite<TokenUse[]>("uses of tokens", async (transaction, uses) => {
  for (const use of uses) await store.recordTokenUse(transaction, use, use.usedOn);
});

/** Authenticates tokens, from the cache if possible, and records when each was last used. */
export class Authentication {
  readonly credentials: FollowedCache<Credential>;
  readonly accounts: FollowedCache<AccountReference>;
  /** Last uses by the token's id. */
  readonly #lastUses = new Map<string, { seq: number; usedOn: number }>();
  readonly #hashes = new Map<string, string>();
  readonly #operatorHash: Buffer | undefined;

  constructor(
    private readonly storage: Storage,
    operatorToken: string | undefined,
  ) {
    this.#operatorHash = operatorToken === undefined ? undefined : secretHash(operatorToken);
    this.credentials = new FollowedCache(storage.feed, new SecondChanceCache(maximumBytes, () => entryBytes));
    this.accounts = new FollowedCache(storage.feed, new SecondChanceCache(maximumBytes, () => entryBytes));
    storage.feed.follow(
      "tokens",
      {
        "token.deleted": ({ data }) => this.credentials.evict(data.hash),
        "account.deleted": ({ data }) => {
          this.credentials.clear();
          this.accounts.evict(data.name);
        },
      },
      () => {
        this.credentials.outdate();
        this.accounts.outdate();
      },
    );
  }

  authenticate(token: string, now: number): Caller | undefined | Promise<Caller | undefined> {
    return this.authenticateHash(this.#hashOf(token), now);
  }

  /** Authenticates by the hash of a token, which is all that a session stores of it. */
  authenticateHash(hash: string, now: number): Caller | undefined | Promise<Caller | undefined> {
    const known = this.credentials.peek(hash);
    if (known) return this.#use(known, now);
    if (this.#operatorHash && timingSafeEqual(hashFromText(hash), this.#operatorHash))
      return { type: "operator", id: "operator", role: "operator", account: undefined };
    return this.#load(hash, now);
  }

  findAccount(name: string): Promise<AccountReference | undefined> {
    return this.accounts.get(name, async () => {
      const row = await store.findAccount(this.storage.reads, name);
      return row && { seq: row.seq, id: row.id, name: row.name };
    });
  }

  /** Returns when the token was last used, if this node has a later time than storage. */
  lastUsedOn(tokenId: string): number | undefined {
    return this.#lastUses.get(tokenId)?.usedOn;
  }

  /** Written asynchronously in one batch, so that no request waits for it. */
  async saveLastUse(): Promise<void> {
    if (this.#lastUses.size === 0) return;
    const uses = [...this.#lastUses].map(([id, use]) => ({ id, ...use }));
    await this.storage.write(tokenUseWrite.with(uses));
    for (const { id, usedOn } of uses) if (this.#lastUses.get(id)?.usedOn === usedOn) this.#lastUses.delete(id);
  }

  /** The same few tokens come with every request, and caching their hashes saves 0.3 µs each time. */
  #hashOf(token: string): string {
    const known = this.#hashes.get(token);
    if (known !== undefined) return known;
    const hash = secretHashText(token);
    if (token.length > maxHashedLength) return hash;
    if (this.#hashes.size >= maxHashes) this.#hashes.clear();
    this.#hashes.set(ownCopy(token), hash);
    return hash;
  }

  async #load(hash: string, now: number): Promise<Caller | undefined> {
    const credential = await this.credentials.load(hash, async () => {
      const row = await store.findCredential(this.storage.reads, hashFromText(hash));
      return row && toCredential(row);
    });
    return credential && this.#use(credential, now);
  }

  #use(credential: Credential, now: number): Caller {
    if (credential.expiresOn !== null && now >= credential.expiresOn) throw new Problem("token_expired");
    const use = this.#lastUses.get(credential.caller.id);
    if (use) use.usedOn = now;
    else this.#lastUses.set(credential.caller.id, { seq: credential.seq, usedOn: now });
    return credential.caller;
  }
}

function toCredential(credential: store.CredentialRow): Credential {
  return {
    seq: credential.seq,
    expiresOn: credential.expires_on,
    caller: {
      type: "token",
      id: credential.id,
      name: credential.name ?? undefined,
      ...accessOf(credential),
      account: { seq: credential.account_seq, id: credential.account_id, name: credential.account_name },
    },
  };
}
