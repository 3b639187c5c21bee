import { type Keyring, MissingKey } from "../../../lib/crypto/keyring.ts";
import type { Clock } from "../../../lib/time/clock.ts";
import type { Storage } from "../../../platform/storage/storage.ts";
import { type Challenges, newCertificateKey } from "./acme-directory.ts";
import * as store from "./store.ts";

const sealPurpose = "acme-account-key";

/** Returns the key of the installation's account at the directory, which the first node creates. PEM. */
export async function accountKey(storage: Storage, keyring: Keyring, directory: string, now: number): Promise<string> {
  return storage.write(async (transaction) => {
    await transaction.lock("acme accounts");
    const acmeAccount = await store.findAcmeAccount(transaction, directory);
    const known = acmeAccount && opened(acmeAccount.private_key, keyring);
    if (known !== undefined) return known;
    const key = newCertificateKey();
    await store.replaceAccount(transaction, {
      directory,
      private_key: keyring.seal(key, sealPurpose),
      created_on: now,
    });
    return key;
  });
}

/** A key that was encrypted with a lost encryption key is replaced, because accounts are free. */
function opened(sealed: Uint8Array, keyring: Keyring): string | undefined {
  try {
    return keyring.open(sealed, sealPurpose);
  } catch (error) {
    if (error instanceof MissingKey) return undefined;
    throw error;
  }
}

const tokenPattern = /^[\w-]{1,128}$/;

/** HTTP-01 challenges in storage, because the authority may connect to any node. */
export class StoredChallenges implements Challenges {
  constructor(
    private readonly storage: Storage,
    private readonly clock: Clock,
  ) {}

  async put(token: string, keyAuthorization: string): Promise<void> {
    const row = { token, key_authorization: keyAuthorization, created_on: this.clock.now() };
    await this.storage.write((transaction) => store.addChallenge(transaction, row));
  }

  async remove(token: string): Promise<void> {
    await this.storage.write((transaction) => store.deleteChallenge(transaction, token));
  }

  /** Returns the response to a challenge, or undefined if it does not exist. */
  async find(token: string): Promise<string | undefined> {
    return tokenPattern.test(token) ? store.findChallenge(this.storage.reads, token) : undefined;
  }
}
