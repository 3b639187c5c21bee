import type { RequestOptions } from "../transport/options.ts";
import type { ExchangedToken } from "../transport/schema.gen.ts";
import type { Transport } from "../transport/transport.ts";

export interface ExchangeOptions extends RequestOptions {
  /** `<server's public URL>/v1/accounts/<account>`, if trusted issuers of several accounts accept the token. */
  audience?: string;
}

/** Exchanges a token of a trusted issuer. The client needs no token of its own. */
export function exchangeToken(
  transport: Transport,
  subjectToken: string,
  { audience, ...options }: ExchangeOptions = {},
): Promise<ExchangedToken> {
  const fields = {
    grant_type: "urn:ietf:params:oauth:grant-type:token-exchange",
    subject_token: subjectToken,
    subject_token_type: "urn:ietf:params:oauth:token-type:jwt",
    ...(audience !== undefined && { audience }),
  };
  return transport.submit("exchangeToken", fields, options);
}
