/**
 * Counts latencies in logarithmic buckets. Each bucket ends 9 % above its start, so its middle is within 4.5 % of every
 * value in it. Histograms can be added in any order. Memory depends on the range of values, not on their number.
 */
const growth = 1.09;
const perBucket = 1 / Math.log(growth);
/** The lower bound in milliseconds. Faster values count as this. */
const smallest = 0.01;
const offset = Math.log(smallest) * perBucket;
/** The upper bound, about an hour. Slower values count as this. */
const maxBuckets = 230;

/**
 * Up to this number of distinct buckets a linear search finds them; beyond it, a dense array has an element for every
 * bucket.
 */
const maxSparseBuckets = 12;

export class LatencyHistogram {
  /** Buckets and counts alternate, in the order of arrival. Unused once `#dense` exists. */
  #sparse: number[] = [];
  #dense: Float64Array | undefined;

  add(milliseconds: number): void {
    this.#addTo(bucketOf(milliseconds), 1);
  }

  /** Adds the counts of another histogram. With -1 it subtracts them; they must have been added before. */
  merge(other: LatencyHistogram, sign: 1 | -1 = 1): void {
    other.#each((bucket, count) => this.#addTo(bucket, sign * count));
  }

  /** Returns the value in milliseconds below which that share of values lies. Undefined for an empty histogram. */
  quantile(share: number): number | undefined {
    return this.quantiles([share])?.[0];
  }

  /** Returns the quantiles for several shares in ascending order. */
  quantiles(shares: readonly number[]): number[] | undefined {
    const counts = this.#sorted();
    const total = counts.reduce((sum, [, count]) => sum + count, 0);
    if (total <= 0) return undefined;
    let at = 0;
    let seen = counts[0]![1];
    return shares.map((share) => {
      const rank = Math.max(1, Math.ceil(share * total));
      while (seen < rank && at < counts.length - 1) seen += counts[++at]![1];
      return middleOf(counts[at]![0]);
    });
  }

  /** Serializes the gaps between buckets and their counts as variable-length integers. */
  encode(): Uint8Array {
    const bytes: number[] = [];
    let last = 0;
    for (const [bucket, count] of this.#sorted()) {
      writeInteger(bytes, bucket - last);
      writeInteger(bytes, count);
      last = bucket;
    }
    return Uint8Array.from(bytes);
  }

  static decode(bytes: Uint8Array): LatencyHistogram {
    const histogram = new LatencyHistogram();
    histogram.mergeEncoded(bytes);
    return histogram;
  }

  /** Adds a histogram that `encode` serialized. */
  mergeEncoded(bytes: Uint8Array): void {
    let bucket = 0;
    let at = 0;
    const next = () => {
      let value = 0;
      let scale = 1;
      for (;;) {
        const byte = bytes[at++]!;
        value += (byte & 0x7f) * scale;
        if (byte < 0x80) return value;
        scale *= 0x80;
      }
    };
    while (at < bytes.length) {
      bucket += next();
      this.#addTo(bucket, next());
    }
  }

  #addTo(bucket: number, count: number): void {
    if (this.#dense) {
      this.#dense[bucket]! += count;
      return;
    }
    const sparse = this.#sparse;
    for (let at = 0; at < sparse.length; at += 2) {
      if (sparse[at] !== bucket) continue;
      sparse[at + 1]! += count;
      return;
    }
    sparse.push(bucket, count);
    if (sparse.length > 2 * maxSparseBuckets) this.#becomeDense();
  }

  #becomeDense(): void {
    const dense = new Float64Array(maxBuckets);
    for (let at = 0; at < this.#sparse.length; at += 2) dense[this.#sparse[at]!]! += this.#sparse[at + 1]!;
    this.#dense = dense;
    this.#sparse = [];
  }

  #sorted(): [bucket: number, count: number][] {
    const counts: [bucket: number, count: number][] = [];
    this.#each((bucket, count) => counts.push([bucket, count]));
    return this.#dense ? counts : counts.sort(([one], [other]) => one - other);
  }

  #each(visit: (bucket: number, count: number) => void): void {
    if (this.#dense) {
      for (let bucket = 0; bucket < maxBuckets; bucket += 1)
        if (this.#dense[bucket] !== 0) visit(bucket, this.#dense[bucket]!);
    } else {
      for (let at = 0; at < this.#sparse.length; at += 2)
        if (this.#sparse[at + 1] !== 0) visit(this.#sparse[at]!, this.#sparse[at + 1]!);
    }
  }
}

function bucketOf(milliseconds: number): number {
  if (!(milliseconds > smallest)) return 0;
  return Math.min(maxBuckets - 1, Math.floor(Math.log(milliseconds) * perBucket - offset));
}

function middleOf(bucket: number): number {
  return smallest * growth ** (bucket + 0.5);
}

function writeInteger(bytes: number[], value: number): void {
  let rest = value;
  while (rest >= 0x80) {
    bytes.push((rest % 0x80) | 0x80);
    rest = Math.floor(rest / 0x80);
  }
  bytes.push(rest);
}
