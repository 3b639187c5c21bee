import { argument } from "../arguments/values.ts";
import { remoteCommand } from "../connection/remote.ts";
import { group } from "../connection/resource.ts";

export const jobs = group({
  name: "jobs",
  summary: "Jobs: bulk changes that continue in the background",
  commands: {
    show: remoteCommand({
      summary: "Show the progress of a job",
      arguments: { id: argument("the job's id") },
      examples: { "tollgate jobs show job_0QGzNqW81Kx8VhTb3mPcRdZu": "Its state and progress." },
      call: (client, { id }) => client.job(id),
    }),
  },
});
