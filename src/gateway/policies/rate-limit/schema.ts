import { z } from "zod";
import { rateLimitFields } from "../../../core/schemas/rate-limit.ts";
import { subjectKind } from "../subject/schema.ts";

export const rateLimitOptions = z.strictObject({
  by: subjectKind,
  ...rateLimitFields,
  window: z.enum(["fixed", "sliding"]).default("fixed").meta({
    description:
      "With `sliding`, requests of the previous window count by the share of this one that is still to come.",
  }),
  legacyHeaders: z.boolean().default(true).meta({
    description: "Whether responses carry `RateLimit-Limit`, `RateLimit-Remaining` and `RateLimit-Reset` too.",
  }),
});

export type RateLimitOptions = z.output<typeof rateLimitOptions>;
