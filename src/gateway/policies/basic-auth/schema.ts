import { z } from "zod";
import { name } from "../../../core/schemas/schemas.ts";

export const basicAuthOptions = z.strictObject({
  bucket: name.meta({ description: "The key bucket, of the deployment's account, whose keys are the passwords." }),
});

export type BasicAuthOptions = z.output<typeof basicAuthOptions>;
