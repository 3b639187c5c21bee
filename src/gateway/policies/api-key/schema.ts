import { z } from "zod";
import { freeHeaderName } from "../../../core/http/header-names.ts";
import { name } from "../../../core/schemas/schemas.ts";

export const apiKeyOptions = z
  .strictObject({
    bucket: name.meta({ description: "The key bucket, of the deployment's account, whose keys are accepted." }),
    header: freeHeaderName.default("authorization").meta({ description: "The header that carries the key." }),
    scheme: z
      .string()
      .regex(/^[A-Za-z0-9._~+-]{0,32}$/, "must be at most 32 characters of A-Z, a-z, 0-9, ., _, ~, + and -")
      .default("Bearer")
      .meta({ description: 'The authentication scheme before the key in the header; "" for the key alone.' }),
    allowAnonymous: z.boolean().default(false).meta({
      description: "Whether a request without a key passes, without a consumer. An invalid key is always rejected.",
    }),
    oauth: z.boolean().default(false).meta({
      description: "Whether access tokens of the bucket's portal are accepted beside keys.",
    }),
  })
  .refine(({ oauth, header, scheme }) => !oauth || (header === "authorization" && /^bearer$/i.test(scheme)), {
    message: 'needs the header "authorization" with the scheme "Bearer", where tokens are sent',
    path: ["oauth"],
  });

export type ApiKeyOptions = z.output<typeof apiKeyOptions>;
