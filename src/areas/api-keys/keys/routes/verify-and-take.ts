import type { z } from "zod";
import type { Act, Caller } from "../../../../core/access.ts";
import { notFound } from "../../../../core/problems/problem.ts";
import { asciiJson } from "../../../../lib/text/ascii-json.ts";
import type { KeyBucketPlace } from "../../key-buckets/directory.ts";
import type { QuotaTakes, TakeResult } from "../quota-takes.ts";
import type { verifyInput } from "../schema.ts";
import type { KeyVerifier, UsedLimit, Verdict } from "../verification/verifier.ts";
import type { CountedVerdict, Observed } from "./shared.ts";

type VerifyBody = z.output<typeof verifyInput>;

interface TakingServices {
  verifier: KeyVerifier;
  takes: QuotaTakes;
}

interface TakingRequest {
  place: KeyBucketPlace;
  body: VerifyBody;
  act: Act;
  caller: Caller;
  idempotencyKey: string | undefined;
  /** Throws if the consumer does not match the tags. Undefined without tags. */
  checkTags: ((verdict: Verdict) => Promise<unknown>) | undefined;
  /** Counts the result. */
  count(verdict: CountedVerdict): void;
}

type Result = { text: string };

/**
 * Verifies a key, then takes amounts of the plan of its consumer, or observes what would reject it. The checks run in the order key, tags, address,
 * permission, rate limit, quota: what does not exist is a 404 before anything is counted.
 */
export function verifyAndTake(services: TakingServices, request: TakingRequest): Result | Promise<Result> {
  const { bucketId } = request.body.consume ?? request.body.hold ?? {};
  const exists = bucketId === undefined || services.takes.hasBucket(request.act.account.seq, bucketId);
  if (exists === true && !request.checkTags) return verify(services, request);
  return checkFirst(services, request, exists);
}

async function checkFirst(
  services: TakingServices,
  request: TakingRequest,
  exists: boolean | Promise<boolean>,
): Promise<Result> {
  if (!(await exists)) throw notFound("metering bucket");
  const { place, body, act, checkTags } = request;
  if (checkTags) {
    const found = await services.verifier.find(place, body.key, act.now);
    if (!found.rejection) await checkTags(found);
  }
  return verify(services, request);
}

function verify(services: TakingServices, request: TakingRequest): Result | Promise<Result> {
  const { place, body, act } = request;
  let limit = "";
  let observed: Observed | undefined;
  const usage = {
    ip: body.ip,
    permission: body.permission,
    onLimit: (used: UsedLimit, left: number) => {
      limit = limitText(used, left, act.now);
    },
    ...(body.observe && {
      onObserved: ({ rejection, retryAfterSeconds, limit: used }: Verdict) => {
        observed ??= { code: rejection!, retryAfterSeconds };
        if (used) limit = limitText(used, 0, act.now);
      },
    }),
  };
  const verdict = services.verifier.verify(place, body.key, act.now, usage);
  return verdict instanceof Promise
    ? verdict.then((found) => take(services, request, found, limit, observed))
    : take(services, request, verdict, limit, observed);
}

/** `found` may be a cache hit, so what is needed later is read before the amounts are taken. */
function take(
  { takes }: TakingServices,
  { place, body, act, caller, idempotencyKey: key, count }: TakingRequest,
  found: Verdict,
  limit: string,
  observedBefore: Observed | undefined,
): Result | Promise<Result> {
  const { text, identity } = found;
  if (!identity) {
    count(found);
    return { text: found.limit ? withMembers(text, limitText(found.limit, 0, act.now)) : text };
  }
  if (!body.consume && !body.hold) {
    count({ known: found.known, observed: observedBefore });
    return { text: withMembers(text, observedText(observedBefore)) };
  }
  const known = { seq: found.known!.seq, identity, expiresOn: found.known!.expiresOn };
  const { bucketId, meters } = (body.consume ?? body.hold)!;
  const taken = takes.take({
    act,
    bucketId,
    customerKey: identity.user.sub,
    keyBucket: place.name,
    meters,
    hold: body.hold,
    observes: body.observe === true,
    once: key === undefined ? undefined : { credential: caller.id, key },
  });
  const render = ({ rejection, retryAfterSeconds, members }: TakeResult): Result => {
    if (!rejection || body.observe) {
      const observed = observedBefore ?? (rejection && { code: rejection, retryAfterSeconds });
      count({ known, observed });
      return { text: withMembers(text, members, limit, observedText(observed)) };
    }
    count({ rejection, known });
    const consumer = { id: identity.consumerId, name: identity.user.sub };
    const rejected = { valid: false, code: rejection, keyId: identity.keyId, consumer, retryAfterSeconds };
    return { text: withMembers(asciiJson(rejected), members, limit) };
  };
  return taken instanceof Promise ? taken.then(render) : render(taken);
}

function observedText(observed: Observed | undefined): string {
  return observed ? `"observed":${JSON.stringify(observed)}` : "";
}

function limitText({ requests, resetsOn }: UsedLimit, left: number, now: number): string {
  const resetSeconds = Math.ceil((resetsOn - now) / 1000);
  return `"rateLimit":{"limit":${requests},"remaining":${left},"resetSeconds":${resetSeconds}}`;
}

/** Adds members to the text of a JSON object that is not empty. */
function withMembers(text: string, ...members: string[]): string {
  let result = text.slice(0, -1);
  for (const each of members) if (each !== "") result += `,${each}`;
  return `${result}}`;
}
