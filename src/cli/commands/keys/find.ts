import type { BucketKeys, List, ListedApiKey, PageOptions } from "../../../client/index.ts";
import { argument } from "../../arguments/values.ts";
import { listCommand } from "../../connection/remote.ts";
import { bucketOption } from "../../options/key-bucket-options.ts";

/**
 * Sends no more of a value than its mask shows: a quarter of its characters, at most 8. Values have at least 16
 * characters.
 */
const maxSuffixLength = 8;
const shortestMask = 4;

export const command = listCommand({
  summary: "Find a key and its consumer by its last characters",
  details:
    "For a key that was found in a log. Only the last 8 characters of the text are sent. If no key matches, keys with shorter masks that " +
    "match are shown, down to 4 characters.",
  arguments: { suffix: argument("the last characters of the key") },
  options: bucketOption,
  examples: [{ command: "tollgate keys find 1b2c3d4e", text: "The last characters, as in the masked form." }],
  things: "keys with this end",
  columns: ["id", "consumer", "key", "description", "isEnabled", "leak", "lastUsedOn", "createdOn", "expiresOn"],
  row: ({ consumer }: ListedApiKey) => ({ consumer: consumer.name }),
  async list(client, { suffix, bucket, limit, offset }) {
    const keys = client.bucketKeys(bucket);
    const end = suffix.replace(/^\*{4}/, "").slice(-maxSuffixLength);
    const found = keys.list({ suffix: end, limit, offset });
    if ((await keys.list({ suffix: end, limit: 1 }).page()).total > 0) return found;
    return (await withShorterMask(keys, end, { limit, offset })) ?? found;
  },
});

/** The keys with the longest mask that the text ends with. */
async function withShorterMask(
  keys: BucketKeys,
  text: string,
  { limit = 1000, offset = 0 }: { [Name in keyof PageOptions]: PageOptions[Name] | undefined },
): Promise<Pick<List<ListedApiKey>, "page" | "all"> | undefined> {
  for (let length = text.length - 1; length >= shortestMask; length -= 1) {
    const suffix = text.slice(-length);
    // A longer mask with the same end belongs to another key.
    const found = (await keys.list({ suffix }).all()).filter(({ key }) => key === `****${suffix}`);
    if (found.length === 0) continue;
    const page = { data: found.slice(offset, offset + limit), limit, offset, total: found.length };
    return { page: async () => page, all: async () => found.slice(offset) };
  }
  return undefined;
}
