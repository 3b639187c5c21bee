import type { Metric, Sample } from "./exposition.ts";

/** A histogram with at most one label. It counts in typed arrays, which become samples when `/metrics` is scraped. */
export class Histogram implements Metric {
  readonly type = "histogram";
  readonly #observations = new Map<string, Observations>();

  constructor(
    readonly name: string,
    readonly help: string,
    private readonly bounds: number[],
    private readonly label?: string,
    readonly names?: readonly string[],
  ) {
    // Without a label there is one series from the start.
    if (label === undefined) this.of("");
  }

  forget(labelValue: string): void {
    this.#observations.delete(labelValue);
  }

  observe(labelValue: string, value: number): void {
    this.of(labelValue).observe(value);
  }

  /** Returns a series for callers that observe it often. */
  of(labelValue: string): Observations {
    let observations = this.#observations.get(labelValue);
    if (!observations) {
      observations = new Observations(this.bounds);
      this.#observations.set(labelValue, observations);
    }
    return observations;
  }

  *samples(): Generator<Sample> {
    for (const [labelValue, { counts, sum }] of this.#observations) {
      const labels = this.label === undefined ? {} : { [this.label]: labelValue };
      let count = 0;
      for (const [index, within] of counts.entries()) {
        count += within;
        yield { suffix: "_bucket", labels: { le: this.bounds[index] ?? "+Inf", ...labels }, value: count };
      }
      yield { suffix: "_sum", labels, value: sum };
      yield { suffix: "_count", labels, value: count };
    }
  }
}

export class Observations {
  readonly counts: Float64Array;
  sum = 0;

  constructor(private readonly bounds: number[]) {
    this.counts = new Float64Array(bounds.length + 1);
  }

  observe(value: number): void {
    let at = 0;
    while (at < this.bounds.length && value > this.bounds[at]!) at += 1;
    this.counts[at]! += 1;
    this.sum += value;
  }
}
