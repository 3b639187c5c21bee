import { z } from "zod";
import { pathTemplate, templateText } from "../path-template/schema.ts";

const queryName = z.string().min(1).max(256, "must have at most 256 characters");

export const rewriteOptions = z
  .strictObject({
    path: pathTemplate
      .optional()
      .meta({ description: "The path for the target, with {name} for parameters of the route." }),
    query: z
      .strictObject({
        set: z.record(queryName, templateText).default({}),
        remove: z.array(queryName).default([]),
      })
      .optional()
      .meta({ description: "Parameters of the query to set, with {name} for parameters of the route, and to remove." }),
  })
  .refine(({ path, query }) => path !== undefined || query !== undefined, 'must have "path" or "query"');

export type RewriteOptions = z.output<typeof rewriteOptions>;
