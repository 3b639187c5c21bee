import type { Consumer } from "../../../client/index.ts";
import { flag, named, oneOf, option, tagFilterOption } from "../../arguments/values.ts";
import { listCommand } from "../../connection/remote.ts";
import { bucketOption, requireKeyBucket } from "../../options/key-bucket-options.ts";

export const command = listCommand({
  summary: "List the consumers of a bucket",
  arguments: {},
  options: {
    ...bucketOption,
    tag: tagFilterOption("only consumers with this tag"),
    name: option("only consumers whose name has this prefix", named("PREFIX")),
    managerEmail: option("only consumers with a manager or an invite of this address"),
    sort: option("the most recently used first; not with filters", oneOf("lastUsedOn")),
    keys: flag("with their keys, masked"),
    managers: flag("with their managers"),
  },
  examples: [
    { command: "tollgate consumers list", text: "The first 1,000 of the bucket main." },
    {
      command: "tollgate consumers list --bucket payments --tag plan=gold --all --json",
      text: "All matches as JSON, for a program.",
    },
  ],
  things: "consumers",
  filters: ["tag", "name", "managerEmail"],
  columns: ["name", "id", "description", "tags", "apiKeys", "managers", "createdOn"],
  row: ({ apiKeys, managers }: Consumer) => ({
    apiKeys: apiKeys?.map(({ key, id }) => key ?? id),
    managers: managers?.map(({ email, sub }) => email ?? sub),
  }),
  async list(client, { bucket, tag, name, managerEmail, sort, keys, managers, limit, offset }) {
    await requireKeyBucket(client, bucket);
    return client.consumers(bucket).list({
      tag,
      managerEmail,
      namePrefix: name,
      sort,
      includeApiKeys: keys,
      includeManagers: managers,
      limit,
      offset,
    });
  },
});
