import type { ListedApiKey } from "../../../client/index.ts";
import { bucketOption } from "../../support/key-bucket-options.ts";
import { listCommand } from "../../support/remote.ts";
import { argument } from "../../support/values.ts";

/** No more of a value is sent than its mask shows. */
const longestSuffix = 8;

export const command = listCommand({
  summary: "Find whose a key is by its end",
  details: "For a key that turned up in a log. Of a longer text only the last 8 characters are sent.",
  arguments: { suffix: argument("the last characters of the key") },
  options: bucketOption,
  examples: [{ command: "tollgate keys find 1b2c3d4e", text: "As the masked form shows it." }],
  things: "keys that end so",
  columns: ["id", "consumer", "key", "description", "isEnabled", "lastUsedOn", "createdOn", "expiresOn"],
  row: ({ consumer }: ListedApiKey) => ({ consumer: consumer.name }),
  list: (client, { suffix, bucket, limit, offset }) =>
    client.bucketKeys(bucket).list({ suffix: suffix.slice(-longestSuffix), limit, offset }),
});
