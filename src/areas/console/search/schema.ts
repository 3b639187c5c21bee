import { z } from "zod";
import { text } from "../../../core/schemas/schemas.ts";
import { foundTypes } from "./match.ts";

export const searchQuery = z.strictObject({
  q: text(256)
    .min(1, "must have at least 1 character")
    .meta({
      description:
        "Words or their beginnings, an id, the number of an invoice, a host, the last characters of a key, at most those that its mask " +
        "shows, or `sha256:` and the SHA-256 of a whole key in hex.",
    }),
});

export const searchResult = z
  .object({
    data: z
      .array(
        z.object({
          type: z.enum(foundTypes),
          id: z.string(),
          name: z.string(),
          displayName: z
            .string()
            .optional()
            .meta({ description: "What people call a consumer or a plan, if that is not the name." }),
          path: z.string().meta({ description: "The path of the resource in this API." }),
          detail: z.string().optional().meta({
            description: "What tells it from others: a description, the customer of an invoice, a manager's address.",
          }),
        }),
      )
      .meta({ description: "At most 20, best first." }),
  })
  .meta({ id: "SearchMatches" });
