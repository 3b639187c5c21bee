import type { Reads, WriteTransaction } from "../../../../platform/storage/storage.ts";
import type { RowOf } from "../../../../platform/storage/tables.ts";

export type ProfileRow = RowOf<"billing_profiles">;

export function findProfile(reads: Reads, accountSeq: number): Promise<ProfileRow | undefined> {
  return reads.one("SELECT * FROM billing_profiles WHERE account_seq = ?", [accountSeq]);
}

export async function saveProfile(transaction: WriteTransaction, row: ProfileRow): Promise<void> {
  await transaction.run(
    `INSERT INTO billing_profiles (account_seq, profile, version, created_on, updated_on) VALUES (?, ?, ?, ?, ?)
     ON CONFLICT (account_seq) DO UPDATE SET profile = excluded.profile, version = excluded.version,
       updated_on = excluded.updated_on`,
    [row.account_seq, row.profile, row.version, row.created_on, row.updated_on],
  );
}
