/** Text as one word of a POSIX shell. */
export const shellWord = (text: string): string =>
  /^[A-Za-z0-9_./:@%+=,-]+$/.test(text) ? text : `'${text.replaceAll("'", `'\\''`)}'`;

export interface CurlRequest {
  method?: string;
  path: string;
  body?: unknown;
}

/** A request of the management API as a command that works in a shell with the token in TOLLGATE_TOKEN. */
export function curl(origin: string, { method = "GET", path, body }: CurlRequest): string {
  const lines = [
    `curl ${method === "GET" ? "" : `-X ${method} `}${shellWord(`${origin}${path}`)}`,
    `-H "Authorization: Bearer $TOLLGATE_TOKEN"`,
  ];
  if (body !== undefined) lines.push("-H 'Content-Type: application/json'", `-d ${shellWord(JSON.stringify(body))}`);
  return lines.join(" \\\n  ");
}

/** A command of the CLI; arguments are quoted where a shell needs it. */
export const command = (...words: string[]): string => ["tollgate", ...words.map(shellWord)].join(" ");
