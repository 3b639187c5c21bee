import { z } from "zod";
import { rateLimitFields } from "../../../core/schemas/rate-limit.ts";
import { subjectKind } from "../subject/schema.ts";

export const rateLimitOptions = z.strictObject({
  by: subjectKind,
  ...rateLimitFields,
  window: z.enum(["fixed", "sliding"]).default("fixed").meta({
    description: "With `sliding`, requests of the previous window count with the remaining share of this window.",
  }),
  legacyHeaders: z.boolean().default(true).meta({
    description: "Whether responses also have `RateLimit-Limit`, `RateLimit-Remaining` and `RateLimit-Reset`.",
  }),
});

export type RateLimitOptions = z.output<typeof rateLimitOptions>;
