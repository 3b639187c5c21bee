import type { Reads } from "../../platform/storage/storage.ts";
import { removedAccountSeq } from "./removed-account.ts";

/** What accounts own directly; everything else belongs to one of these. */
const owned = {
  key_buckets: "key buckets",
  metering_buckets: "metering buckets",
  deployments: "deployments",
  project_variables: "variables",
  webhooks: "webhooks",
} as const;

/** What an installation holds besides accounts and their tokens, in words; empty if nothing. */
export async function contents(reads: Reads): Promise<string[]> {
  const found: string[] = [];
  for (const [table, words] of Object.entries(owned)) {
    const row = await reads.one(`SELECT 1 FROM ${table} WHERE account_seq <> ? LIMIT 1`, [removedAccountSeq]);
    if (row) found.push(words);
  }
  return found;
}
