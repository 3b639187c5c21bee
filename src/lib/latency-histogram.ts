/**
 * Latencies in logarithmic buckets: each ends 9 % above where it begins, so that its middle is within 4.5 % of every value in
 * it. Histograms add up whatever their order, and cost what they span, not what they count.
 */
const growth = 1.09;
const perBucket = 1 / Math.log(growth);
/** A hundredth of a millisecond; what is faster counts as this. */
const smallest = 0.01;
const offset = Math.log(smallest) * perBucket;
/** Up to about an hour; what is slower counts as this. */
const mostBuckets = 230;

/** Distinct buckets that are searched one by one; with more of them all have a place of their own. */
const mostSparse = 12;

export class LatencyHistogram {
  /** Bucket and count in turn, in the order in which they came; unused once `#dense` is there. */
  #sparse: number[] = [];
  #dense: Float64Array | undefined;

  add(milliseconds: number): void {
    this.#addTo(bucketOf(milliseconds), 1);
  }

  /** With -1, takes the other's counts away; they must be among these. */
  merge(other: LatencyHistogram, sign: 1 | -1 = 1): void {
    other.#each((bucket, count) => this.#addTo(bucket, sign * count));
  }

  /** The value below which that share of all lies, in milliseconds; undefined for an empty histogram. */
  quantile(share: number): number | undefined {
    let total = 0;
    const counts: [bucket: number, count: number][] = [];
    this.#each((bucket, count) => {
      total += count;
      counts.push([bucket, count]);
    });
    if (total <= 0) return undefined;
    counts.sort(([one], [other]) => one - other);
    const rank = Math.max(1, Math.ceil(share * total));
    let seen = 0;
    for (const [bucket, count] of counts) {
      seen += count;
      if (seen >= rank) return middleOf(bucket);
    }
    return middleOf(counts.at(-1)![0]);
  }

  /** Gaps between buckets and their counts, as variable-length integers. */
  encode(): Uint8Array {
    const counts: [bucket: number, count: number][] = [];
    this.#each((bucket, count) => counts.push([bucket, count]));
    counts.sort(([one], [other]) => one - other);
    const bytes: number[] = [];
    let last = 0;
    for (const [bucket, count] of counts) {
      writeInteger(bytes, bucket - last);
      writeInteger(bytes, count);
      last = bucket;
    }
    return Uint8Array.from(bytes);
  }

  /** Adds what `encode` wrote. */
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
    if (sparse.length > 2 * mostSparse) this.#becomeDense();
  }

  #becomeDense(): void {
    const dense = new Float64Array(mostBuckets);
    for (let at = 0; at < this.#sparse.length; at += 2) dense[this.#sparse[at]!]! += this.#sparse[at + 1]!;
    this.#dense = dense;
    this.#sparse = [];
  }

  #each(visit: (bucket: number, count: number) => void): void {
    if (this.#dense) {
      for (let bucket = 0; bucket < mostBuckets; bucket += 1)
        if (this.#dense[bucket] !== 0) visit(bucket, this.#dense[bucket]!);
    } else {
      for (let at = 0; at < this.#sparse.length; at += 2)
        if (this.#sparse[at + 1] !== 0) visit(this.#sparse[at]!, this.#sparse[at + 1]!);
    }
  }
}

function bucketOf(milliseconds: number): number {
  if (!(milliseconds > smallest)) return 0;
  return Math.min(mostBuckets - 1, Math.floor(Math.log(milliseconds) * perBucket - offset));
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
