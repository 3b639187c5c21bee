import { argument } from "../../arguments/values.ts";
import { deleteCommand } from "../../connection/remote.ts";
import { consumerOptions } from "../../options/key-bucket-options.ts";

export const command = deleteCommand({
  summary: "Delete a consumer: its keys stop working immediately",
  arguments: { name: argument("the consumer") },
  options: consumerOptions,
  examples: [{ command: "tollgate consumers delete acme", text: "Asks first." }],
  what: ({ name, bucket }) => `the consumer ${name} of bucket ${bucket}, whose keys stop working immediately`,
  delete: (client, { name, bucket, ifTag }) => client.consumers(bucket).delete(name, { tag: ifTag }),
});
