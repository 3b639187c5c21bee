import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { sqlite } from "./support/engines.ts";
import { type Deployed, deploy, openApi } from "./support/project.ts";
import { useServer } from "./support/server.ts";
import { adminToken } from "./support/server-settings.ts";

const allowed = "198.51.100.7";
const forged = {
  "x-forwarded-for": allowed,
  "x-real-ip": allowed,
  forwarded: `for=${allowed}`,
  "x-forwarded-host": "forged.example",
};

/** An upstream that returns the headers that it received. */
const upstream = Bun.serve({
  port: 0,
  hostname: "127.0.0.1",
  fetch: (request) => Response.json(Object.fromEntries(request.headers)),
});
afterAll(() => upstream.stop(true));

describe("with trusted proxies, requests of deployments to this server", () => {
  const server = useServer(sqlite, {
    environment: { TOLLGATE_TRUSTED_PROXIES: "loopback", TOLLGATE_EGRESS: "any" },
  });
  let guarded: Deployed;
  let caller: Deployed;

  beforeAll(async () => {
    const branch = "main";
    guarded = await deploy(
      server,
      { project: "guarded", branch },
      {
        "openapi.json": openApi({
          "/office": { "x-tollgate": { policies: ["office"] } },
          "/open": {},
          "/balanced": {},
        }),
        "tollgate.json": {
          upstream: upstream.url.origin,
          policies: { office: { type: "ip-filter", options: { allow: [allowed] } } },
        },
      },
    );
    const own = guarded.url.replace(/\/$/, "");
    const { port } = new URL(server.url);
    caller = await deploy(
      server,
      { project: "caller", branch },
      {
        "openapi.json": openApi({
          "/office": { "x-tollgate": { upstream: own, policies: ["forge"] } },
          "/open": { "x-tollgate": { upstream: own, policies: ["forge"] } },
          "/balanced": {
            "x-tollgate": { upstream: { targets: [{ url: own }] }, policies: ["forge", "to-office"] },
          },
          "/elsewhere": { "x-tollgate": { upstream: upstream.url.origin, policies: ["forge"] } },
          "/code": { "x-tollgate": { handler: "modules/call.ts" } },
          "/create": { "x-tollgate": { handler: "modules/create.ts" } },
          "/redirect": { "x-tollgate": { handler: "modules/redirect.ts" } },
        }),
        "tollgate.json": {
          policies: {
            forge: { type: "headers", options: { request: { set: forged } } },
            "to-office": { type: "rewrite", options: { path: "/office" } },
          },
        },
        "modules/call.ts": `export default async (request) => {
          const url = new URL(request.url).searchParams.get("url");
          return fetch(url, { headers: ${JSON.stringify(forged)} });
        };`,
        "modules/create.ts": `export default async (request) => {
          const { host, name } = Object.fromEntries(new URL(request.url).searchParams);
          return fetch("http://" + host + ":${port}/v1/accounts/default/key-buckets/main/consumers", {
            method: "POST",
            headers: { ...${JSON.stringify(forged)}, authorization: "Bearer ${adminToken}", "content-type": "application/json" },
            body: JSON.stringify({ name }),
          });
        };`,
        "modules/redirect.ts": `export default () => Response.redirect(${JSON.stringify(`${own}/office`)}, 307);`,
      },
    );
  });

  const fetchedByCode = async (url: string) => caller.call(`/code?url=${encodeURIComponent(url)}`);

  test("cannot forge the client's address for an ip-filter", async () => {
    // A trusted proxy may say so.
    expect((await guarded.call("/office", { headers: { "x-forwarded-for": allowed } })).status).toBe(200);
    const own = guarded.url.replace(/\/$/, "");
    const { hostname, port } = new URL(own);
    for (const response of [
      await caller.call("/office"),
      await caller.call("/balanced"),
      await fetchedByCode(`${own}/office`),
      await fetchedByCode(`http://${hostname.toUpperCase()}.:${port}/office`),
      await fetchedByCode(`${caller.url}redirect`),
    ])
      expect({
        url: response.url,
        status: response.status,
        code: ((await response.json()) as { code: string }).code,
      }).toEqual({
        url: response.url,
        status: 403,
        code: "ip_not_allowed",
      });
  });

  test("arrive with the machine's own address, and nothing else about a client", async () => {
    for (const response of [await caller.call("/open"), await fetchedByCode(`${guarded.url}open`)]) {
      const headers = (await response.json()) as Record<string, string>;
      expect(headers["x-forwarded-for"]).toBe("127.0.0.1");
      expect(JSON.stringify(headers)).not.toContain(allowed);
      expect(JSON.stringify(headers)).not.toContain("forged.example");
    }
  });

  test("have no forged address in the management API, whatever the spelling of this machine", async () => {
    const hosts = ["127.0.0.1", "localhost", "127.1", "0.0.0.0", "[::ffff:127.0.0.1]"];
    for (const [index, host] of hosts.entries())
      expect((await caller.call(`/create?host=${encodeURIComponent(host)}&name=forged-${index}`)).status).toBe(200);
    const { body } = await server.client.get("/v1/accounts/default/audit-log?action=consumer.created");
    expect(body.data.map(({ ip }: { ip: string }) => ip)).toEqual(hosts.map(() => "127.0.0.1"));
  });

  test("keep these headers if the upstream is another server", async () => {
    for (const response of [await caller.call("/elsewhere"), await fetchedByCode(`${upstream.url.origin}/x`)])
      expect(await response.json()).toMatchObject({ "x-real-ip": allowed, "x-forwarded-for": allowed });
  });
});
