import { read, routeScope } from "../../../api/endpoint.ts";
import { formatDateTime } from "../../../lib/time/time.ts";
import { findJob, type Job } from "./jobs.ts";
import { job, type jobStates } from "./schema.ts";

export const jobAreas = { Jobs: "Work that continues in the background, such as a change of many keys." };

export function jobRoutes() {
  return routeScope({ area: "Jobs" }, [
    read({
      operationId: "getJob",
      path: "/v1/accounts/{accountName}/jobs/{jobId}",
      summary: "Read the progress of a job",
      description: "A job is kept for 30 days after its end.",
      access: "read",
      response: job,
      examples: {
        response: {
          id: "job_0QGzNqW81Kx8VhTb3mPcRdZu",
          state: "running",
          done: 4500,
          total: 120_000,
          failed: 0,
          createdOn: "2026-01-31T10:00:00.000Z",
          updatedOn: "2026-01-31T10:00:05.000Z",
        },
      },
      handle: async ({ reads, account, params }) => {
        const found = await findJob(reads, account.seq, params.jobId);
        return { body: presentJob(found), revision: { id: found.id, version: found.done }, composed: true };
      },
    }),
  ]);
}

function presentJob(job: Job) {
  return {
    id: job.id,
    state: job.state as (typeof jobStates)[number],
    done: job.done,
    total: job.total,
    failed: job.failed,
    createdOn: formatDateTime(job.created_on),
    updatedOn: formatDateTime(job.updated_on),
  };
}
