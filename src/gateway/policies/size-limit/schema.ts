import { z } from "zod";

const maxBytes = 1024 ** 4;

const bytes = z.int().min(1).max(maxBytes);

export const sizeLimitOptions = z
  .strictObject({
    requestBytes: bytes.optional().meta({ description: "The maximum size of a request body." }),
    responseBytes: bytes.optional().meta({ description: "The maximum size of a response body." }),
  })
  .refine(
    ({ requestBytes, responseBytes }) => requestBytes !== undefined || responseBytes !== undefined,
    'must have "requestBytes" or "responseBytes"',
  );

export type SizeLimitOptions = z.output<typeof sizeLimitOptions>;
