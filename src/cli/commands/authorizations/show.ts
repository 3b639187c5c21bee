import { argument } from "../../arguments/values.ts";
import { remoteCommand, showFields } from "../../connection/remote.ts";
import { bucketOption } from "../../options/key-bucket-options.ts";

export const command = remoteCommand({
  summary: "Show an authorization",
  arguments: { id: argument("the authorization's id") },
  options: { ...bucketOption },
  examples: [
    { command: "tollgate authorizations show auth_0QGzNqW81Kx8VhTb3mPcRdZu", text: "Who consented, and to what." },
  ],
  call: (client, { bucket, id }) => client.portal(bucket).authorization(id),
  show: showFields,
});
