import { argument } from "../arguments/values.ts";
import { group, resource } from "../connection/resource.ts";

const job = resource({
  one: "the progress of a job",
  id: { id: argument("the job's id") },
  sample: "job_0QGzNqW81Kx8VhTb3mPcRdZu",
  api: (client) => ({ get: (id: string) => client.job(id) }),
});

export const jobs = group({
  name: "jobs",
  summary: "Jobs: bulk changes that continue in the background",
  commands: {
    show: job.show({ examples: "Its state and progress." }),
  },
});
