import { z } from "zod";

export const mockOptions = z.strictObject({
  status: z
    .int("must be an integer")
    .min(200, "must be at least 200")
    .max(599, "must be at most 599")
    .optional()
    .meta({ description: "The status of the response; by default the operation's first 2xx." }),
  delayMs: z
    .int("must be an integer")
    .min(0, "must be at least 0")
    .max(60_000, "must be at most 60000")
    .default(0)
    .meta({ description: "How long the response takes." }),
});

export type MockOptions = z.output<typeof mockOptions>;
