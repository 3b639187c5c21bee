const day = 24 * 60 * 60 * 1000;
const week = 7 * day;
/** 1970-01-01 was a Thursday; weeks begin on Monday. */
const firstMonday = 4 * day;
const maxDaysByDay = 60;

/** What was received from one time until before another. */
export interface Range {
  from: number;
  to: number;
}

/** How long the events of a partition were received: a day or a week, in UTC. */
export interface Unit {
  /** The start of the unit that contains a time. */
  start(time: number): number;
  /** The end of the unit that contains a time. */
  end(time: number): number;
  /** Partitions are created for this long ahead. */
  ahead: number;
}

export function unitOf(retentionDays: number): Unit {
  const [length, first, ahead] = retentionDays <= maxDaysByDay ? [day, 0, 3 * day] : [week, firstMonday, 2 * week];
  const start = (time: number) => Math.floor((time - first) / length) * length + first;
  return { start, end: (time) => start(time) + length, ahead };
}

/**
 * The partitions to create after the end of the last one, so that there is one for each time until some units ahead. They
 * are contiguous, also if the unit has changed. If none was created for long, one covers the time that has passed.
 */
export function nextRanges(lastEnd: number, now: number, unit: Unit): Range[] {
  const ranges: Range[] = [];
  let from = lastEnd;
  const current = unit.start(now);
  if (unit.end(from) < current) {
    ranges.push({ from, to: current });
    from = current;
  }
  while (from < now + unit.ahead) {
    const to = unit.end(from);
    ranges.push({ from, to });
    from = to;
  }
  return ranges;
}

export function partitionName({ from }: Range): string {
  return `usage_events_${new Date(from).toISOString().slice(0, 10).replaceAll("-", "")}`;
}
