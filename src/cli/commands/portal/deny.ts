import { argument } from "../../arguments/values.ts";
import { remoteCommand, showFields } from "../../connection/remote.ts";
import { bucketOption } from "../../options/key-bucket-options.ts";

export const command = remoteCommand({
  summary: "Deny a request for access to the portal",
  details: "The person gets no mail.",
  arguments: { id: argument("the id of the request") },
  options: bucketOption,
  examples: [{ command: "tollgate portal deny preq_0QGzNqW81Kx8VhTb3mPcRdZu", text: "From: tollgate portal requests" }],
  call: (client, { id, bucket }) => client.portal(bucket).deny(id),
  show: showFields,
});
