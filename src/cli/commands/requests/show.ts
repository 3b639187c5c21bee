import { argument } from "../../arguments/values.ts";
import { remoteCommand, showFields } from "../../connection/remote.ts";

export const command = remoteCommand({
  summary: "Show a request with the decision of each policy",
  arguments: { id: argument("its id, such as req_0QGzNqW81Kx8VhTb3mPcRdZu") },
  options: {},
  examples: [{ command: "tollgate requests show req_0QGzNqW81Kx8VhTb3mPcRdZu", text: "All recorded fields." }],
  call: (client, { id }) => client.requests.get(id),
  show: showFields,
});
