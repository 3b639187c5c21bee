import { argument, flag } from "../../arguments/values.ts";
import { deleteCommand } from "../../connection/remote.ts";

export const command = deleteCommand({
  summary: "Delete a key bucket",
  arguments: { name: argument("the bucket") },
  options: { force: flag("also deletes its consumers and keys") },
  examples: [
    { command: "tollgate buckets delete payments", text: "Rejected if it has consumers." },
    { command: "tollgate buckets delete payments --force --yes", text: "Deletes them too, without confirmation." },
  ],
  what: ({ name, force }) => `the key bucket ${name}${force ? ", with every consumer and key in it" : ""}`,
  delete: (client, { name, force }) => client.buckets.delete(name, { force }),
});
