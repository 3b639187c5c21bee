/** The maximum number of characters of a key that its masked form shows. */
export const maxSuffixLength = 8;

/**
 * The end of a key in reverse, so that a shorter suffix is a prefix of it. Both engines index this expression; a query
 * must contain exactly the same text.
 */
export const reversedSuffix = Array.from(
  { length: maxSuffixLength },
  (_, at) => `substr(suffix, ${maxSuffixLength - at}, 1)`,
).join(" || ");
