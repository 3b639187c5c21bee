import { z } from "zod";
import { secret, text } from "../../core/schemas/schemas.ts";

const maxKeys = 1000;

export const leakReport = z
  .strictObject({
    keys: z
      .array(secret(text(512).min(1, "must not be empty")))
      .min(1, "must have at least one value")
      .max(maxKeys, `must have at most ${maxKeys} values`)
      .meta({ description: "The values that were found, whether they are keys or not." }),
    source: text(256).min(1, "must not be empty").meta({ description: "Who found them, such as `github`." }),
    url: text(2000)
      .refine((value) => /^https?:\/\//.test(value) && URL.canParse(value), "must be an http or https URL")
      .optional()
      .meta({ description: "Where they were found." }),
  })
  .meta({ id: "LeakReport" });
