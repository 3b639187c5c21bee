import { z } from "zod";
import { freeHeaderName, headerValue } from "../../../core/http/header-names.ts";

const changes = z.strictObject({
  set: z
    .record(freeHeaderName, headerValue)
    .default({})
    .meta({ description: "Headers to set, whatever they were before." }),
  remove: z.array(freeHeaderName).default([]).meta({ description: "Headers to remove." }),
});

export const headersOptions = z.strictObject({
  request: changes.prefault({}).meta({ description: "What changes before the target sees the request." }),
  response: changes.prefault({}).meta({ description: "What changes before the caller sees the response." }),
});

export type HeadersOptions = z.output<typeof headersOptions>;
