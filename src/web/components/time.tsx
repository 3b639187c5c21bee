import { useSyncExternalStore } from "react";
import { now } from "../lib/clock.ts";
import { formatDateTime, formatMinute, formatRelative } from "../lib/format.ts";

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

/** "Oct 4, 2026, 14:05", of money and logs: with the second on hover. */
export function ExactTime({ time }: { time: string }) {
  return (
    <time dateTime={time} title={formatDateTime(time)}>
      {formatMinute(time)}
    </time>
  );
}
