import { listCommand } from "../../connection/remote.ts";
import { meteringBucket, meteringBucketOption } from "../../options/metering-bucket-option.ts";

export const command = listCommand({
  summary: "List credit packs",
  arguments: {},
  options: meteringBucketOption,
  examples: [{ command: "tollgate credits list", text: "With their prices, and what customers get." }],
  things: "credit packs",
  columns: ["packExternalId", "label", "price", "grant", "isPublic", "position", "id"],
  list: async (client, { bucket, limit, offset }) =>
    client.creditPacks(await meteringBucket(client, bucket)).list({ limit, offset }),
});
