import { laterTimeText, timeTextOf } from "../../lib/ids.ts";

/**
 * An id that was made in the time of a segment leads to it by itself: of what is created, which is most of a busy log, only the
 * parent needs a row. Segments of a longer time are found by rows alone: it bounds how many an id can lead to.
 */
const shortMilliseconds = 10_000;

/** The topics that need a row to lead to their segment. */
export function topicsWithRows(
  topics: Iterable<string>,
  { lowest_id, highest_id }: { lowest_id: string; highest_id: string },
): string[] {
  const distinct = [...new Set(topics)];
  const [lowest, highest] = [timeTextOf(lowest_id), timeTextOf(highest_id)];
  if (lowest === undefined || highest === undefined) return distinct;
  const nearest = laterTimeText(highest, -shortMilliseconds);
  const first = nearest > lowest ? nearest : lowest;
  return distinct.filter((topic) => {
    const made = timeTextOf(topic);
    return made === undefined || made < first || made > highest;
  });
}

/** Between which ids of entries those segments end that a topic leads to by itself; undefined for an id that was chosen. */
export function endsLedTo(topic: string): { from: string; before: string } | undefined {
  const made = timeTextOf(topic);
  if (made === undefined) return undefined;
  return { from: `audt_${made}`, before: `audt_${laterTimeText(made, shortMilliseconds + 1)}` };
}
