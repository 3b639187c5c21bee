import { shellWord } from "../../lib/text/curl.ts";

export { shellWord };

export interface CurlRequest {
  method?: string;
  path: string;
  body?: unknown;
  /** Set if the response is not JSON. */
  accept?: string;
  /** A gzip tar, which is uploaded to the URL in the response. */
  uploads?: string;
}

/** A request of the management API as a command that works in a shell with the token in TOLLGATE_TOKEN. */
export function curl(origin: string, { method = "GET", path, body, accept, uploads }: CurlRequest): string {
  const lines = [
    `curl ${method === "GET" ? "" : `-X ${method} `}${shellWord(`${origin}${path}`)}`,
    `-H "Authorization: Bearer $TOLLGATE_TOKEN"`,
  ];
  if (accept !== undefined) lines.push(`-H 'Accept: ${accept}'`);
  if (body !== undefined) lines.push("-H 'Content-Type: application/json'", `-d ${shellWord(JSON.stringify(body))}`);
  const request = lines.join(" \\\n  ");
  if (uploads === undefined) return request;
  const address = `$(${request.replace("curl ", "curl -s ")} | jq -r .uploadUrl)`;
  return `curl -T ${shellWord(uploads)} -H 'Content-Type: application/gzip' "${address}"`;
}

/** A command of the CLI; arguments are quoted where a shell needs it. */
export const command = (...words: string[]): string => ["tollgate", ...words.map(shellWord)].join(" ");
