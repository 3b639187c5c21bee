/** Whether the Accept-Encoding of a request allows gzip. */
export function acceptsGzip(header: string | null): boolean {
  return header !== null && /\bgzip\b(?!\s*;\s*q=0(\.0*)?\s*(,|$))/i.test(header);
}
