export type Tags = Record<string, string | number | boolean>;
export type TagFilter = { name: string; value: string }[];

/** Values compare as text: `tag.seats=5` finds the number 5 and the text "5". */
export function tagTexts(tags: string | null): { name: string; value: string }[] {
  if (tags === null) return [];
  return Object.entries(JSON.parse(tags) as Tags).map(([name, value]) => ({ name, value: String(value) }));
}

export function matchesTags(tags: string | null, filter: TagFilter): boolean {
  if (filter.length === 0) return true;
  const texts = tagTexts(tags);
  return filter.every(({ name, value }) => texts.some((tag) => tag.name === name && tag.value === value));
}

/** The name of the counted list of consumers that carry a tag. */
export function tagList(tag: { name: string; value: string }): string {
  return JSON.stringify([tag.name, tag.value]);
}
