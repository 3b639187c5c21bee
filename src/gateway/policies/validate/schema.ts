import { z } from "zod";

/** The rules are those of the operation itself. */
export const validateOptions = z.strictObject({
  response: z.enum(["report", "enforce"]).optional().meta({
    description: "Validates responses too: `report` notes errors in the record of the request, `enforce` returns 502.",
  }),
});

export type ValidateOptions = z.output<typeof validateOptions>;
