import type { Reads, WriteTransaction } from "../../../../platform/storage/storage.ts";
import type { RowOf } from "../../../../platform/storage/tables.ts";

type ProviderRow = RowOf<"payment_providers">;

export function findProvider(reads: Reads, accountSeq: number, mode: string): Promise<ProviderRow | undefined> {
  return reads.one("SELECT * FROM payment_providers WHERE account_seq = ? AND mode = ?", [accountSeq, mode]);
}

export async function saveProvider(transaction: WriteTransaction, provider: ProviderRow): Promise<void> {
  await transaction.run(
    `INSERT INTO payment_providers (account_seq, mode, type, secret_key, webhook_secret, version, created_on, updated_on)
     VALUES (?, ?, ?, ?, ?, ?, ?, ?)
     ON CONFLICT (account_seq, mode) DO UPDATE SET type = excluded.type, secret_key = excluded.secret_key,
       webhook_secret = excluded.webhook_secret, version = excluded.version, updated_on = excluded.updated_on`,
    [
      provider.account_seq,
      provider.mode,
      provider.type,
      provider.secret_key,
      provider.webhook_secret,
      provider.version,
      provider.created_on,
      provider.updated_on,
    ],
  );
}
