/** Text as one word of a POSIX shell. */
export const shellWord = (text: string): string =>
  /^[A-Za-z0-9_./:@%+=,-]+$/.test(text) ? text : `'${text.replaceAll("'", `'\\''`)}'`;

/** A request to a route that requires a key. */
export interface ExampleRequest {
  method: string;
  /** With the examples of its required parameters. */
  url: string;
  /** The header that carries the key, and the text before the key in it. */
  keyHeader: string;
  keyPrefix: string;
  /** The other required headers. */
  headers?: { name: string; value: string }[];
  body?: string;
}

/** The request as a shell command, a line for each option. The key may be a shell variable, such as `$KEY`. */
export function curlOf({ method, url, keyHeader, keyPrefix, headers = [], body }: ExampleRequest, key: string): string {
  const header = `${keyHeader}: ${keyPrefix}${key}`;
  return [
    `curl ${method === "GET" ? "" : `-X ${method} `}${shellWord(url)}`,
    `-H ${key.startsWith("$") ? `"${header}"` : shellWord(header)}`,
    ...headers.map(({ name, value }) => `-H ${shellWord(`${name}: ${value}`)}`),
    ...(body === undefined ? [] : [`-d ${shellWord(body)}`]),
  ].join(" \\\n  ");
}
