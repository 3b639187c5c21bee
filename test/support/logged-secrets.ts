import { adminToken, operatorToken } from "./server-settings.ts";

const generatedKey = /\w+_[0-9a-f]{32}_[0-9a-f]{8}/;

/** For every suite: the server's log must not contain a key or a token. */
export function failIfSecretsAreLogged(log: string): void {
  const line = log.split("\n").find((text) => holdsSecret(text));
  if (line !== undefined) throw new Error(`The server logged a secret: ${line}`);
}

function holdsSecret(text: string): boolean {
  return text.includes(adminToken) || text.includes(operatorToken) || generatedKey.test(text);
}
