import { describe, expect, test } from "bun:test";
import { configErrors } from "../../test/support/config-errors.ts";
import { readConfig } from "./config.ts";

const issuer = "https://id.acme.example";
const base = { TOLLGATE_OIDC_ISSUER: issuer, TOLLGATE_OIDC_CLIENT_ID: "tollgate" };

describe("the identity provider of people", () => {
  test("is read from its settings", () => {
    expect(readConfig(base).oidc).toEqual({
      issuer,
      clientId: "tollgate",
      clientSecret: undefined,
      roles: undefined,
      allowedDomains: undefined,
    });
    const full = {
      ...base,
      TOLLGATE_OIDC_CLIENT_SECRET: "secret",
      TOLLGATE_OIDC_ROLE_CLAIM: "groups",
      TOLLGATE_OIDC_ROLE_MAP: '{"staff": {"account": "default", "role": "reader"}}',
      TOLLGATE_OIDC_ALLOWED_DOMAINS: "Acme.example, acme.test",
    };
    expect(readConfig(full).oidc).toEqual({
      issuer,
      clientId: "tollgate",
      clientSecret: "secret",
      roles: { claim: "groups", map: new Map([["staff", { account: "default", role: "reader" }]]) },
      allowedDomains: ["acme.example", "acme.test"],
    });
  });

  test.each(["common", "organizations", "consumers"])("must not be the Entra issuer %s of many tenants", (tenant) => {
    const TOLLGATE_OIDC_ISSUER = `https://login.microsoftonline.com/${tenant}/v2.0`;
    expect(configErrors({ ...base, TOLLGATE_OIDC_ISSUER })).toEqual([
      "TOLLGATE_OIDC_ISSUER must name one tenant, such as https://login.microsoftonline.com/<tenant id>/v2.0.",
    ]);
  });

  test("may be the Entra issuer of one tenant, or a server on this machine", () => {
    const tenant = "https://login.microsoftonline.com/72f988bf-86f1-41af-91ab-2d7cd011db47/v2.0";
    for (const TOLLGATE_OIDC_ISSUER of [tenant, "http://127.0.0.1:8080", "http://localhost/realms/acme"])
      expect(readConfig({ ...base, TOLLGATE_OIDC_ISSUER }).oidc?.issuer).toBe(TOLLGATE_OIDC_ISSUER);
  });

  const entry = '{"account": "default", "role": "reader"}';
  test.each<[string, Record<string, string>, string]>([
    [
      "an issuer without encryption",
      { TOLLGATE_OIDC_ISSUER: "http://id.acme.example" },
      "TOLLGATE_OIDC_ISSUER must be ",
    ],
    ["an issuer that is no address", { TOLLGATE_OIDC_ISSUER: "id.acme.example" }, "TOLLGATE_OIDC_ISSUER must be "],
    ["no client", { TOLLGATE_OIDC_CLIENT_ID: "" }, "TOLLGATE_OIDC_ISSUER needs TOLLGATE_OIDC_CLIENT_ID."],
    ["a claim without a map", { TOLLGATE_OIDC_ROLE_CLAIM: "groups" }, "must be set together."],
    ["a map without a claim", { TOLLGATE_OIDC_ROLE_MAP: `{"staff": ${entry}}` }, "must be set together."],
    ...[
      "{",
      "[]",
      "null",
      '{"staff": null}',
      '{"staff": "reader"}',
      '{"staff": {"account": "default", "role": "owner"}}',
    ].map((map): [string, Record<string, string>, string] => [
      `the map ${map}`,
      { TOLLGATE_OIDC_ROLE_CLAIM: "groups", TOLLGATE_OIDC_ROLE_MAP: map },
      "TOLLGATE_OIDC_ROLE_MAP must be JSON",
    ]),
    ["a domain with a user", { TOLLGATE_OIDC_ALLOWED_DOMAINS: "ada@acme.example" }, "must be domains"],
    ["a domain without a dot", { TOLLGATE_OIDC_ALLOWED_DOMAINS: "acme.example,acme" }, "must be domains"],
  ])("is rejected with %s", (_, settings, error) => {
    expect(configErrors({ ...base, ...settings })).toEqual([expect.stringContaining(error)]);
  });
});
