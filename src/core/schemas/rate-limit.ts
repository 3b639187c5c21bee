import { z } from "zod";

const maxRequests = 1_000_000_000;
const maxWindowSeconds = 31 * 24 * 60 * 60;

/** The fields of a rate limit, whether of a key or of a policy. */
export const rateLimitFields = {
  requests: z.int().min(1).max(maxRequests).meta({ description: "The number of requests in a window." }),
  windowSeconds: z
    .int()
    .min(1)
    .max(maxWindowSeconds)
    .meta({ description: "The length of a window. Windows begin at multiples of it since 1970, in UTC." }),
};
