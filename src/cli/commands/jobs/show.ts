import { argument } from "../../arguments/values.ts";
import { remoteCommand, showFields } from "../../connection/remote.ts";

export const command = remoteCommand({
  summary: "Show the progress of a job",
  arguments: { id: argument("the job's id") },
  options: {},
  examples: [{ command: "tollgate jobs show job_0QGzNqW81Kx8VhTb3mPcRdZu", text: "Its state and progress." }],
  call: (client, { id }) => client.job(id),
  show: showFields,
});
