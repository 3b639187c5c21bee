import { argument, flag, named, oneOf, option, tagsOption } from "../../arguments/values.ts";
import { remoteCommand, showFields } from "../../connection/remote.ts";
import { tokenIssuersOption } from "../../options/token-issuers-option.ts";

export const command = remoteCommand({
  summary: "Create a key bucket",
  details: "Creating the first consumer of a bucket creates it with default settings.",
  arguments: { name: argument("1 to 128 characters of a-z, 0-9, _ and -") },
  options: {
    description: option("a description"),
    prefix: option("the prefix of its keys; tg by default", named("TEXT")),
    notRetrievable: flag("show key values only once; cannot be changed later"),
    onLeak: option("what happens to a key that is reported as leaked; mark by default", oneOf("mark", "disable")),
    tag: tagsOption("a tag"),
    tokenIssuer: tokenIssuersOption("an issuer whose tokens callers with a limited role may map to consumers"),
  },
  examples: [
    {
      command: "tollgate buckets create payments --prefix pay --not-retrievable",
      text: "Keys such as pay_…, whose values are shown only once.",
    },
  ],
  call: (client, { name, description, prefix, notRetrievable, onLeak, tag, tokenIssuer }) =>
    client.buckets.create({
      name,
      description,
      keyPrefix: prefix,
      isRetrievable: notRetrievable ? false : undefined,
      onLeak,
      tags: tag,
      tokenIssuers: tokenIssuer,
    }),
  show: showFields,
});
