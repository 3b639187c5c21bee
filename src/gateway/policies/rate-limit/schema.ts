import { z } from "zod";

const longestWindowSeconds = 31 * 24 * 60 * 60;

export const rateLimitOptions = z.strictObject({
  by: z.enum(["consumer", "key", "ip"]).default("consumer").meta({
    description: "Who is counted by themselves. Requests of nobody in particular are counted by their address.",
  }),
  requests: z
    .int("must be an integer")
    .min(1, "must be at least 1")
    .max(1_000_000_000, "must be at most 1000000000")
    .meta({ description: "How many requests a window allows." }),
  windowSeconds: z
    .int("must be an integer")
    .min(1, "must be at least 1")
    .max(longestWindowSeconds, `must be at most ${longestWindowSeconds}`)
    .meta({ description: "How long a window is. Windows begin at multiples of it since 1970, in UTC." }),
});

export type RateLimitOptions = z.output<typeof rateLimitOptions>;
