import type { Tollgate } from "../../client/index.ts";
import { UsageError } from "../process/usage-error.ts";

export const packHelp = "the pack's id or identifier";

/** The id of a credit pack, given its id or its identifier. */
export async function findPackId(client: Tollgate, bucketId: string, given: string): Promise<string> {
  if (/^pack_[0-9A-Za-z]{24}$/.test(given)) return given;
  const [pack] = await client.creditPacks(bucketId).list({ packExternalId: given, limit: 1 }).all();
  if (!pack)
    throw new UsageError(`There is no credit pack "${given}" in the bucket.`, "List them: tollgate credits list");
  return pack.id;
}
