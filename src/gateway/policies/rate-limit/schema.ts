import { z } from "zod";
import { rateLimitFields } from "../../../core/schemas/rate-limit.ts";
import { subjectKind } from "../subject/schema.ts";

export const rateLimitOptions = z.strictObject({
  by: subjectKind,
  ...rateLimitFields,
});

export type RateLimitOptions = z.output<typeof rateLimitOptions>;
