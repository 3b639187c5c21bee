import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { Keyring } from "../lib/keyring.ts";
import { randomBytes } from "../lib/random.ts";
import { writeSecretFile } from "./data-directory.ts";
import { restrictToOwner } from "./file-modes.ts";
import type { Storage } from "./storage.ts";

/**
 * The keys that stored values are sealed under: the configured ones, or one in the data directory, made at
 * the first start. A server that lacks a key under which this database was sealed does not start: it would
 * fail later, one customer at a time.
 */
export async function openKeyring(
  storage: Storage,
  options: { configured: Buffer[]; dataDirectory: string; now: number },
): Promise<Keyring> {
  const keys = options.configured.length > 0 ? options.configured : [keyFromFile(options.dataDirectory)];
  const keyring = new Keyring(keys);
  await storage.write(async (transaction) => {
    // Nodes that start at once go one after the other, so that none seals under a key that the others lack.
    if (transaction.locksRows) await transaction.run("LOCK TABLE encryption_keys IN EXCLUSIVE MODE", []);
    const known = await transaction.query.selectFrom("encryption_keys").select("name").execute();
    const missing = known.filter((row) => !keyring.names.includes(row.name));
    if (missing.length > 0) {
      throw new Error(
        `This database is sealed under encryption key ${missing.map((row) => row.name).join(", ")}, and this server ` +
          `has ${keyring.names.join(", ")}. Set TOLLGATE_ENCRYPTION_KEY to the key that the other servers use ` +
          `(from <data dir>/encryption-key of the first one); to rotate, list the new key first and the old ones after it.`,
      );
    }
    const current = keyring.names[0]!;
    if (!known.some((row) => row.name === current)) {
      await transaction.insert("encryption_keys", { name: current, created_on: options.now });
    }
  });
  return keyring;
}

function keyFromFile(dataDirectory: string): Buffer {
  const file = join(dataDirectory, "encryption-key");
  if (!existsSync(file)) writeSecretFile(file, `${randomBytes(32).toString("base64")}\n`);
  restrictToOwner(file);
  const key = Buffer.from(readFileSync(file, "utf8").trim(), "base64");
  if (key.length !== 32) throw new Error(`${file} does not hold an encryption key (32 bytes in base64).`);
  return key;
}
