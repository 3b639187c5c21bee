import type { Reads } from "../../../platform/storage/storage.ts";
import type { RowOf } from "../../../platform/storage/tables.ts";

export type TrustedIssuerRow = RowOf<"trusted_issuers">;

export interface IssuerOfAccount extends TrustedIssuerRow {
  account_id: string;
  account_name: string;
}

const ofAccount = `SELECT trusted_issuers.*, accounts.id AS account_id, accounts.name AS account_name
  FROM trusted_issuers JOIN accounts ON accounts.seq = trusted_issuers.account_seq`;

const placeholders = (values: string[]) => values.map(() => "?").join(", ");

/**
 * The trusted issuers with this URL that accept one of the audiences, or have the default audience of one of the accounts, in
 * the order of creation. Thousands of accounts may trust the same service, so only those of the token are read.
 */
export async function findAccepting(
  reads: Reads,
  issuer: string,
  audiences: string[],
  accountNames: string[],
): Promise<IssuerOfAccount[]> {
  const named = `${ofAccount} WHERE issuer = ? AND audience IN (${placeholders(audiences)})`;
  const byDefault = `${ofAccount} WHERE accounts.name IN (${placeholders(accountNames)}) AND issuer = ? AND audience IS NULL`;
  const found = [
    ...(audiences.length > 0 ? await reads.all<IssuerOfAccount>(named, [issuer, ...audiences]) : []),
    ...(accountNames.length > 0 ? await reads.all<IssuerOfAccount>(byDefault, [...accountNames, issuer]) : []),
  ];
  return found.sort((one, other) => one.seq - other.seq);
}
