import { type Keyring, MissingKey } from "../../lib/crypto/keyring.ts";
import type { Storage } from "../../platform/storage/storage.ts";
import { newCertificateKey } from "./acme-directory.ts";
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
