import { z } from "zod";
import { text } from "../../core/schemas/schemas.ts";
import { foundTypes } from "./search.ts";

export const searchQuery = z.strictObject({
  q: text(256).min(1, "must have at least 1 character").meta({
    description:
      "The prefix of a name, an id, a customerKey or a host, or the last characters of a key, at most those that its mask shows.",
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
          path: z.string().meta({ description: "The path of the resource in this API." }),
        }),
      )
      .meta({ description: "At most 20, best first." }),
  })
  .meta({ id: "SearchResult" });
