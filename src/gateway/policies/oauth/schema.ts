import { z } from "zod";
import { name } from "../../../core/schemas/schemas.ts";

export const oauthOptions = z.strictObject({
  bucket: name.meta({
    description: "The key bucket, of the deployment's account, whose portal is the authorization server.",
  }),
});

export type OAuthOptions = z.output<typeof oauthOptions>;
