import { z } from "zod";
import { freeHeaderName } from "../../../core/http/header-names.ts";
import { name } from "../../../core/schemas/schemas.ts";
import { dashed } from "../../../platform/http1/message/name-set.ts";

export const apiKeyOptions = z
  .strictObject({
    bucket: name.meta({ description: "The key bucket, of the deployment's account, whose keys are accepted." }),
    header: z
      .union(
        [
          freeHeaderName,
          z
            .array(freeHeaderName)
            .min(1, "must have at least one header")
            .max(5, "must have at most 5 headers")
            .refine((names) => new Set(names.map(dashed)).size === names.length, "must not have a header twice"),
        ],
        "must be the name of a header, or a list of names",
      )
      .default("authorization")
      .meta({ description: "The header that carries the key, or a list of headers of which one does." }),
    scheme: z
      .string()
      .regex(/^[A-Za-z0-9._~+-]{0,32}$/, "must be at most 32 characters of A-Z, a-z, 0-9, ., _, ~, + and -")
      .default("Bearer")
      .meta({
        description:
          'The authentication scheme before the key in the header; "" for the key alone. Of a list, it applies to `authorization` only.',
      }),
    allowAnonymous: z.boolean().default(false).meta({
      description: "Whether a request without a key passes, without a consumer. An invalid key is always rejected.",
    }),
    oauth: z.boolean().default(false).meta({
      description: "Whether access tokens of the bucket's portal are accepted beside keys.",
    }),
  })
  .refine(
    ({ oauth, header, scheme }) => !oauth || ([header].flat().includes("authorization") && /^bearer$/i.test(scheme)),
    {
      message: 'needs the header "authorization" with the scheme "Bearer", where tokens are sent',
      path: ["oauth"],
    },
  );

export type ApiKeyOptions = z.output<typeof apiKeyOptions>;
