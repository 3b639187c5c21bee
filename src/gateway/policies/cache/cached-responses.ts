import { SecondChanceCache } from "../../../lib/cache/second-chance-cache.ts";
import type { HttpHeaders } from "../../../platform/http1/message/headers.ts";

/** A stored response. */
export interface CachedResponse {
  status: number;
  headers: [name: string, value: string][];
  body: Buffer;
  /** The age of the response when it was cached, in seconds. */
  age: number;
  storedOn: number;
  expiresOn: number;
  /** Request headers named by its `Vary`, with their values. */
  varies: [name: string, value: string | null][];
}

const maximumBytes = 64 * 1024 * 1024;
const entryBytes = 1000;
const headerBytes = 100;

/** The responses stored by the `cache` policies of all deployments, within one size limit. */
export class CachedResponses {
  readonly #responses = new SecondChanceCache<CachedResponse>(maximumBytes, bytesOf);
  /** How often URLs were invalidated, by hash: URLs that share a place only lose fresh responses too early. */
  readonly #generations = new Uint32Array(65_536);
  #owners = 0;

  /** A prefix for one policy of one version, whose responses no other policy finds. */
  nextOwner(): string {
    this.#owners += 1;
    return String(this.#owners);
  }

  find(key: string, request: HttpHeaders, now: number): CachedResponse | undefined {
    const stored = this.#responses.get(key);
    if (!stored) return undefined;
    if (now >= stored.expiresOn) {
      this.#responses.delete(key);
      return undefined;
    }
    return stored.varies.every(([name, value]) => request.get(name) === value) ? stored : undefined;
  }

  /** Part of the keys of a URL's responses, so that no request finds those of before its invalidation. */
  generation(url: string): number {
    return this.#generations[placeOf(url)]!;
  }

  invalidate(url: string): void {
    this.#generations[placeOf(url)]!++;
  }

  store(key: string, response: CachedResponse): void {
    this.#responses.set(key, response);
  }

  get bytes(): number {
    return this.#responses.bytes;
  }

  get size(): number {
    return this.#responses.size;
  }
}

function placeOf(url: string): number {
  return Bun.hash.xxHash32(url) & 0xffff;
}

function bytesOf({ headers, varies, body }: CachedResponse): number {
  const ofHeader = (sum: number, [name, value]: readonly [string, string | null]) =>
    sum + name.length + (value?.length ?? 0) + headerBytes;
  return entryBytes + headers.reduce(ofHeader, 0) + varies.reduce(ofHeader, 0) + body.length;
}
