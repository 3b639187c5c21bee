import { argument } from "../../arguments/values.ts";
import { deleteCommand } from "../../connection/remote.ts";
import { bucketOption } from "../../options/key-bucket-options.ts";

export const command = deleteCommand({
  summary: "End an authorization: requests with its tokens fail immediately",
  arguments: { id: argument("the authorization's id") },
  options: { ...bucketOption },
  examples: [{ command: "tollgate authorizations end auth_0QGzNqW81Kx8VhTb3mPcRdZu", text: "Asks first." }],
  what: ({ id }) => `the authorization ${id}, whose tokens stop working immediately`,
  delete: (client, { bucket, id }) => client.portal(bucket).endAuthorization(id),
});
