import { fieldErrors, parseOptions } from "../core/problems/field-errors.ts";
import { invalid, invalidFields } from "../core/problems/problem.ts";
import { maxTagConditions, tooManyTagConditions } from "../core/schemas/schemas.ts";
import type { Endpoint, TagFilter } from "./endpoint.ts";

const tagPrefix = "tag.";

export interface QueryText {
  values: Record<string, string>;
  tags: TagFilter;
}

export const noQuery: QueryText = { values: {}, tags: [] };

export function readQuery(search: string): QueryText {
  if (search === "") return noQuery;
  const values: Record<string, string> = Object.create(null);
  const tags: TagFilter = [];
  for (const [name, value] of new URLSearchParams(search)) {
    if (name.includes("\0") || value.includes("\0")) throw invalid(`?${name}`, "must not contain NUL characters");
    if (name.startsWith(tagPrefix)) tags.push({ name: name.slice(tagPrefix.length), value });
    else if (name in values) throw invalid(`?${name}`, "is given more than once");
    else values[name] = value;
  }
  return { values, tags };
}

/** Parameters that were probably meant as a condition: `tag`, `tags.plan`, `Tag.plan`, `tag[plan]`. */
const likeTag = /^\W*tags?(?![a-z])/i;

/**
 * Returns the tag conditions of a request, without duplicates. An invalid condition is rejected, never ignored: it may
 * be the only protection of other customers' resources against a change.
 */
export function checkTags(endpoint: Endpoint, query: QueryText): TagFilter {
  if (!endpoint.takesTags && endpoint.method === "GET") return noQuery.tags;
  for (const name in query.values)
    if (likeTag.test(name)) throw invalid(`?${name}`, "must name a property: tag.<property>=<value>");
  if (!endpoint.takesTags && query.tags.length > 0)
    throw invalid(`?${tagPrefix}${query.tags[0]!.name}`, "is not a condition of this operation");
  if (query.tags.length === 0) return noQuery.tags;
  const conditions = new Map<string, TagFilter[number]>();
  for (const tag of query.tags) {
    if (tag.name === "") throw invalid("?tag.", "must name a property: tag.<property>=<value>");
    conditions.set(`${tag.name}\0${tag.value}`, tag);
    if (conditions.size > maxTagConditions) throw invalid(`?${tagPrefix}${tag.name}`, tooManyTagConditions);
  }
  return [...conditions.values()];
}

export function checkQuery(endpoint: Endpoint, query: QueryText): unknown {
  if (!endpoint.query) return query.values;
  const result = endpoint.query.safeParse(parametersOf(endpoint, query), parseOptions);
  if (result.success) return result.data;
  throw invalidFields(fieldErrors(result.error.issues, (path) => `?${path.join(".")}`));
}

/**
 * Operations without tag conditions treat them like any other parameter: those that reject unknown parameters reject
 * them too.
 */
function parametersOf(endpoint: Endpoint, { values, tags }: QueryText): QueryText["values"] {
  const others = withoutAccount(values);
  if (endpoint.takesTags || tags.length === 0) return others;
  return { ...others, ...Object.fromEntries(tags.map(({ name, value }) => [`${tagPrefix}${name}`, value])) };
}

/** The account name is not a parameter of an operation; it was used to find the account. */
function withoutAccount(values: QueryText["values"]): QueryText["values"] {
  if (values.accountName === undefined) return values;
  const { accountName: _, ...others } = values;
  return others;
}
