import { argument } from "../../arguments/values.ts";
import { deleteCommand } from "../../connection/remote.ts";
import { bucketOption } from "../../options/key-bucket-options.ts";

export const command = deleteCommand({
  summary: "Delete an OAuth client: its authorizations end immediately",
  arguments: { id: argument("the client's id") },
  options: { ...bucketOption },
  examples: [{ command: "tollgate clients delete oac_0QGzNqW81Kx8VhTb3mPcRdZu", text: "Asks first." }],
  what: ({ id }) => `the OAuth client ${id}, whose authorizations end immediately`,
  delete: (client, { bucket, id }) => client.portal(bucket).deleteOAuthClient(id),
});
