import { argument, flag } from "../../arguments/values.ts";
import { deleteCommand } from "../../connection/remote.ts";

export const command = deleteCommand({
  summary: "Delete a key bucket",
  arguments: { name: argument("the bucket") },
  options: { force: flag("with the consumers and keys it holds") },
  examples: [
    { command: "tollgate buckets delete payments", text: "Rejected while it holds consumers." },
    { command: "tollgate buckets delete payments --force --yes", text: "With all of them, without confirmation." },
  ],
  what: ({ name, force }) => `the key bucket ${name}${force ? ", with every consumer and key in it" : ""}`,
  delete: (client, { name, force }) => client.buckets.delete(name, { force }),
});
