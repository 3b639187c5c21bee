import { z } from "zod";
import { headerName } from "../../../core/http/header-names.ts";

export const cacheOptions = z.strictObject({
  seconds: z
    .int()
    .min(1)
    .max(31_536_000)
    .meta({ description: "How long a response without its own lifetime is cached." }),
  by: z
    .enum(["consumer", "everyone"])
    .default("consumer")
    .meta({ description: "Whether each consumer has separate responses, or all share them." }),
  vary: z
    .array(headerName)
    .max(16, "must name at most 16 headers")
    .default([])
    .meta({ description: "Headers of requests that responses depend on." }),
});

export type CacheOptions = z.output<typeof cacheOptions>;
