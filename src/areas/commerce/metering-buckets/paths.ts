export const bucketsPath = "/v1/metering";
export const bucketPath = `${bucketsPath}/{bucketId}` as const;
export const plansPath = `${bucketPath}/plans` as const;
export const planPath = `${plansPath}/{planId}` as const;
export const subscriptionsPath = `${bucketPath}/subscriptions` as const;
export const subscriptionPath = `${subscriptionsPath}/{subscriptionId}` as const;
