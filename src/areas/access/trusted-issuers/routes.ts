import { type AreaContext, areaOf } from "../../../api/area.ts";
import { list, read, remove, write } from "../../../api/endpoint.ts";
import { presentPage } from "../../../api/presented.ts";
import type { JwksSources } from "../../../platform/jwt/jwks-source.ts";
import { exchangeRoutes } from "./exchange-routes.ts";
import { trustedIssuer, trustedIssuerInput, trustedIssuerPatch } from "./schema.ts";
import { TokenExchange } from "./token-exchange.ts";
import { TrustedIssuers } from "./trusted-issuers.ts";

const issuersPath = "/v1/accounts/{accountName}/trusted-issuers";
const issuerPath = `${issuersPath}/{trustedIssuerId}` as const;

export function trustedIssuerArea({ storage, address }: AreaContext, sources: JwksSources) {
  const audienceOf = (accountName: string) => `${address.publicUrl}/v1/accounts/${accountName}`;
  const issuers = new TrustedIssuers(audienceOf);
  const operations = [
    list({
      operationId: "listTrustedIssuers",
      path: issuersPath,
      summary: "List trusted issuers",
      access: "administer",
      item: trustedIssuer,
      listName: "TrustedIssuerList",
      handle: async ({ reads, account, query }) =>
        presentPage(await issuers.list(reads, account.seq, query), (row) => issuers.present(row, account.name)),
    }),
    write({
      operationId: "createTrustedIssuer",
      method: "POST",
      path: issuersPath,
      summary: "Trust an issuer",
      description:
        "Tokens of the issuer whose audience, subject and claims match can be exchanged for tokens of this API, which are valid for " +
        "15 minutes.",
      access: "administer",
      body: trustedIssuerInput,
      response: trustedIssuer,
      problems: ["too_many_trusted_issuers"],
      handle: async ({ act, body }, transaction) => {
        const created = await issuers.create(transaction, act, body);
        return { body: issuers.present(created, act.account.name), revision: created };
      },
    }),
    read({
      operationId: "getTrustedIssuer",
      path: issuerPath,
      summary: "Read a trusted issuer",
      access: "administer",
      response: trustedIssuer,
      handle: async ({ reads, account, params }) => {
        const found = await issuers.find(reads, account.seq, params.trustedIssuerId);
        // The default audience depends on the server's public URL.
        return { body: issuers.present(found, account.name), revision: found, composed: true };
      },
    }),
    write({
      operationId: "updateTrustedIssuer",
      method: "PATCH",
      path: issuerPath,
      summary: "Change a trusted issuer",
      description: "The tokens that it issued stop working immediately. The issuer itself cannot be changed.",
      access: "administer",
      body: trustedIssuerPatch,
      response: trustedIssuer,
      handle: async ({ act, params, body, precondition }, transaction) => {
        const updated = await issuers.update(transaction, act, params.trustedIssuerId, body, precondition);
        return { body: issuers.present(updated, act.account.name), revision: updated, composed: true };
      },
    }),
    remove({
      operationId: "deleteTrustedIssuer",
      path: issuerPath,
      summary: "Stop trusting an issuer",
      description: "The tokens that it issued stop working immediately.",
      access: "administer",
      handle: ({ act, params, precondition }, transaction) =>
        issuers.delete(transaction, act, params.trustedIssuerId, precondition),
    }),
    ...exchangeRoutes(new TokenExchange({ storage, sources, audienceOf })),
  ];
  return areaOf(
    { "Trusted issuers": "Tokens for CI services without a stored secret, in exchange for those of their provider." },
    operations,
  );
}
