import { ownCopy } from "../../../lib/own-copy.ts";
import { Body } from "../../../platform/http1/body.ts";
import { HttpHeaders } from "../../../platform/http1/headers.ts";
import { HttpResponse } from "../../../platform/http1/http-response.ts";
import { NameSet } from "../../../platform/http1/name-set.ts";
import type { Held, Passage, Policy } from "../../policy.ts";
import { collect } from "./collector.ts";
import { refusesKeeping, refusesKept, secondsToKeep } from "./freshness.ts";
import type { KeptAnswer, KeptAnswers } from "./kept-answers.ts";
import type { CacheOptions } from "./schema.ts";

interface HeldKey extends Held {
  key: string;
}

const largestBody = 1024 * 1024;

/** Of one exchange, not of the answer. */
const notKept = new Set(["age", "connection", "content-length", "transfer-encoding", "x-cache", "x-request-id"]);

/** What a 304 tells of the answer that the caller has. */
const of304 = new Set(["cache-control", "content-location", "date", "etag", "expires", "last-modified", "vary"]);

/**
 * Headers that upstreams write their answers by without saying so in `Vary`: the host that was asked for, in which the caller
 * chooses the port, and those that name another address or method than the request's. Not `x-forwarded-for`, which all callers
 * have another one of.
 */
const alwaysVaries = new NameSet(
  "forwarded",
  "x-forwarded-host",
  "x-forwarded-path",
  "x-forwarded-port",
  "x-forwarded-prefix",
  "x-forwarded-scheme",
  "x-forwarded-server",
  "x-forwarded-ssl",
  "x-host",
  "x-http-method",
  "x-http-method-override",
  "x-method-override",
  "x-original-host",
  "x-original-url",
  "x-rewrite-url",
);

/** What no header holds. */
const absent = "\0";

/** Gives answers again that it has seen, for as long as they are fresh. */
export class CachePolicy implements Policy {
  readonly #owner: string;

  constructor(
    private readonly answers: KeptAnswers,
    private readonly options: CacheOptions,
  ) {
    this.#owner = answers.nextOwner();
  }

  enter(passage: Passage): HttpResponse | undefined {
    const { request, method, headers, now } = passage;
    const isHead = method === "HEAD";
    if ((method !== "GET" && !isHead) || headers.has("range") || request.headers.has("upgrade")) return undefined;
    // An answer may depend on it.
    if (request.body || passage.body) return undefined;
    const key = this.#keyOf(passage);
    const kept = refusesKept(headers) ? undefined : this.answers.find(key, headers, now);
    if (kept) return hit(kept, headers, isHead, now);
    const held: HeldKey = { by: this, below: passage.held, key };
    passage.held = held;
    return undefined;
  }

  leave(passage: Passage, answer: HttpResponse): HttpResponse {
    const { held } = passage;
    if (held?.by !== this) return answer;
    passage.held = held.below;
    answer.headers.set("x-cache", "miss");
    const seconds = this.#secondsToKeep(passage, answer);
    if (seconds > 0) this.#keep(passage, (held as HeldKey).key, answer, seconds);
    return answer;
  }

  /** Neither header values nor addresses hold line ends, so no two requests can be made to look alike. */
  #keyOf({ route, address, headers, consumerId }: Passage): string {
    const whose = this.options.by === "consumer" ? (consumerId ?? "") : "";
    // Policies in code may lead two routes with different upstreams to one address.
    const parts = [this.#owner, route.path, whose, address];
    for (const name of this.options.vary) parts.push(headers.get(name) ?? absent);
    if (headers.mayHold(alwaysVaries))
      for (const [name, value] of headers) if (alwaysVaries.has(name)) parts.push(`${name}: ${value}`);
    return parts.join("\n");
  }

  #secondsToKeep({ method, headers, refusal, now }: Passage, answer: HttpResponse): number {
    if (method !== "GET" || refusal !== undefined || refusesKeeping(headers)) return 0;
    if (Number(answer.headers.get("content-length") ?? 0) > largestBody) return 0;
    const isPersonal = ["authorization", "cookie"].some(
      (name) => headers.has(name) && !this.options.vary.includes(name),
    );
    return secondsToKeep(answer, { seconds: this.options.seconds, isPersonal, now });
  }

  #keep({ headers, now }: Passage, key: string, answer: HttpResponse, seconds: number): void {
    const kept: Omit<KeptAnswer, "body"> = {
      status: answer.status,
      headers: ownCopies([...answer.headers].filter(([name]) => !notKept.has(name))),
      age: Number(answer.headers.get("age") ?? 0),
      keptOn: now,
      endsOn: now + seconds * 1000,
      varies: namesIn(answer.headers.get("vary")).map((name) => [name, ownCopyIfAny(headers.get(name))]),
    };
    const keep = (body: Buffer) => this.answers.keep(key, { ...kept, body });
    const { body } = answer;
    if (body instanceof Body) collect(body, largestBody, keep);
    else keep(Buffer.from(body ?? ""));
  }
}

function hit(kept: KeptAnswer, request: HttpHeaders, isHead: boolean, now: number): HttpResponse {
  const isKnown = hasTag(request.get("if-none-match"), kept);
  const headers = new HttpHeaders(isKnown ? kept.headers.filter(([name]) => of304.has(name)) : kept.headers);
  headers.set("age", String(kept.age + Math.floor((now - kept.keptOn) / 1000)));
  headers.set("x-cache", "hit");
  if (isKnown) return new HttpResponse(304, headers);
  if (isHead) headers.set("content-length", String(kept.body.length));
  return new HttpResponse(kept.status, headers, isHead ? undefined : kept.body);
}

/** Compared weakly, as If-None-Match is. */
function hasTag(asked: string | null, { status, headers }: KeptAnswer): boolean {
  const tag = headers.find(([name]) => name === "etag")?.[1];
  if (asked === null || tag === undefined || status !== 200) return false;
  const bare = (text: string) => text.trim().replace(/^W\//, "");
  return asked.trim() === "*" || asked.split(",").some((one) => bare(one) === bare(tag));
}

function ownCopies(headers: [name: string, value: string][]): [name: string, value: string][] {
  return headers.map(([name, value]) => [name, ownCopy(value)]);
}

function ownCopyIfAny(value: string | null): string | null {
  return value === null ? null : ownCopy(value);
}

function namesIn(vary: string | null): string[] {
  return vary === null
    ? []
    : vary
        .toLowerCase()
        .split(",")
        .map((name) => name.trim());
}
