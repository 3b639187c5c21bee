import { z } from "zod";
import { dateTime } from "../core/schemas/schemas.ts";

/** Query parameters arrive as text. */
export const queryBoolean = z.enum(["true", "false"], "must be true or false").transform((value) => value === "true");

const integerText = /^\d+$/;
const maxOffset = 2 ** 32 - 1;

/** The number of items to return. Values over 1000 become 1000. */
export function queryLimit(defaultLimit: number, description: string) {
  return z
    .string()
    .regex(integerText, "must be an integer from 1 to 1000")
    .transform(Number)
    .refine((limit) => limit >= 1, "must be at least 1")
    .transform((limit) => Math.min(limit, 1000))
    .default(defaultLimit)
    .meta({ description });
}

export const paging = z.object({
  limit: queryLimit(1000, "Page size; at most 1000."),
  offset: z
    .string()
    .regex(integerText, "must be an integer of at least 0")
    .transform(Number)
    .refine((offset) => offset <= maxOffset, `must be at most ${maxOffset}`)
    .default(0)
    .meta({ description: "Items to skip." }),
});

/** The example in the description of a schema. */
export function exampleOf(schema: z.ZodType): unknown {
  return (schema.meta()?.examples as unknown[] | undefined)?.[0];
}

const count = z.int().min(0).max(maxOffset);

export function listOf<Item extends z.ZodType, More extends z.ZodRawShape = Record<never, never>>(
  item: Item,
  id: string,
  more: More = {} as More,
) {
  const example = exampleOf(item) as z.output<Item> | undefined;
  const examples = example === undefined ? [] : [{ data: [example], limit: 1000, offset: 0, total: 1 }];
  return z
    .object({
      data: z.array(item),
      limit: count,
      offset: count,
      total: count,
      ...more,
    })
    .meta({ id, description: "One page of a list, in the order of creation.", examples });
}

export interface PageBody {
  data: { length: number };
  limit: number;
  offset: number;
  total: number;
  /** Of a list whose order was computed before, so that the next page has the same. */
  rankedOn?: string;
}

/** Returns the value of a `Link` header, or undefined on the last page. */
export function nextPageLink(
  { path, search }: { path: string; search: string },
  { data, limit, offset, total, rankedOn }: PageBody,
): string | undefined {
  const next = offset + data.length;
  if (data.length === 0 || next >= total) return undefined;
  const query = new URLSearchParams(search);
  query.set("limit", String(limit));
  query.set("offset", String(next));
  if (rankedOn !== undefined) query.set("rankedOn", rankedOn);
  return `<${path}?${query}>; rel="next"`;
}

export const problemSchema = z
  .object({
    type: z.string(),
    title: z.string(),
    status: z.int().min(400).max(599),
    detail: z.string(),
    instance: z.string(),
    code: z.string(),
    errors: z.array(z.object({ pointer: z.string(), detail: z.string() })).optional(),
    trace: z.object({ requestId: z.string(), timestamp: dateTime }),
  })
  .meta({
    id: "Problem",
    description: "An error (RFC 9457).",
    examples: [
      {
        type: "https://httpproblems.com/http-status/400",
        title: "Bad Request",
        status: 400,
        detail: "/name must be 1 to 128 characters of a-z, 0-9 and -",
        instance: "/v1/accounts/default/key-buckets/main/consumers",
        code: "validation_failed",
        errors: [{ pointer: "/name", detail: "must be 1 to 128 characters of a-z, 0-9 and -" }],
        trace: { requestId: "7b0c4f5e-1d55-4c5a-9d0e-0f1a2b3c4d5e", timestamp: "2026-01-31T10:00:00.000Z" },
      },
    ],
  });
