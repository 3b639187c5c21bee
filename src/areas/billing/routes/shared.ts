export const inAccountOfCaller = true;
export const area = "Billing";
export const bucketPath = "/v1/metering/{bucketId}";
