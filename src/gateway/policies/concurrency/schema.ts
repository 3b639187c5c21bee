import { z } from "zod";
import { subjectKind } from "../subject/schema.ts";

const maxRequests = 1_000_000;

export const concurrencyOptions = z.strictObject({
  by: subjectKind,
  requests: z.int().min(1).max(maxRequests).meta({ description: "How many requests may be in progress at once." }),
});

export type ConcurrencyOptions = z.output<typeof concurrencyOptions>;
