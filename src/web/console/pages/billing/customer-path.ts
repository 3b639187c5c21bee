/** The path of a customer in the API. Keys of customers may contain any character. */
export function customerPath(bucket: string, customerKey: string): string {
  return `/v1/metering/${bucket}/customers/${encodeURIComponent(customerKey)}`;
}
