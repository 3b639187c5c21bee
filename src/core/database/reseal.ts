import { type Keyring, keyNameOf } from "../../lib/crypto/keyring.ts";
import type { Storage, WriteTransaction } from "../../platform/storage/storage.ts";
import type { TableName } from "../../platform/storage/tables.ts";

interface ResealOptions {
  columns?: readonly SealedColumn[];
  /** The number of values to check in one batch. Values of one batch are encrypted in one transaction. */
  rows?: number;
  /**
   * Ends the pass between two batches. The next pass continues, because it skips values that are already encrypted with
   * the first key.
   */
  signal?: AbortSignal;
  onProgress?(progress: ResealProgress): void;
}

export interface ResealProgress {
  table: string;
  checked: number;
  resealed: number;
}

export interface ResealResult {
  /** False if there is nothing to do, or if the first key of another node is newer. */
  hasRun: boolean;
  resealed: number;
  /** Values under keys that this server lacks. They cannot be read. */
  lost: number;
  /** Names of the encryption keys that are no longer in use. */
  unneeded: string[];
}

const defaultRows = 500;
const maxPauseMilliseconds = 1000;

type Row = Record<string, unknown> & { sealed: Uint8Array };

/**
 * Checks every encrypted value once, and encrypts those under an older key with the first key. A pass that finds
 * nothing to do proves that the older keys are no longer needed, and removes their names, so that a server without them
 * starts.
 */
export async function reseal(storage: Storage, keyring: Keyring, options: ResealOptions = {}): Promise<ResealResult> {
  const result: ResealResult = { hasRun: false, resealed: 0, lost: 0, unneeded: [] };
  const older = await olderKeys(storage, keyring);
  if (older.length === 0) return result;
  result.hasRun = true;
  for (const column of options.columns ?? sealedColumns) {
    const isComplete = await resealColumn(storage, keyring, column, options, result);
    if (!isComplete) return result;
  }
  if (result.resealed === 0) result.unneeded = await removeNames(storage, older);
  return result;
}

/**
 * Keys, other than the first, that may have encrypted values. Empty if a later start has another first key, because
 * that server reseals.
 */
async function olderKeys(storage: Storage, keyring: Keyring): Promise<string[]> {
  const rows = await storage.reads.all<{ name: string }>(
    "SELECT name FROM encryption_keys ORDER BY created_on DESC, name",
    [],
  );
  const [newest, ...older] = rows.map(({ name }) => name);
  return newest === keyring.currentName ? older.filter((name) => keyring.names.includes(name)) : [];
}

async function resealColumn(
  storage: Storage,
  keyring: Keyring,
  column: SealedColumn,
  { rows = defaultRows, signal, onProgress }: ResealOptions,
  result: ResealResult,
): Promise<boolean> {
  const progress = { table: column.table, checked: 0, resealed: 0 };
  let last: unknown[] | undefined;
  while (!signal?.aborted) {
    const started = performance.now();
    const piece = await readPiece(storage, column, last, rows);
    const old = piece.filter(({ sealed }) => keyNameOf(sealed) !== keyring.currentName);
    if (old.length > 0) {
      const { resealed, lost } = await storage.write((transaction) => sealAnew(transaction, keyring, column, old));
      progress.resealed += resealed;
      result.resealed += resealed;
      result.lost += lost;
    }
    progress.checked += piece.length;
    onProgress?.(progress);
    if (piece.length < rows) return true;
    last = column.key.map((name) => piece.at(-1)![name]);
    // Pauses so that writers have at least half of the time.
    await Bun.sleep(Math.min(performance.now() - started, maxPauseMilliseconds));
  }
  return false;
}

function readPiece(
  storage: Storage,
  { table, column, key }: SealedColumn,
  last: unknown[] | undefined,
  rows: number,
): Promise<Row[]> {
  const after = last ? `AND (${key.join(", ")}) > (${key.map(() => "?").join(", ")})` : "";
  return storage.reads.all(
    `SELECT ${key.join(", ")}, ${column} AS sealed FROM ${table}
      WHERE ${column} IS NOT NULL ${after} ORDER BY ${key.join(", ")} LIMIT ?`,
    [...(last ?? []), rows],
  );
}

/**
 * Updates only values that are unchanged since the read: a value that was set in the meantime is under the first key
 * already.
 */
async function sealAnew(
  transaction: WriteTransaction,
  keyring: Keyring,
  { table, column, key, purpose }: SealedColumn,
  rows: Row[],
): Promise<{ resealed: number; lost: number }> {
  const update = `UPDATE ${table} SET ${column} = ? WHERE ${key.map((name) => `${name} = ?`).join(" AND ")} AND ${column} = ?`;
  let lost = 0;
  for (const row of rows) {
    const text = keyring.openIfKnown(row.sealed, purpose);
    if (text === undefined) lost += 1;
    else await transaction.run(update, [keyring.seal(text, purpose), ...key.map((name) => row[name]), row.sealed]);
  }
  return { resealed: rows.length - lost, lost };
}

function removeNames(storage: Storage, names: string[]): Promise<string[]> {
  return storage.write(async (transaction) => {
    await transaction.lock("encryption keys");
    for (const name of names) await transaction.run("DELETE FROM encryption_keys WHERE name = ?", [name]);
    return names;
  });
}

/** A column of encrypted values. */
export interface SealedColumn {
  table: TableName;
  column: string;
  /** The primary key of the table. */
  key: string[];
  /** The purpose of the values, as passed to the keyring. */
  purpose: string;
}

/**
 * Every encrypted column. A column that is missing here would keep an old key after that was declared no longer needed.
 */
export const sealedColumns: readonly SealedColumn[] = [
  { table: "api_keys", column: "sealed", key: ["seq"], purpose: "api-key" },
  { table: "project_variables", column: "sealed", key: ["seq"], purpose: "variable" },
  { table: "idempotency_keys", column: "answer", key: ["credential", "key"], purpose: "idempotency" },
  { table: "webhooks", column: "secret", key: ["seq"], purpose: "webhook-secret" },
  { table: "webhooks", column: "previous_secret", key: ["seq"], purpose: "webhook-secret" },
  { table: "payment_providers", column: "secret_key", key: ["account_seq", "mode"], purpose: "payment-provider" },
  { table: "payment_providers", column: "webhook_secret", key: ["account_seq", "mode"], purpose: "payment-provider" },
  { table: "exports", column: "credential", key: ["seq"], purpose: "export-credential" },
  { table: "portals", column: "client_secret", key: ["seq"], purpose: "portal-client-secret" },
  { table: "oauth_keys", column: "private_key", key: ["seq"], purpose: "oauth-key" },
  { table: "oauth_authorizations", column: "refresh_secret", key: ["seq"], purpose: "oauth-refresh" },
  { table: "configuration_plans", column: "inputs", key: ["seq"], purpose: "configuration" },
  { table: "audit_keys", column: "private_key", key: ["id"], purpose: "audit-key" },
  { table: "certificates", column: "private_key", key: ["host"], purpose: "certificate-key" },
  { table: "acme_accounts", column: "private_key", key: ["directory"], purpose: "acme-account-key" },
];
