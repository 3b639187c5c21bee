import { expect, test } from "bun:test";
import { shippedVulnerabilities } from "./audit.ts";
import { thirdPartyPackages } from "./third-party.ts";

const advisory = { title: "Denial of service", url: "https://advisories.test/1" };
const vulnerable = (name: string, severity: string, via: (string | typeof advisory)[] = [advisory]) => ({
  [name]: { severity, via, nodes: [`node_modules/${name}`] },
});

const shipped = await thirdPartyPackages();

test("only packages in releases count, bundled ones too, from moderate on", () => {
  const versionOf = (name: string) => shipped.find((one) => one.name === name)!.version;
  const vulnerabilities = {
    ...vulnerable("jose", "moderate"),
    ...vulnerable("openid-client", "high", ["jose"]),
    ...vulnerable("esbuild", "critical"),
    ...vulnerable("zod", "low"),
    ...vulnerable("webpack", "critical"),
  };
  expect(shippedVulnerabilities({ vulnerabilities }, shipped)).toEqual([
    `jose ${versionOf("jose")}, moderate: Denial of service (https://advisories.test/1)`,
    `openid-client ${versionOf("openid-client")}, high: depends on jose`,
    `esbuild ${versionOf("esbuild")}, critical: Denial of service (https://advisories.test/1)`,
  ]);
});

test("another copy of a package in releases does not count", () => {
  const nested = { jose: { severity: "high", via: [advisory], nodes: ["node_modules/webpack/node_modules/jose"] } };
  expect(shippedVulnerabilities({ vulnerabilities: nested }, shipped)).toEqual([]);
});

test("an audit that failed is not one without vulnerabilities", () => {
  expect(() => shippedVulnerabilities({}, [])).toThrow("npm could not audit the packages.");
});
