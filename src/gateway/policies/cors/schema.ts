import { z } from "zod";
import { headerName } from "../../../core/http/header-names.ts";

/** `https://app.example.com`, or `https://*.example.com` for all subdomains. */
const origin = z
  .string()
  .regex(
    /^[a-z][a-z0-9+.-]*:\/\/(\*\.)?(\[[0-9a-f:.]+\]|[a-z0-9_-]+(\.[a-z0-9_-]+)*)(:[0-9]{1,5})?$/,
    "must be an origin in lower case without a path, such as https://app.example.com or https://*.example.com",
  );

export const corsOptions = z
  .strictObject({
    origins: z
      .union(
        [z.literal("*"), z.array(origin).min(1, "must name at least one origin")],
        'must be "*" or a list of origins',
      )
      .meta({ description: 'Pages of which origins may call: a list, or "*" for any.' }),
    methods: z
      .array(z.string().regex(/^[A-Z]{1,32}$/, "must be a method in upper case"))
      .min(1, "must name at least one method")
      .default(["GET", "HEAD", "POST", "PUT", "PATCH", "DELETE"])
      .meta({ description: "Methods that pages may use." }),
    headers: z
      .union([z.literal("*"), z.array(headerName)], 'must be "*" or a list of header names')
      .default("*")
      .meta({ description: 'Headers that pages may send: a list, or "*" for whatever they request.' }),
    exposeHeaders: z.array(headerName).default([]).meta({ description: "Headers of responses that pages may read." }),
    maxAgeSeconds: z
      .int()
      .min(0)
      .max(86_400)
      .default(600)
      .meta({ description: "How long browsers may remember what is allowed." }),
    credentials: z.boolean().default(false).meta({ description: "Whether pages may send cookies." }),
  })
  .refine(({ origins, credentials }) => origins !== "*" || !credentials, {
    message: 'must not be true if origins is "*": name the origins that may send cookies',
    path: ["credentials"],
  });

export type CorsOptions = z.output<typeof corsOptions>;
