import type { TagFilter } from "./consumer-address.ts";

export type Tags = Record<string, string | number | boolean>;

/** Values are compared as text: `tag.seats=5` matches the number 5 and the text "5". */
export function tagTexts(tags: string | null): { name: string; value: string }[] {
  return Object.entries(readTags(tags)).map(([name, value]) => ({ name, value: String(value) }));
}

export function readTags(tags: string | null): Tags {
  return tags === null ? {} : JSON.parse(tags);
}

export function matchesTags(tags: Tags | undefined, filter: TagFilter): boolean {
  return filter.every(
    ({ name, value }) => tags !== undefined && Object.hasOwn(tags, name) && String(tags[name]) === value,
  );
}

/** Returns the name of the counted list of consumers that have a tag. */
export function tagList(tag: { name: string; value: string }): string {
  return JSON.stringify([tag.name, tag.value]);
}

/** Returns the name of the counted list of keys whose consumer has the tag. */
export function taggedKeyList(tag: { name: string; value: string }): string {
  return `keys ${tagList(tag)}`;
}
