import { SecondChanceCache } from "../../../lib/second-chance-cache.ts";
import type { HttpHeaders } from "../../../platform/http1/headers.ts";

/** An answer that can be given again. */
export interface KeptAnswer {
  status: number;
  headers: [name: string, value: string][];
  body: Buffer;
  /** How old it was when it came, in seconds. */
  age: number;
  keptOn: number;
  endsOn: number;
  /** Headers of the request that the answer depends on, as it said itself, and what they were. */
  varies: [name: string, value: string | null][];
}

const maximumBytes = 64 * 1024 * 1024;
const entryBytes = 1000;
const headerBytes = 100;

/** What the `cache` policies of all deployments keep, within one bound. */
export class KeptAnswers {
  readonly #answers = new SecondChanceCache<KeptAnswer>(maximumBytes, bytesOf);
  #owners = 0;

  /** For one policy of one version: another one never finds its answers. */
  nextOwner(): string {
    this.#owners += 1;
    return String(this.#owners);
  }

  find(key: string, request: HttpHeaders, now: number): KeptAnswer | undefined {
    const kept = this.#answers.get(key);
    if (!kept) return undefined;
    if (now >= kept.endsOn) {
      this.#answers.delete(key);
      return undefined;
    }
    return kept.varies.every(([name, value]) => request.get(name) === value) ? kept : undefined;
  }

  keep(key: string, answer: KeptAnswer): void {
    this.#answers.set(key, answer);
  }

  get bytes(): number {
    return this.#answers.bytes;
  }

  get size(): number {
    return this.#answers.size;
  }
}

function bytesOf({ headers, varies, body }: KeptAnswer): number {
  const ofHeader = (sum: number, [name, value]: readonly [string, string | null]) =>
    sum + name.length + (value?.length ?? 0) + headerBytes;
  return entryBytes + headers.reduce(ofHeader, 0) + varies.reduce(ofHeader, 0) + body.length;
}
