import { changesOf, clearOption } from "../../arguments/changes.ts";
import { argument, named, oneOf, option, tagsOption } from "../../arguments/values.ts";
import { remoteCommand, showFields } from "../../connection/remote.ts";
import { tokenIssuersOption } from "../../options/token-issuers-option.ts";

export const command = remoteCommand({
  summary: "Change a key bucket",
  arguments: { name: argument("the bucket") },
  options: {
    onLeak: option("what happens to a key that is reported as leaked", oneOf("mark", "disable")),
    description: option("a description"),
    prefix: option("the prefix of new keys", named("TEXT")),
    tag: tagsOption("the tags, which replace all existing ones"),
    tokenIssuer: tokenIssuersOption(
      "an issuer whose tokens callers with a limited role may map; they replace all existing ones",
    ),
    ...clearOption("description", "tags", "tokenIssuers"),
  },
  examples: [
    {
      command: 'tollgate buckets update payments --description "Keys of the payment API"',
      text: "The other settings are not changed.",
    },
    { command: "tollgate buckets update payments --clear tags", text: "Removes all tags." },
    {
      command: "tollgate buckets update main --token-issuer https://id.acme.example=customer",
      text: "Who deploys one project may map tokens of this issuer to consumers, by the claim customer.",
    },
  ],
  call: (client, { name, description, prefix, onLeak, tag, tokenIssuer: tokenIssuers, clear }) =>
    client.buckets.update(name, changesOf({ description, keyPrefix: prefix, onLeak, tags: tag, tokenIssuers }, clear)),
  show: showFields,
});
