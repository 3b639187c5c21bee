/** The masked form of a key shows at most so many characters. */
export const longestSuffix = 8;

/**
 * The end of a key backwards, so that a shorter end is a prefix of it. An expression that both engines index; a query must
 * spell it alike.
 */
export const reversedSuffix = Array.from(
  { length: longestSuffix },
  (_, at) => `substr(suffix, ${longestSuffix - at}, 1)`,
).join(" || ");
