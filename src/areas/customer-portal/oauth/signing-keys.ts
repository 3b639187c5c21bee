import { createPrivateKey, generateKeyPair, type KeyObject } from "node:crypto";
import { promisify } from "node:util";
import { calculateJwkThumbprint, type JWK } from "jose";
import type { Act } from "../../../core/access.ts";
import { recordChange } from "../../../core/changes/record.ts";
import { type Keyring, MissingKey } from "../../../lib/crypto/keyring.ts";
import type { Reads, Storage, WriteTransaction } from "../../../platform/storage/storage.ts";
import * as store from "./key-store.ts";

const purpose = "oauth-key";
const hour = 60 * 60 * 1000;
const day = 24 * hour;
/** A key signs for this long. Then a successor is published. */
const keyMilliseconds = 90 * day;
/** A successor is published for this long before it signs. */
const publishedMilliseconds = day;
/** A key verifies for this long after it signed last: longer than any access token is valid. */
const overlapMilliseconds = 25 * hour;

const generate = promisify(generateKeyPair);

/** A portal whose keys are used. */
interface KeyOwner {
  seq: number;
  id: string;
}

export interface SigningKey {
  kid: string;
  key: KeyObject;
}

/** The RSA keys of portals. Each portal has its own, so that no portal can sign for another. */
export class SigningKeys {
  /** Opened private keys, by `kid`. */
  readonly #opened = new Map<string, KeyObject>();

  constructor(
    private readonly storage: Storage,
    private readonly keyring: Keyring,
  ) {}

  /** The key that signs now. Creates the first one, and publishes a successor when it is due. */
  async current(portal: KeyOwner, act: Act): Promise<SigningKey> {
    const rows = await store.validKeys(this.storage.reads, portal.seq, act.now);
    const signing = this.#signing(rows, act.now);
    if (signing && !isDue(rows, act.now)) return signing;
    const created = await newKey();
    return this.storage.write(async (transaction) => {
      await transaction.lock(`oauth keys of ${portal.id}`);
      // Another request, or another node, may have created it.
      const before = await store.validKeys(transaction, portal.seq, act.now);
      const known = this.#signing(before, act.now);
      if (known && !isDue(before, act.now)) return known;
      await this.#insert(transaction, act, portal, created, known ? act.now + publishedMilliseconds : act.now);
      return known ?? { kid: created.jwk.kid!, key: created.privateKey };
    });
  }

  /** The public keys: those that sign now, will sign, or have signed tokens that are still valid. */
  async published(reads: Reads, portal: KeyOwner, now: number): Promise<JWK[]> {
    return (await store.validKeys(reads, portal.seq, now)).map(({ public_key }) => JSON.parse(public_key) as JWK);
  }

  /** Creates a key that signs at once. With `revokesTokens`, tokens that earlier keys signed are no longer valid. */
  async rotate(
    transaction: WriteTransaction,
    act: Act,
    portal: KeyOwner,
    { created, revokesTokens }: { created: NewKey; revokesTokens: boolean },
  ): Promise<void> {
    await transaction.lock(`oauth keys of ${portal.id}`);
    if (revokesTokens)
      for (const id of await store.deleteKeys(transaction, portal.seq))
        recordChange(transaction, act, "oauth-key.deleted", named(id, portal));
    await this.#insert(transaction, act, portal, created, act.now);
  }

  async #insert(transaction: WriteTransaction, act: Act, portal: KeyOwner, created: NewKey, signsFrom: number) {
    await store.endKeys(transaction, portal.seq, signsFrom + overlapMilliseconds);
    const id = created.jwk.kid!;
    await transaction.insert("oauth_keys", {
      id,
      portal_seq: portal.seq,
      public_key: JSON.stringify(created.jwk),
      private_key: this.keyring.seal(created.privateKey.export({ format: "pem", type: "pkcs8" }).toString(), purpose),
      created_on: act.now,
      signs_from: signsFrom,
      expires_on: null,
    });
    recordChange(transaction, act, "oauth-key.created", named(id, portal));
  }

  /** A key whose private part was encrypted with a lost encryption key signs no more. */
  #signing(rows: store.OAuthKeyRow[], now: number): SigningKey | undefined {
    for (const row of rows) {
      if (row.signs_from > now) continue;
      const key = this.#open(row);
      if (key) return { kid: row.id, key };
    }
    return undefined;
  }

  #open({ id, private_key }: store.OAuthKeyRow): KeyObject | undefined {
    const known = this.#opened.get(id);
    if (known) return known;
    try {
      const key = createPrivateKey(this.keyring.open(private_key, purpose));
      if (this.#opened.size >= maxOpened) this.#opened.clear();
      this.#opened.set(id, key);
      return key;
    } catch (error) {
      if (error instanceof MissingKey) return undefined;
      throw error;
    }
  }
}

const maxOpened = 1000;

interface NewKey {
  jwk: JWK;
  privateKey: KeyObject;
}

/** Takes about 100 ms, in another thread. */
export async function newKey(): Promise<NewKey> {
  const { publicKey, privateKey } = await generate("rsa", { modulusLength: 2048 });
  const { kty, n, e } = publicKey.export({ format: "jwk" }) as JWK;
  const jwk: JWK = { kty: kty!, n: n!, e: e! };
  return { jwk: { ...jwk, use: "sig", alg: "RS256", kid: await calculateJwkThumbprint(jwk) }, privateKey };
}

function isDue([newest]: store.OAuthKeyRow[], now: number): boolean {
  return newest !== undefined && now - newest.signs_from >= keyMilliseconds;
}

function named(id: string, portal: KeyOwner) {
  return { type: "oauth-key", id, parent: { type: "portal", id: portal.id } };
}
