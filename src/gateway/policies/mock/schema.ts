import { z } from "zod";

export const mockOptions = z.strictObject({
  status: z
    .int()
    .min(200)
    .max(599)
    .optional()
    .meta({ description: "The status of the response; by default the operation's first 2xx." }),
  delayMs: z.int().min(0).max(60_000).default(0).meta({ description: "How long the response takes." }),
});

export type MockOptions = z.output<typeof mockOptions>;
