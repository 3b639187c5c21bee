import { z } from "zod";
import { dateTime } from "../../core/schemas/schemas.ts";

export const jobStates = ["queued", "running", "succeeded", "failed"] as const;

export const job = z
  .object({
    id: z.string(),
    state: z.enum(jobStates),
    done: z.int().meta({ description: "How many it has gone through, with those that failed." }),
    total: z.int().meta({ description: "How many there were when it was started." }),
    failed: z.int().meta({ description: "How many could not be changed, such as keys that are gone." }),
    createdOn: dateTime,
    updatedOn: dateTime,
  })
  .meta({ id: "Job", description: "Work over more than fits into a request. It continues after a restart." });

export const jobStarted = z.object({ jobId: z.string() }).meta({ id: "JobStarted" });
