import { invalid } from "../../../../core/problems/problem.ts";
import { usedIn } from "../../../../counting/counters/counter-store.ts";
import {
  dayMilliseconds,
  hourMilliseconds,
  keptHoursMilliseconds,
  startOf,
} from "../../../../counting/counters/usage-hours.ts";
import {
  amountOfRow,
  type UsageSeriesRow,
  usageInDays,
  usageInHours,
} from "../../../../counting/counters/usage-series-store.ts";
import { type Amount, numberOf } from "../../../../lib/amount.ts";
import type { Period } from "../../../../lib/time/calendar.ts";
import { latestTime } from "../../../../lib/time/time.ts";
import type { Reads } from "../../../../platform/storage/storage.ts";
import { allowancesIn } from "../../subscriptions/allowance-history.ts";
import { periodOf } from "../../subscriptions/state.ts";
import type { Subscription } from "../../subscriptions/subscriptions.ts";

const usageSteps = { "1h": hourMilliseconds, "1d": dayMilliseconds } as const;
type UsageStep = keyof typeof usageSteps;

/** Up to this range the default step is an hour. */
const maxHourlyRange = 7 * dayMilliseconds;
/** The maximum number of points of one meter. */
const maxPoints = 3_000;
/** The maximum number of points of all meters together. */
const maxPointsInTotal = 50_000;
/** The share of a period on which a forecast is based. */
const forecastShare = 1 / 7;
/** The minimum duration for a forecast: a few minutes are not representative of a month. */
const shortestPast = hourMilliseconds;

interface UsageSeriesInput {
  from?: number | undefined;
  to?: number | undefined;
  step?: UsageStep | undefined;
  /** Only this meter. */
  meter?: string | undefined;
}

interface MeterSeries {
  label: string | undefined;
  /** The values at each of the times. */
  points: number[];
  used: number;
  max: number;
  forecast?: number;
}

export interface UsageSeries {
  from: number;
  to: number;
  step: UsageStep;
  /** The times of the points of every meter. */
  times: number[];
  meters: Record<string, MeterSeries>;
}

/**
 * Returns the usage of a subscription by step: by default in its current period, where the points add up to `usage`. A
 * step that contains the end of a period has two points, the second at the start of the next period. Throws if the
 * range or the step is invalid, or if all meters together have too many points.
 */
export async function usageSeries(
  reads: Reads,
  subscription: Subscription,
  input: UsageSeriesInput,
  now: number,
): Promise<UsageSeries> {
  const range = rangeOf(subscription, input, now);
  const { from, to } = range;
  const times = pointTimes(subscription, range);
  const isShown = (meter: string) => input.meter === undefined || meter === input.meter;
  const last = periodOf(subscription, to - 1);
  const allowed = await allowancesIn(reads, subscription, last);
  const names = new Set([...allowed.keys()].filter(isShown));
  const requireFew = () => {
    if (names.size * times.length > maxPointsInTotal) throw tooManyPoints(names.size, times.length, range.step);
  };
  requireFew();
  const used = await usedAt(reads, subscription, range, input.meter, (meter) => {
    names.add(meter);
    requireFew();
  });
  const isCurrent = now >= last.start && now < last.end;
  const forecasts = isCurrent ? await forecast(reads, subscription, last, input.meter, now) : new Map<string, number>();
  const meters: Record<string, MeterSeries> = {};
  for (const meter of names) {
    const amounts = used.get(meter);
    let sum = 0n;
    const points = times.map((time) => {
      const amount = amounts?.get(time) ?? 0n;
      sum += amount;
      return numberOf(amount);
    });
    const { label, max } = allowed.get(meter) ?? { label: undefined, max: 0n };
    const expected = forecasts.get(meter);
    meters[meter] = {
      label,
      points,
      used: numberOf(sum),
      max: numberOf(max),
      ...(expected === undefined ? {} : { forecast: expected }),
    };
  }
  return { from, to, step: range.step, times, meters };
}

function tooManyPoints(meters: number, points: number, step: UsageStep) {
  const detail = `makes ${points} points of ${meters} meters or more; at most ${maxPointsInTotal} in all: choose a shorter range`;
  return invalid("?from", step === "1h" ? `${detail}, the step 1d, or one meter` : `${detail}, or one meter`);
}

