/** The result of one turn of a contestant. */
export interface Sample {
  /** Requests; where a request carries many things, as a batch of events does, it still counts once. */
  readonly perSecond: number;
  readonly p50Microseconds: number;
  readonly p99Microseconds: number;
  /** CPU time of the contestant's processes for one request; the load's is not in it. */
  readonly cpuMicroseconds: number;
}

export type Figure = keyof Sample;

export function sampleOf(latencyMilliseconds: readonly number[], seconds: number, cpuMicroseconds: number): Sample {
  const sorted = Float64Array.from(latencyMilliseconds).sort();
  return {
    perSecond: sorted.length / seconds,
    p50Microseconds: Math.round(percentile(sorted, 0.5) * 1000),
    p99Microseconds: Math.round(percentile(sorted, 0.99) * 1000),
    cpuMicroseconds: cpuMicroseconds / sorted.length,
  };
}

export function percentile(sorted: Float64Array, share: number): number {
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? 0;
}

/** The median of each figure by itself. */
export function medianSample(samples: readonly Sample[]): Sample {
  const medianOf = (figure: Figure) => median(samples.map((sample) => sample[figure]));
  return {
    perSecond: medianOf("perSecond"),
    p50Microseconds: medianOf("p50Microseconds"),
    p99Microseconds: medianOf("p99Microseconds"),
    cpuMicroseconds: medianOf("cpuMicroseconds"),
  };
}

export function median(values: readonly number[]): number {
  const sorted = values.toSorted((left, right) => left - right);
  const middle = Math.floor(sorted.length / 2);
  return sorted.length % 2 === 1 ? sorted[middle]! : (sorted[middle - 1]! + sorted[middle]!) / 2;
}
