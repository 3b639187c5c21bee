import { formatDateTime } from "../../../../lib/time/time.ts";
import type { Reads } from "../../../../platform/storage/storage.ts";
import { successesOf } from "../../../insight/analytics/successes.ts";
import type { funnelStages } from "../schema.ts";
import { type SignedUp, signedUp } from "./store.ts";

/** A customer without a successful request for this time has stopped. */
const stoppedMilliseconds = 30 * 24 * 60 * 60 * 1000;

type Stage = (typeof funnelStages)[number];

/** The most customers that are shown: the newest. */
const maxShown = 100;

/**
 * How far the customers who signed up have come. Successful requests are read from the stored counts of requests by
 * consumer, by day.
 */
export async function funnelOf(
  reads: Reads,
  { accountSeq, portalSeq, now }: { accountSeq: number; portalSeq: number; now: number },
  stage: Stage | undefined,
) {
  const customers = await signedUp(reads, portalSeq);
  const successes = await successesOf(
    reads,
    accountSeq,
    customers.map(({ name }) => name),
  );
  const staged = customers.map((customer) => {
    const success = successes.get(customer.name);
    return { customer, success, stage: stageOf(customer, success, now) };
  });
  const count = (matches: (each: (typeof staged)[number]) => boolean) => staged.filter(matches).length;
  return {
    signedUp: staged.length,
    createdKey: count(({ customer, success }) => customer.first_key_on !== null || success !== undefined),
    succeeded: count(({ success }) => success !== undefined),
    active: count((each) => each.stage === "active"),
    stopped: count((each) => each.stage === "stopped"),
    data: staged
      .filter((each) => stage === undefined || each.stage === stage)
      .slice(0, maxShown)
      .map(({ customer, success, stage: reached }) => ({
        consumerName: customer.name,
        email: customer.email,
        ...(customer.display_name === null ? {} : { name: customer.display_name }),
        stage: reached,
        signedUpOn: formatDateTime(customer.created_on),
        ...(customer.first_key_on === null ? {} : { firstKeyOn: formatDateTime(customer.first_key_on) }),
        ...(success
          ? { firstSuccessOn: formatDateTime(success.first), lastSuccessOn: formatDateTime(success.last) }
          : {}),
      })),
  };
}

function stageOf({ first_key_on }: SignedUp, success: { last: number } | undefined, now: number): Stage {
  if (success) return now - success.last < stoppedMilliseconds ? "active" : "stopped";
  return first_key_on === null ? "signed-up" : "key-created";
}
