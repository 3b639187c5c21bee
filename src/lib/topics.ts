import { laterTimeText, timeTextOf } from "./ids.ts";

/**
 * An id contains its creation time. A topic created within the time range of a segment is found in that segment without
 * a row in the index; most topics of a busy log are new, so only their parents need a row. Segments of a longer time
 * range are found by rows alone, which bounds the segments to search for an id.
 */
const shortMilliseconds = 10_000;

/** Returns the topics that need an index row for a segment with entries from `lowestId` to `highestId`. */
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
 * Returns the range of segments in which a topic may occur without an index row: bounds of their lowest and highest
 * ids. Undefined for an id that was not generated.
 */
export function segmentRangeOf(
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
