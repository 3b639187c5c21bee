import { existsSync } from "node:fs";
import { join } from "node:path";
import type { EnvironmentReader } from "./environment-reader.ts";

export function encryptionKeys({ given, errors }: EnvironmentReader): Buffer[] {
  const texts = given("TOLLGATE_ENCRYPTION_KEY")?.split(",") ?? [];
  const keys = texts.map((text) => parseKey(text.trim()));
  if (keys.includes(undefined))
    errors.push(
      "TOLLGATE_ENCRYPTION_KEY must be 32 bytes as 64 hex digits or base64 (`openssl rand -base64 32` creates one); " +
        "several are separated by commas, the newest first.",
    );
  return keys.filter((key) => key !== undefined);
}

export function acceptedKeyLosses({ given, errors }: EnvironmentReader): string[] {
  const names = given("TOLLGATE_ACCEPT_KEY_LOSS")?.split(",") ?? [];
  const trimmed = names.map((name) => name.trim().toLowerCase());
  if (!trimmed.every((name) => /^[0-9a-f]{8}$/.test(name)))
    errors.push(
      "TOLLGATE_ACCEPT_KEY_LOSS must be the names of the lost encryption keys, separated by commas: eight hex digits each, " +
        "as printed by the failed start.",
    );
  return trimmed;
}

/** A key file that is created for a new container would be lost with it, and the next node could not start. */
export function sharedKeyErrors(
  { given }: EnvironmentReader,
  { databaseUrl, dataDirectory }: { databaseUrl: string | undefined; dataDirectory: string },
): string[] {
  const keyFile = join(dataDirectory, "encryption-key");
  if (databaseUrl === undefined || given("TOLLGATE_ENCRYPTION_KEY") !== undefined || existsSync(keyFile)) return [];
  return [
    "TOLLGATE_ENCRYPTION_KEY must be set together with DATABASE_URL: all nodes of a database share it. Create one for a new database " +
      `with \`openssl rand -base64 32\` and keep it safe; otherwise set the key of its nodes (or put their key file at ${keyFile}).`,
  ];
}

function parseKey(text: string): Buffer | undefined {
  if (/^[0-9a-fA-F]{64}$/.test(text)) return Buffer.from(text, "hex");
  // Checked here, because Buffer skips characters that are not base64, so a typo would become another key.
  return /^[\w+/-]{43}=?$/.test(text) ? Buffer.from(text, "base64") : undefined;
}
