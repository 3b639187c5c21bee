import { argument, flag, named, option, tagsOption } from "../../arguments/values.ts";
import { remoteCommand, showFields } from "../../connection/remote.ts";

export const command = remoteCommand({
  summary: "Create a key bucket",
  details: "Creating the first consumer of a bucket creates it with default settings.",
  arguments: { name: argument("1 to 128 characters of a-z, 0-9, _ and -") },
  options: {
    description: option("what it is for"),
    prefix: option("what its keys begin with; tg by default", named("TEXT")),
    notRetrievable: flag("key values are shown once and can never be read again; fixed for ever"),
    tag: tagsOption("a tag"),
  },
  examples: [
    {
      command: "tollgate buckets create payments --prefix pay --not-retrievable",
      text: "Keys like pay_…, whose values cannot be read again.",
    },
  ],
  call: (client, { name, description, prefix, notRetrievable, tag }) =>
    client.buckets.create({
      name,
      description,
      keyPrefix: prefix,
      isRetrievable: notRetrievable ? false : undefined,
      tags: tag,
    }),
  show: showFields,
});
