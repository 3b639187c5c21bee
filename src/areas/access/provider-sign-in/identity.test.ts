import { describe, expect, test } from "bun:test";
import { identityOf, isDomainAllowed } from "./identity.ts";

const entra = "https://login.microsoftonline.com/72f988bf-86f1-41af-91ab-2d7cd011db47/v2.0";
const rules = (issuer: string, allowedDomains?: string[]) => ({ issuer, roles: undefined, allowedDomains });
const claims = { sub: "1", email: "Ada@Acme.Example" };

describe("an address is verified", () => {
  test.each<[string, Record<string, unknown>, boolean]>([
    [entra, { xms_edov: true }, true],
    [entra, { xms_edov: "1" }, true],
    [entra, { xms_edov: 1 }, true],
    [entra, { xms_edov: false }, false],
    [entra, { xms_edov: "0" }, false],
    [entra, {}, false],
    // Elsewhere the claim has no meaning, also with a similar host.
    ["https://id.acme.example", { xms_edov: true }, false],
    ["https://login.microsoftonline.com.evil.example/x/v2.0", { xms_edov: true }, false],
    ["https://evil.example/login.microsoftonline.com", { xms_edov: true }, false],
    ["https://id.acme.example", { email_verified: true }, true],
    ["https://id.acme.example", { email_verified: "true" }, true],
    ["https://id.acme.example", { email_verified: "false" }, false],
  ])("by %s with %j: %p", (issuer, given, isVerified) => {
    expect(identityOf({ ...claims, ...given }, rules(issuer))).toMatchObject({
      issuer,
      subject: "1",
      email: "Ada@Acme.Example",
      isVerified,
    });
  });
});

test("only a verified address is of an allowed domain", () => {
  const allowed = rules(entra, ["acme.example"]);
  const isAllowed = (given: Record<string, unknown>) =>
    isDomainAllowed(identityOf({ sub: "1", ...given }, allowed), allowed);
  expect(isAllowed({ ...claims, xms_edov: true })).toBe(true);
  expect(isAllowed(claims)).toBe(false);
  expect(isAllowed({ xms_edov: true })).toBe(false);
  for (const email of [
    "ada@evil.example",
    "ada@acme.example.evil.example",
    "acme.example@evil.example",
    "ada@sub.acme.example",
  ])
    expect(isAllowed({ email, xms_edov: true })).toBe(false);
});