interface Range {
  from: number;
  to: number;
  step: UsageStep;
}

function rangeOf(subscription: Subscription, { from: given, to: givenTo, step }: UsageSeriesInput, now: number): Range {
  const end = givenTo ?? now + 1;
  const start = given ?? periodOf(subscription, end - 1).start;
  if (start >= end) throw invalid("?from", "must be before to");
  const keptSince = startOf(now - keptHoursMilliseconds, hourMilliseconds);
  const isKeptByHour = startOf(start, hourMilliseconds) >= keptSince;
  const chosen = step ?? (end - start <= maxHourlyRange && isKeptByHour ? "1h" : "1d");
  if (chosen === "1h" && !isKeptByHour)
    throw invalid("?step", "1h is kept for 90 days; from is older than that: choose 1d");
  const milliseconds = usageSteps[chosen];
  // Limited to their periods, because usage beyond belongs to other periods.
  const from = Math.max(startOf(start, milliseconds), periodOf(subscription, start).start);
  const to = Math.min(startOf(end - 1, milliseconds) + milliseconds, periodOf(subscription, end - 1).end);
  if (to > latestTime) throw invalid("?to", "must be at least a step before the year 10000");
  if ((to - from) / milliseconds > maxPoints)
    throw invalid("?from", `makes more than ${maxPoints} points with the step ${chosen}`);
  return { from, to, step: chosen };
}

/** Returns the starts of the steps, and the boundaries of periods between them. */
function pointTimes(subscription: Subscription, { from, to, step }: Range): number[] {
  const milliseconds = usageSteps[step];
  const times = new Set([from]);
  for (let time = startOf(from, milliseconds) + milliseconds; time < to; time += milliseconds) times.add(time);
  for (let { end } = periodOf(subscription, from); end < to; end = periodOf(subscription, end).end) times.add(end);
  return [...times].sort((one, other) => one - other);
}

/** Returns usage by meter, then by the time of the point. Calls `found` with each meter once, as soon as it is read. */
async function usedAt(
  reads: Reads,
  subscription: Subscription,
  range: Range,
  meter: string | undefined,
  found: (meter: string) => void,
): Promise<Map<string, Map<number, Amount>>> {
  const { from, to, step } = range;
  const rows =
    step === "1d"
      ? usageInDays(reads, subscription.row.seq, periodOf(subscription, from).start, to, meter)
      : usageInHours(reads, subscription.row.seq, hoursIn(from, to), meter);
  const used = new Map<string, Map<number, Amount>>();
  for await (const row of rows) {
    const time = Math.max(row.time, row.period_start);
    if (time < from || time >= to) continue;
    let amounts = used.get(row.meter);
    if (!amounts) {
      found(row.meter);
      amounts = new Map();
      used.set(row.meter, amounts);
    }
    amounts.set(time, (amounts.get(time) ?? 0n) + amountOfRow(row));
  }
  return used;
}

/** Returns the usage of each meter at the end of the period, if it continues as in the last seventh of it. */
async function forecast(
  reads: Reads,
  subscription: Subscription,
  { start, end }: Period,
  meter: string | undefined,
  now: number,
): Promise<Map<string, number>> {
  const from = Math.max(start, startOf(now - (end - start) * forecastShare, hourMilliseconds));
  const forecasts = new Map<string, number>();
  if (now - start < shortestPast) return forecasts;
  const isOfPeriod = (hour: UsageSeriesRow) => hour.period_start === start && Math.max(hour.time, start) >= from;
  const lately = new Map<string, Amount>();
  for await (const hour of usageInHours(reads, subscription.row.seq, hoursIn(from, now + 1), meter))
    if (isOfPeriod(hour)) lately.set(hour.meter, (lately.get(hour.meter) ?? 0n) + amountOfRow(hour));
  for (const [name, used] of await usedIn(reads, subscription.row.seq, start)) {
    const rate = numberOf(lately.get(name) ?? 0n) / (now - from);
    forecasts.set(name, Number((numberOf(used) + rate * (end - now)).toFixed(2)));
  }
  return forecasts;
}

function hoursIn(from: number, to: number): number[] {
  const hours: number[] = [];
  for (let hour = startOf(from, hourMilliseconds); hour < to; hour += hourMilliseconds) hours.push(hour);
  return hours;
}
