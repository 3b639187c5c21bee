import { type AreaContext, areaOf } from "../../../api/area.ts";
import { read } from "../../../api/endpoint.ts";
import { formatDateTime } from "../../../lib/time/time.ts";
import { type JobKind, JobRunner } from "./job-runner.ts";
import { findJob, type Job, removeOldJobs } from "./jobs.ts";
import { job, type jobStates } from "./schema.ts";

export function jobArea({ storage, clock, log, lifecycle }: AreaContext, kinds: Record<string, JobKind>) {
  const jobs = new JobRunner({ name: "jobs", storage, clock, log, kinds });
  lifecycle.onClose("jobs", () => jobs.stop());
  const operations = [
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
  ];
  return areaOf({ Jobs: "Work that continues in the background, such as a change of many keys." }, operations, {
    start: () => jobs.start(),
    removals: [(signal) => removeOldJobs(storage, clock.now(), signal)],
  });
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
