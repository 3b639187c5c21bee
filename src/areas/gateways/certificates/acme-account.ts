import type { Keyring } from "../../../lib/crypto/keyring.ts";
import type { Clock } from "../../../lib/time/clock.ts";
import { saveRow } from "../../../platform/storage/query.ts";
import { deleteRows, findRow } from "../../../platform/storage/rows.ts";
import type { Storage } from "../../../platform/storage/storage.ts";
import { type Challenges, newCertificateKey } from "./acme-directory.ts";

const sealPurpose = "acme-account-key";

/** Returns the key of the installation's account at the directory, which the first node creates. PEM. */
export async function accountKey(storage: Storage, keyring: Keyring, directory: string, now: number): Promise<string> {
  return storage.write(async (transaction) => {
    await transaction.lock("acme accounts");
    const acmeAccount = await findRow(transaction, "acme_accounts", { directory });
    // One that was encrypted with a lost encryption key is replaced, because accounts are free.
    const known = acmeAccount && keyring.openIfKnown(acmeAccount.private_key, sealPurpose);
    if (known !== undefined) return known;
    const key = newCertificateKey();
    const row = { directory, private_key: keyring.seal(key, sealPurpose), created_on: now };
    await saveRow(transaction, "acme_accounts", row, ["directory"]);
    return key;
  });
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
    await this.storage.write((transaction) => transaction.insertNew("acme_challenges", [row], ["token"]));
  }

  async remove(token: string): Promise<void> {
    await this.storage.write((transaction) => deleteRows(transaction, "acme_challenges", { token }));
  }

  /** Returns the response to a challenge, or undefined if it does not exist. */
  async find(token: string): Promise<string | undefined> {
    if (!tokenPattern.test(token)) return undefined;
    return (await findRow(this.storage.reads, "acme_challenges", { token }))?.key_authorization;
  }
}
