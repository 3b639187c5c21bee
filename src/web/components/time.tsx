import { useSyncExternalStore } from "react";
import { now } from "../lib/clock.ts";
import { formatDateTime, formatDay, formatMinute, formatRelative } from "../lib/format.ts";

// One timer for all times on the page.
let minute = now();
const listeners = new Set<() => void>();
let timer: ReturnType<typeof setInterval> | undefined;

function subscribe(listener: () => void): () => void {
  listeners.add(listener);
  timer ??= setInterval(() => {
    minute = now();
    for (const each of listeners) each();
  }, 30_000);
  return () => {
    listeners.delete(listener);
    if (listeners.size > 0) return;
    clearInterval(timer);
    timer = undefined;
  };
}

/** The time of the last tick; updated twice a minute. */
export function useNow(): number {
  return useSyncExternalStore(subscribe, () => minute);
}

/** "3 min ago", with the exact time on hover. */
export function RelativeTime({ time, none = "Never" }: { time: string | null | undefined; none?: string }) {
  const at = useNow();
  if (time === null || time === undefined) return <span className="muted">{none}</span>;
  return (
    <time dateTime={time} title={formatDateTime(time)}>
      {formatRelative(new Date(time).getTime(), Math.max(at, now()))}
    </time>
  );
}

/** With the second on hover. */
const timeAs =
  (format: (time: string) => string) =>
  ({ time }: { time: string }) => (
    <time dateTime={time} title={formatDateTime(time)}>
      {format(time)}
    </time>
  );

/** "Oct 4, 2026", of what happens once, such as a creation or the start of a period. */
export const DayTime = timeAs(formatDay);

/** "Oct 4, 2026, 14:05", of money and logs. */
export const ExactTime = timeAs(formatMinute);
