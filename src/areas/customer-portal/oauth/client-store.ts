import type { Paging } from "../../../lib/paging.ts";
import { countOf, deleteSome, forUpdate, pageOf } from "../../../platform/storage/query.ts";
import type { Reads, WriteTransaction } from "../../../platform/storage/storage.ts";
import type { RowOf } from "../../../platform/storage/tables.ts";

/** A client with the customer who created it. */
export interface ClientRow extends RowOf<"oauth_clients"> {
  consumer_id: string | null;
  consumer_name: string | null;
}

const withConsumer = `SELECT oauth_clients.*, consumers.id AS consumer_id, consumers.name AS consumer_name
  FROM oauth_clients LEFT JOIN consumers ON consumers.seq = oauth_clients.consumer_seq`;

const isKept = "(oauth_clients.expires_on IS NULL OR oauth_clients.expires_on > ?)";

interface ClientFilter {
  portalSeq: number;
  /** Only those that the customer created. */
  consumerSeq?: number | undefined;
  now: number;
}

export async function listClients(reads: Reads, filter: ClientFilter, paging: Paging) {
  const { portalSeq, consumerSeq, now } = filter;
  const ofConsumer = consumerSeq === undefined ? "" : "AND oauth_clients.consumer_seq = ?";
  const conditions = `${isKept} AND oauth_clients.portal_seq = ? ${ofConsumer}`;
  const values = [now, portalSeq, ...(consumerSeq === undefined ? [] : [consumerSeq])];
  const query = `${withConsumer} WHERE ${conditions} ORDER BY oauth_clients.seq`;
  return pageOf<ClientRow>(reads, query, `FROM oauth_clients WHERE ${conditions}`, values, paging);
}

export function findClient(reads: Reads, portalSeq: number, id: string, now: number): Promise<ClientRow | undefined> {
  const sql = `${withConsumer} WHERE oauth_clients.portal_seq = ? AND oauth_clients.id = ? AND ${isKept}`;
  return reads.one(sql, [portalSeq, id, now]);
}

export function findDocumentClient(reads: Reads, portalSeq: number, url: string): Promise<ClientRow | undefined> {
  const sql = `${withConsumer} WHERE oauth_clients.portal_seq = ? AND oauth_clients.document_url = ?`;
  return reads.one(sql, [portalSeq, url]);
}

/** Until the transaction ends, no client with a document is created, or removed because it has no authorization. */
export async function lockDocumentClients(transaction: WriteTransaction): Promise<void> {
  await transaction.lock("oauth document clients");
}

/** Deletes clients with documents that no customer has authorized now. Returns how many. */
export async function deleteUnusedDocumentClients(transaction: WriteTransaction, rows: number): Promise<number> {
  await lockDocumentClients(transaction);
  const isUnused = `type = 'document'
    AND NOT EXISTS (SELECT 1 FROM oauth_authorizations WHERE client_seq = oauth_clients.seq)`;
  return deleteSome(transaction, "oauth_clients", isUnused, [], rows);
}

/** Locks the client, so that it is not deleted meanwhile. */
export async function lockClient(transaction: WriteTransaction, seq: number): Promise<boolean> {
  const sql = forUpdate(transaction, "SELECT seq FROM oauth_clients WHERE seq = ?");
  return (await transaction.one(sql, [seq])) !== undefined;
}

/**
 * How many clients of a type the portal has: of a customer, with a document that the customer was the first to authorize, or
 * registered since a time, from one network or from all.
 */
export async function countClients(
  reads: Reads,
  portalSeq: number,
  where: { consumerSeq: number } | { documentsOf: string } | { registeredSince: number; from?: string },
): Promise<number> {
  const [condition, values] =
    "consumerSeq" in where
      ? ["consumer_seq = ?", [where.consumerSeq]]
      : "documentsOf" in where
        ? ["type = 'document' AND registered_from = ?", [where.documentsOf]]
        : [
            `type = 'dynamic' AND created_on > ? ${where.from === undefined ? "" : "AND registered_from = ?"}`,
            [where.registeredSince, ...(where.from === undefined ? [] : [where.from])],
          ];
  return countOf(reads, `FROM oauth_clients WHERE portal_seq = ? AND ${condition}`, [portalSeq, ...values]);
}
