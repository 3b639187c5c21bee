import { z } from "zod";
import { freeHeaderName, headerValue } from "../../../core/http/header-names.ts";

const changes = z.strictObject({
  set: z
    .record(freeHeaderName, headerValue)
    .default({})
    .meta({ description: "Headers to set; they replace existing ones." }),
  remove: z.array(freeHeaderName).default([]).meta({ description: "Headers to remove." }),
});

export const headersOptions = z.strictObject({
  request: changes.prefault({}).meta({ description: "Changes of the request headers for the target." }),
  response: changes.prefault({}).meta({ description: "Changes of the response headers for the client." }),
});

export type HeadersOptions = z.output<typeof headersOptions>;
