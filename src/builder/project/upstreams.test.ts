// biome-ignore-all lint/suspicious/noTemplateCurlyInString: `${NAME}` is the syntax of variables in projects, not a template literal.
import { expect, test } from "bun:test";
import { makeCertificate } from "../../../test/support/certificates.ts";
import { buildMarked, buildProject, type Files } from "../../../test/support/gateway-project.ts";
import type { Artifact } from "../../core/artifact/artifact.ts";

const openapi = (extension = "") => `{
  "openapi": "3.1.0",
  "info": { "title": "T", "version": "1" },
  "paths": { "/a": { "get": {} }, "/b": { "get": {} }, "/c": { ${extension} "get": {} } }
}`;
const one = '"targets": [{ "url": "https://a.test" }]';
const project = (upstream: string): Files => ({
  "openapi.json": openapi(),
  "tollgate.json": `{\n  "upstream": ${upstream}\n}`,
});
const [own, other] = [makeCertificate(["own"]), makeCertificate(["other"])];
const pem = ({ certificate, key }: typeof own) =>
  `"cert": ${JSON.stringify(certificate)}, "key": ${JSON.stringify(key)}`;

test.each<[string, string, string]>([
  ["no target", '{ "targets": ▶[] }', "must have at least one target"],
  ["no targets", '▶{ "balance": "hash" }', '"targets" is missing'],
  ["a URL with a query", '{ "targets": [{ "url": ▶"https://a.test?x" }] }', "must be an http or https origin"],
  ["a target twice", '{ "targets": [{ "url": "http://a" }, { "url": ▶"http://a/" }] }', "is listed twice"],
  ["a weight of 0", '{ "targets": [{ "url": "http://a", "weight": ▶0 }] }', "must be at least 1"],
  ["a member that is misspelt", `{ ${one}, ▶"balanc": "hash" }`, 'unknown member "balanc"; did you mean "balance"?'],
  ["a balance that does not exist", `{ ${one}, "balance": ▶"random" }`, 'must be "round-robin" or "least-requests"'],
  ["hash by nothing", `{ ${one}, "balance": ▶"hash" }`, 'needs "hashBy"'],
  ["hashBy without hash", `{ ${one}, "hashBy": ▶"ip" }`, 'has no effect unless "balance" is "hash"'],
  ["hashBy of nothing", `{ ${one}, "balance": "hash", "hashBy": ▶"cookie" }`, 'must be "consumer", "ip" or "header:"'],
  ["health without a path", `{ ${one}, "health": ▶{} }`, '"path" is missing'],
  ["a path that is none", `{ ${one}, "health": { "path": ▶"health" } }`, "must be a path that begins with /"],
  ["an interval of 0", `{ ${one}, "health": { "path": "/", "intervalSeconds": ▶0 } }`, "must be at least 1"],
  ["a share of more than all", `{ ${one}, "ejection": { "maxShare": ▶2 } }`, "must be at most 1"],
  ["one attempt", `{ ${one}, "retries": { "attempts": ▶1 } }`, "must be at least 2"],
  ["a cause that is none", `{ ${one}, "retries": { "on": [▶"500"] } }`, 'must be one of "502", "503"'],
  ["a method that is none", `{ ${one}, "retries": { "methods": [▶"get"] } }`, 'must be one of "GET", "HEAD"'],
  ["TLS to http", '{ "targets": [{ "url": ▶"http://a" }], "tls": { "serverName": "a" } }', "must be https"],
  ["a CA that is none", `{ ${one}, "tls": { "ca": ▶"x" } }`, "must be the PEM text of one or more certificates"],
  [
    "a certificate without its key",
    `{ ${one}, "tls": { "cert": ▶${JSON.stringify(own.certificate)} } }`,
    'needs "key"',
  ],
  [
    "the key of another certificate",
    `{ ${one}, "tls": { "cert": ${JSON.stringify(other.certificate)}, "key": ▶${JSON.stringify(own.key)} } }`,
    "is not the private key of the certificate",
  ],
  ["no connections", `{ ${one}, "maxConnections": ▶0 }`, "must be at least 1"],
  ["a number", "▶7", "must be a URL, or an object with targets"],
])("%s is an error at its place", async (_, upstream, message) => {
  const { atMark, elsewhere } = await buildMarked(project(upstream));
  expect(elsewhere).toEqual([]);
  expect(atMark.join()).toContain(message);
});

const artifactOf = async (files: Files): Promise<Artifact> => JSON.parse((await buildProject(files)).artifact!);

test("options get their defaults, and routes with the same upstream share it", async () => {
  const artifact = await artifactOf({
    "openapi.json": openapi('"x-tollgate": { "upstream": "http://plain.test" },'),
    "tollgate.json": `{ "upstream": { "targets": [{ "url": "https://a.test/v1/" }, { "url": "https://b.test", "weight": 2 }],
      "health": { "path": "/health" }, "ejection": {}, "retries": {}, "tls": { ${pem(own)} } } }`,
  });
  expect(artifact.routes.map(({ target }) => target)).toEqual([
    { upstream: "https://a.test/v1", balanced: 0 },
    { upstream: "https://a.test/v1", balanced: 0 },
    { upstream: "http://plain.test" },
  ]);
  expect(artifact.upstreams).toEqual([
    {
      targets: [
        { url: "https://a.test/v1", weight: 1 },
        { url: "https://b.test", weight: 2 },
      ],
      balance: "round-robin",
      health: { path: "/health", intervalSeconds: 10, unhealthyAfter: 3, healthyAfter: 2 },
      ejection: { consecutiveErrors: 5, seconds: 30, maxShare: 0.5 },
      retries: { attempts: 2, on: ["connect", "reset", "502", "503", "504"] },
      tls: { cert: own.certificate, key: own.key },
    },
  ]);
});

test("a single target without options is a plain upstream", async () => {
  const { routes, upstreams } = await artifactOf(project(`{ ${one} }`));
  expect(upstreams).toBeUndefined();
  expect(routes[0]!.target).toEqual({ upstream: "https://a.test" });
});

test("a target that deployments cannot reach is a warning at its URL", async () => {
  const { warnings } = await buildProject(project('{ "targets": [{ "url": "http://169.254.169.254" }] }'));
  expect(warnings).toMatchObject([
    { file: "tollgate.json", line: 2, message: expect.stringContaining("will get 502") },
  ]);
});
