import { argument } from "../../arguments/values.ts";
import { remoteCommand, showFields } from "../../connection/remote.ts";
import { bucketOption } from "../../options/key-bucket-options.ts";

export const command = remoteCommand({
  summary: "Show an OAuth client",
  arguments: { id: argument("the client's id") },
  options: { ...bucketOption },
  examples: [{ command: "tollgate clients show oac_0QGzNqW81Kx8VhTb3mPcRdZu", text: "With its redirect addresses." }],
  call: (client, { bucket, id }) => client.portal(bucket).oauthClient(id),
  show: showFields,
});
