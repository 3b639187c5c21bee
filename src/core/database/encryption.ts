import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { Keyring } from "../../lib/crypto/keyring.ts";
import { randomBytes } from "../../lib/crypto/random.ts";
import { writeSecretFile } from "../../platform/storage/data-directory/data-directory.ts";
import { restrictToOwner } from "../../platform/storage/data-directory/file-modes.ts";
import type { Storage } from "../../platform/storage/storage.ts";

interface KeyringOptions {
  configured: Buffer[];
  dataDirectory: string;
  now: number;
  /** Names of keys that the operator declared lost, and the log for the consequences. */
  acceptedLosses?: string[];
  warn?(message: string): void;
}

/**
 * Returns the keys that encrypt stored values: the configured ones, or the one in the data directory, which the first
 * start creates. Throws if a key is missing that encrypted values of this database, unless it is declared lost.
 * Otherwise the server would fail later, one customer at a time.
 */
export async function openKeyring(storage: Storage, options: KeyringOptions): Promise<Keyring> {
  const { acceptedLosses = [] } = options;
  const file = join(options.dataDirectory, "encryption-key");
  const found = options.configured.length > 0 ? options.configured : keyFromFile(file);
  const created = found ? undefined : randomBytes(32);
  const keyring = new Keyring(found ?? [created!]);
  const lost = await storage.write(async (transaction) => {
    // Nodes that start at once are serialized, so that none encrypts with a key that the others lack.
    await transaction.lock("encryption keys");
    const rows = await transaction.query.selectFrom("encryption_keys").selectAll().execute();
    const known = rows.map((row) => row.name);
    const missing = known.filter((name) => !keyring.names.includes(name));
    if (!missing.every((name) => acceptedLosses.includes(name)))
      throw new Error(missingKeys(missing, found ? keyring.names : [], file));
    for (const name of missing) await transaction.run("DELETE FROM encryption_keys WHERE name = ?", [name]);
    // Written here, before the commit: a start that fails or is interrupted does not leave a database without its key.
    if (created) writeSecretFile(file, `${created.toString("base64")}\n`);
    const current = keyring.names[0]!;
    // All values are resealed with the newest key, see reseal.ts. The last start decides, whatever its clock.
    const others = rows.filter(({ name }) => name !== current).map((row) => row.created_on + 1);
    const created_on = Math.max(options.now, ...others);
    if (known.includes(current))
      await transaction.run("UPDATE encryption_keys SET created_on = ? WHERE name = ?", [created_on, current]);
    else await transaction.insert("encryption_keys", { name: current, created_on });
    return missing;
  });
  for (const name of lost) options.warn?.(`encryption key ${name} is declared lost: ${consequences}`);
  return keyring;
}

/** Returns the keys of a worker. The primary has checked them, and created the one in the data directory. */
export function readKeyring({
  configured,
  dataDirectory,
}: Pick<KeyringOptions, "configured" | "dataDirectory">): Keyring {
  const found = configured.length > 0 ? configured : keyFromFile(join(dataDirectory, "encryption-key"));
  if (!found) throw new Error(`There is no encryption key in ${dataDirectory}.`);
  return new Keyring(found);
}

const consequences =
  "API keys that were encrypted with it keep working, but their values can no longer be shown, a " +
  "request of the last 24 hours that is repeated with its Idempotency-Key gets 409 instead of its first response, secrets of " +
  "projects that were encrypted with it count as not set, and webhooks whose secret was encrypted with it fail until the secret is rotated.";

function missingKeys(missing: string[], present: string[], file: string): string {
  return [
    `This database is encrypted with key ${missing.join(", ")}, and this server has ` +
      `${present.join(", ") || "none"}. Set TOLLGATE_ENCRYPTION_KEY to the key that the other servers use, or restore ` +
      `${file} of the first one; to rotate, list the new key first and the old ones after it.`,
    `If the key is permanently lost, start once with TOLLGATE_ACCEPT_KEY_LOSS=${missing.join(",")}: ${consequences}`,
  ].join("\n");
}

function keyFromFile(file: string): Buffer[] | undefined {
  if (!existsSync(file)) return undefined;
  restrictToOwner(file);
  const key = Buffer.from(readFileSync(file, "utf8").trim(), "base64");
  if (key.length !== 32) throw new Error(`${file} does not contain an encryption key (32 bytes in base64).`);
  return [key];
}
