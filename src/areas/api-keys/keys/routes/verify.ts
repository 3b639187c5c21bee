import { read } from "../../../../api/endpoint.ts";
import { idempotencyKeyOf } from "../../../../api/idempotency.ts";
import type { Reads } from "../../../../platform/storage/storage.ts";
import type { TagFilter } from "../../consumer-addresses/consumer-address.ts";
import type { KeyBucketPlace } from "../../key-buckets/directory.ts";
import { parseVerifyInput, verification, verifyInput } from "../schema.ts";
import type { Verdict } from "../verification/verifier.ts";
import type { CountedVerdict, KeyServices } from "./shared.ts";
import { verifyAndTake } from "./verify-and-take.ts";

type VerifyServices = Pick<KeyServices, "consumers" | "verifier" | "buckets" | "verifications" | "takes">;

export function verifyRoutes({ consumers, verifier, buckets, verifications, takes }: VerifyServices) {
  /** Tags are not cached with a key, so its consumer is read. */
  async function checkTags(reads: Reads, place: KeyBucketPlace, tags: TagFilter, { text, identity }: Verdict) {
    if (!identity) return { text };
    const { accountSeq, name: bucketName } = place;
    await consumers.find(reads, { accountSeq, bucketName, consumerName: identity.user.sub, tags });
    return { text };
  }

  /**
   * A bucket is not cached before its first key is found, and while the change feed is behind. Then the verdict is not
   * of a cached key either, so it may be used after the look-up.
   */
  function count(place: KeyBucketPlace, found: CountedVerdict, now: number): void {
    if (!verifications) return;
    const bucket = buckets.peekAt(place);
    if (bucket) verifications.count(bucket.seq, found, now);
    else
      buckets.find(place.accountSeq, place.name).then(
        (later) => later && verifications.count(later.seq, found, now),
        () => {},
      );
  }

  return [
    read({
      operationId: "verifyKey",
      method: "POST",
      path: "/v1/accounts/{accountName}/key-buckets/{bucketName}/verify-key",
      summary: "Verify a key",
      description:
        "Returns whether a key is valid, and its consumer. The response is always current, so an Idempotency-Key is ignored without `consume` and `hold`. " +
        "If the consumer of a valid key does not match a tag condition, the response is a 404. A key with a rate limit is counted. " +
        "With `consume` or `hold`, amounts of the plan of the key's consumer are taken too; an Idempotency-Key takes them once, and the key is checked again. " +
        "With `observe`, a missing permission, a used up rate limit and a quota that does not suffice are reported and do not reject.",
      access: "verify",
      takesTags: true,
      takesIdempotencyKey: true,
      isServedFromCopy: true,
      body: verifyInput,
      parse: parseVerifyInput,
      response: verification,
      examples: {
        request: {
          key: "tg_0123456789abcdef0123456789abcdef_7759b50e",
          ip: "192.0.2.7",
          permission: "orders:read",
        },
        response: {
          valid: true,
          keyId: "key_0QGzNqW81Kx8VhTb3mPcRdZu",
          consumer: { id: "csmr_0QGzNqW81Kx8VhTb3mPcRdZu", name: "acme" },
          user: { sub: "acme", data: { seats: 12 } },
          expiresOn: null,
          permissions: ["orders:*", "invoices:read"],
        },
      },
      handle: ({ act, params, tags, body, reads, caller, request }) => {
        const place = buckets.place(act.account.seq, params.bucketName);
        if (body.consume || body.hold || body.observe)
          return verifyAndTake(
            { verifier, takes },
            {
              place,
              body,
              act,
              caller,
              idempotencyKey: idempotencyKeyOf(request),
              checkTags: tags.length > 0 ? (found) => checkTags(reads, place, tags, found) : undefined,
              count: (found) => count(place, found, act.now),
            },
          );
        const verdict = verifier.verify(place, body.key, act.now, body);
        const render = (found: Verdict) => {
          count(place, found, act.now);
          return tags.length > 0 ? checkTags(reads, place, tags, found) : { text: found.text };
        };
        return verdict instanceof Promise ? verdict.then(render) : render(verdict);
      },
    }),
  ];
}
