import type { Client } from "./client.ts";
import { type IdentityProvider, type SigningKey, sign } from "./identity-provider.ts";

const account = "/v1/accounts/default";
let count = 0;

interface Exchange {
  server: { url: string; client: Client; clock: { now(): number } };
  provider: IdentityProvider;
  key: SigningKey;
  /** Of the trusted issuer, such as `project` and `environments`. */
  fields?: object;
  /** Of the exchanged token. */
  claims?: object;
}

/** Creates a trusted issuer, and returns a client with a token that was exchanged for one of it. */
export async function exchangedToken({ server, provider, key, fields, claims }: Exchange): Promise<Client> {
  const { client, clock, url } = server;
  const sub = `ci-${++count}`;
  const created = await client.post(`${account}/trusted-issuers`, {
    issuer: provider.issuer,
    subject: sub,
    role: "editor",
    ...fields,
  });
  if (created.status !== 200) throw new Error(created.text);
  const token = await sign(key, provider.issuer, clock.now(), {
    claims: { sub, aud: `${url}${account}`, ...claims },
  });
  const form = new URLSearchParams({
    grant_type: "urn:ietf:params:oauth:grant-type:token-exchange",
    subject_token_type: "urn:ietf:params:oauth:token-type:jwt",
    subject_token: token,
  });
  const { body, status, text } = await client.raw("POST", "/v1/token-exchange", form.toString(), {
    "content-type": "application/x-www-form-urlencoded",
  });
  if (status !== 200) throw new Error(text);
  return client.as(body.access_token);
}
