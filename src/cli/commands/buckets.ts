import { changesOf, clearOption } from "../arguments/changes.ts";
import { argument, flag, formed, listOption, named, oneOf, option, tagsOption } from "../arguments/values.ts";
import { group, resource } from "../connection/resource.ts";

/** `https://id.example=customer` */
const tokenIssuer = formed(
  "ISSUER=CLAIM",
  /^(.+)=([^=]+)$/,
  (issuer, claim) => ({ issuer, claim }),
  "an issuer and a claim, such as https://id.example=customer",
);

const bucket = resource({
  one: "a key bucket",
  id: { name: argument("the bucket") },
  sample: "payments",
  api: (client) => client.buckets,
});

export const buckets = group({
  name: "buckets",
  summary: "Key buckets: containers for consumers and their keys",
  commands: {
    list: bucket.list({
      columns: ["name", "keyPrefix", "isRetrievable", "description", "tags", "createdOn"],
      examples: "All key buckets of the account.",
    }),
    create: bucket.command({
      summary: "Create a key bucket",
      details: "Creating the first consumer of a bucket creates it with default settings.",
      arguments: { name: argument("1 to 128 characters of a-z, 0-9, _ and -") },
      options: {
        description: option("a description"),
        prefix: option("the prefix of its keys; tg by default", named("TEXT")),
        notRetrievable: flag("show key values only once; cannot be changed later"),
        onLeak: option("what happens to a key that is reported as leaked; mark by default", oneOf("mark", "disable")),
        tag: tagsOption("a tag"),
        tokenIssuer: listOption("an issuer whose tokens callers with a limited role may map to consumers", tokenIssuer),
      },
      examples: {
        "tollgate buckets create payments --prefix pay --not-retrievable":
          "Keys such as pay_…, whose values are shown only once.",
      },
      call: (api, { name, description, prefix, notRetrievable, onLeak, tag, tokenIssuer }) =>
        api.create({
          name,
          description,
          keyPrefix: prefix,
          isRetrievable: notRetrievable ? false : undefined,
          onLeak,
          tags: tag,
          tokenIssuers: tokenIssuer,
        }),
    }),
    show: bucket.show({ examples: "Its settings." }),
    update: bucket.action({
      summary: "Change a key bucket",
      options: {
        onLeak: option("what happens to a key that is reported as leaked", oneOf("mark", "disable")),
        description: option("a description"),
        prefix: option("the prefix of new keys", named("TEXT")),
        tag: tagsOption("the tags, which replace all existing ones"),
        tokenIssuer: listOption(
          "an issuer whose tokens callers with a limited role may map; they replace all existing ones",
          tokenIssuer,
        ),
        ...clearOption("description", "tags", "tokenIssuers"),
      },
      examples: {
        'tollgate buckets update payments --description "Keys of the payment API"':
          "The other settings are not changed.",
        "tollgate buckets update payments --clear tags": "Removes all tags.",
        "tollgate buckets update main --token-issuer https://id.acme.example=customer":
          "Who deploys one project may map tokens of this issuer to consumers, by the claim customer.",
      },
      call: (api, name, { description, prefix, onLeak, tag, tokenIssuer: tokenIssuers, clear }) =>
        api.update(name, changesOf({ description, keyPrefix: prefix, onLeak, tags: tag, tokenIssuers }, clear)),
    }),
    delete: bucket.delete({
      options: { force: flag("also deletes its consumers and keys") },
      examples: {
        "tollgate buckets delete payments": "Rejected if it has consumers.",
        "tollgate buckets delete payments --force --yes": "Deletes them too, without confirmation.",
      },
      effect: ({ force }) => (force ? "with every consumer and key in it" : undefined),
      call: (api, name, { force }) => api.delete(name, { force }),
    }),
  },
});
