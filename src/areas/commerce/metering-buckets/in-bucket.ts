import { operationsIn } from "../../../api/endpoint.ts";
import { actIn, findMeteringBucket, timeIn } from "./metering-buckets.ts";

export const bucketsPath = "/v1/metering";
export const bucketPath = `${bucketsPath}/{bucketId}` as const;
export const plansPath = `${bucketPath}/plans` as const;
export const planPath = `${plansPath}/{planId}` as const;
export const subscriptionsPath = `${bucketPath}/subscriptions` as const;
export const subscriptionPath = `${subscriptionsPath}/{subscriptionId}` as const;

/**
 * Declares operations in a metering bucket. Their handlers get the bucket, and the time in it: reads as `now`, writes in a
 * `context`. The time of `act` is that of the server.
 */
export const inBucket = operationsIn({
  path: bucketPath,
  common: { inAccountOfCaller: true },
  async forReads({ reads, act, params }) {
    const bucket = await findMeteringBucket(reads, act.account.seq, params.bucketId);
    return { bucket, now: timeIn(bucket, act.now) };
  },
  async forWrites({ act, params }, transaction) {
    const bucket = await findMeteringBucket(transaction, act.account.seq, params.bucketId);
    return { bucket, context: { transaction, act: actIn(bucket, act), bucket } };
  },
});
