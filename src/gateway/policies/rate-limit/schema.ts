import { z } from "zod";
import { rateLimitFields } from "../../../core/schemas/rate-limit.ts";

export const rateLimitOptions = z.strictObject({
  by: z.enum(["consumer", "key", "ip"]).default("consumer").meta({
    description: "Who is counted by themselves. Requests of nobody in particular are counted by their address.",
  }),
  ...rateLimitFields,
});

export type RateLimitOptions = z.output<typeof rateLimitOptions>;
