import type { Reads } from "../../platform/storage/storage.ts";
import { removedAccountSeq } from "./removed-account.ts";

/** The resources that accounts own directly. All others belong to one of these. */
const owned = {
  key_buckets: "key buckets",
  metering_buckets: "metering buckets",
  deployments: "deployments",
  project_variables: "variables",
  webhooks: "webhooks",
} as const;

/** Describes the contents of an installation besides accounts and their tokens. Empty if there are none. */
export async function contents(reads: Reads): Promise<string[]> {
  const found: string[] = [];
  for (const [table, words] of Object.entries(owned)) {
    const row = await reads.one(`SELECT 1 FROM ${table} WHERE account_seq <> ? LIMIT 1`, [removedAccountSeq]);
    if (row) found.push(words);
  }
  return found;
}
