import { z } from "zod";
import { dateTime, text } from "../../../core/schemas/schemas.ts";

const pages = [
  "consumers",
  "keys",
  "plans",
  "subscriptions",
  "deployments",
  "requests",
  "webhooks",
  "audit-log",
  "domains",
] as const;

// biome-ignore lint/suspicious/noControlCharactersInRegex: the pattern rejects control characters
const namePattern = /^[^\x00-\x1f\x7f]*[^\x00-\x20\x7f][^\x00-\x1f\x7f]*$/;

const name = text(80)
  .regex(namePattern, "must be 1 to 80 characters, not only spaces, none of them a control character")
  .meta({ description: "Unique in the account." });

const search = text(2000)
  // biome-ignore lint/suspicious/noControlCharactersInRegex: the pattern rejects control characters
  .regex(/^[^\x00-\x20\x7f#?]*$/, "must be a query string without the question mark")
  .meta({ description: "The filters, as in the query string of the page." });

const example = { name: "Gold customers", page: "consumers", search: "tag=plan%3Dgold" } as const;

export const savedViewInput = z
  .strictObject({ name, page: z.enum(pages), search })
  .meta({ id: "ViewCreate", examples: [example] });

export const viewPatch = z
  .strictObject({ name: name.optional(), search: search.optional() })
  .meta({ id: "ViewUpdate", examples: [{ name: "Gold and platinum customers" }] });

export const view = z
  .object({
    id: z.string(),
    name: z.string(),
    page: z.enum(pages),
    search: z.string(),
    createdOn: dateTime,
    updatedOn: dateTime,
  })
  .meta({
    id: "View",
    description: "A named filter of a list in the console, for all users of the account.",
    examples: [
      {
        id: "view_0QGzNqW81Kx8VhTb3mPcRdZu",
        ...example,
        createdOn: "2026-01-31T10:00:00.000Z",
        updatedOn: "2026-01-31T10:00:00.000Z",
      },
    ],
  });

export type ViewPage = (typeof pages)[number];
