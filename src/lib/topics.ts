import { laterTimeText, timeTextOf } from "./ids.ts";

/**
 * An id that was made in the time of a segment leads to it by itself: of what is created, which is most of a busy log, only the
 * parent needs a row. Segments of a longer time are found by rows alone: it bounds how many an id can lead to.
 */
const shortMilliseconds = 10_000;

/** The topics that need a row to lead to a segment with entries from one id to another. */
export function topicsWithRows(topics: string[], lowestId: string, highestId: string): string[] {
  const [lowest, highest] = [timeTextOf(lowestId), timeTextOf(highestId)];
  if (lowest === undefined || highest === undefined) return [...new Set(topics)];
  const nearest = laterTimeText(highest, -shortMilliseconds);
  const first = nearest > lowest ? nearest : lowest;
  const needed = topics.filter((topic) => {
    const made = timeTextOf(topic);
    return made === undefined || made < first || made > highest;
  });
  return [...new Set(needed)];
}

/**
 * The segments that a topic leads to by itself, by their ids: the lowest lies below one, the highest from one up to another.
 * Undefined for an id that was chosen.
 */
export function segmentsLedTo(
  topic: string,
): { lowestBelow: string; highestFrom: string; highestBelow: string } | undefined {
  const made = timeTextOf(topic);
  if (made === undefined) return undefined;
  return {
    lowestBelow: `audt_${laterTimeText(made, 1)}`,
    highestFrom: `audt_${made}`,
    highestBelow: `audt_${laterTimeText(made, shortMilliseconds + 1)}`,
  };
}
