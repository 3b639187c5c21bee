import { argument } from "../../arguments/values.ts";
import { remoteCommand, showFields } from "../../connection/remote.ts";
import { bucketOption } from "../../options/key-bucket-options.ts";

export const command = remoteCommand({
  summary: "Approve a request for access to the portal",
  details: "Creates the consumer with its subscription, and sends the person a mail.",
  arguments: { id: argument("the id of the request") },
  options: bucketOption,
  examples: [
    { command: "tollgate portal approve preq_0QGzNqW81Kx8VhTb3mPcRdZu", text: "From: tollgate portal requests" },
  ],
  call: (client, { id, bucket }) => client.portal(bucket).approve(id),
  show: showFields,
});
