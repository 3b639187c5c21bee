import type { KeyFilterOptions, UpdateKeys } from "../../../../client/index.ts";
import { now } from "../../../lib/clock.ts";
import { tagFilterOf } from "../../components/pairs.tsx";
import type { keySearchNames } from "../../queries/search-names.ts";

/** The search parameters of a list of keys. */
export type KeySearch = { [Name in (typeof keySearchNames)[number]]?: string | undefined };
export type KeyWhere = NonNullable<UpdateKeys["where"]>;

const dayMs = 86_400_000;

export const uses = [
  { value: "never", label: "Never used" },
  { value: "30d", label: "Unused for 30 days" },
  { value: "90d", label: "Unused for 90 days" },
  { value: "365d", label: "Unused for a year" },
];

export const expiries = [
  { value: "now", label: "Expired" },
  { value: "7d", label: "Expires within 7 days" },
  { value: "30d", label: "Expires within 30 days" },
];

/**
 * The conditions of a bulk change. Days are counted from `at`, so that a change matches the same keys as its dry run.
 */
export function whereOf({ use, expires, enabled, permission, suffix, tag }: KeySearch, at = now()): KeyWhere {
  const unusedDays = daysOf(use);
  const expiresDays = expires === "now" ? 0 : daysOf(expires);
  const [tagName, tagValue] = tagFilterOf(tag);
  return {
    ...(use === "never" ? { "never-used": true } : {}),
    ...(unusedDays === undefined ? {} : { "unused-since": new Date(at - unusedDays * dayMs).toISOString() }),
    ...(expiresDays === undefined ? {} : { "expires-before": new Date(at + expiresDays * dayMs).toISOString() }),
    ...(enabled === "true" || enabled === "false" ? { enabled: enabled === "true" } : {}),
    ...(permission && { permission }),
    ...(suffix && { suffix: endOf(suffix) }),
    ...(tagName ? { [`tag.${tagName}`]: tagValue } : {}),
  };
}

/** The same conditions as query parameters of the list. */
export function listFilterOf(where: KeyWhere): KeyFilterOptions {
  const tag = Object.fromEntries(
    Object.entries(where).flatMap(([name, value]) =>
      name.startsWith("tag.") ? [[name.slice("tag.".length), String(value)]] : [],
    ),
  );
  return {
    unusedSince: where["unused-since"],
    neverUsed: where["never-used"],
    expiresBefore: where["expires-before"],
    enabled: where.enabled,
    permission: where.permission,
    suffix: where.suffix,
    tag: Object.keys(tag).length > 0 ? tag : undefined,
  };
}

export const isFiltered = (search: KeySearch): boolean => Object.keys(whereOf(search)).length > 0;

/** A pasted key or mask is a search for its suffix; the rest of it is not sent. */
const endOf = (suffix: string): string => suffix.replace(/^(\*+|…)/, "").slice(-8);

function daysOf(text: string | undefined): number | undefined {
  const [, days] = /^(\d{1,5})d$/.exec(text ?? "") ?? [];
  return days === undefined ? undefined : Number(days);
}
