import { z } from "zod";
import { dateTime } from "../../../core/schemas/schemas.ts";

export const jobStates = ["queued", "running", "succeeded", "failed", "canceled"] as const;

export const job = z
  .object({
    id: z.string(),
    state: z.enum(jobStates),
    done: z.int().meta({ description: "The number of processed items, including failed ones." }),
    total: z.int().meta({ description: "The number of items when it was started." }),
    failed: z.int().meta({ description: "The number of items that could not be changed, such as deleted keys." }),
    createdOn: dateTime,
    updatedOn: dateTime,
  })
  .meta({ id: "Job", description: "Work that continues in the background, also after a restart." });

export const jobStarted = z.object({ jobId: z.string() }).meta({ id: "JobStarted" });
