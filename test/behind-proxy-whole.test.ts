import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { type Engine, eachEngine } from "./support/engines.ts";
import { newKeyHolder } from "./support/key-holder.ts";
import { deploy, openApi } from "./support/project.ts";
import { Proxies } from "./support/proxies.ts";
import { rawRequest, talk } from "./support/raw-http.ts";
import { startServer, type TestServer } from "./support/server.ts";
import { account, adminToken, type Environment } from "./support/server-settings.ts";
import { until } from "./support/until.ts";

/** Proxies connect from 127.0.0.1, clients from these. */
const client = "127.0.0.5";
const other = "127.0.0.6";
const invented = "198.51.100.7";

/** Headers with which a client can try to forge its address. */
const forged = [
  `x-forwarded-for: ${invented}`,
  `X-Forwarded-For: ${invented}, 127.0.0.1`,
  `forwarded: for=${invented}`,
  `x-real-ip: ${invented}`,
  "x-forwarded-proto: https",
];

const guarded = (...policies: string[]) => ({ "x-tollgate": { policies } });

const upstream = Bun.serve({
  idleTimeout: 0,
  port: 0,
  hostname: "127.0.0.1",
  fetch: ({ headers }) => new Response(`for ${headers.get("x-forwarded-for")}`),
});
afterAll(() => upstream.stop(true));

/** Sends a request with a client address, by the proxy at the port or directly. */
async function get(port: number, host: string, path: string, from: string, headers: string[] = []) {
  const request = rawRequest("GET", host, path, [...headers, "connection: close"]);
  const { text } = await talk(port, request, () => false, from);
  const [head = "", body = ""] = text.split("\r\n\r\n");
  return { status: Number(head.split(" ")[1]), body };
}

/** A deployment whose routes depend on the client's address, on a server behind a proxy. */
async function openScene(engine: Engine, environment: Environment) {
  const server = await startServer(engine, { environment: { TOLLGATE_EGRESS: "any" } });
  const holder = await newKeyHolder(server.client);
  const { key } = (await server.client.post(holder.keys, { allowedIps: [client] })).body;
  const files = {
    "openapi.json": openApi({ "/open": guarded(), "/keyed": guarded("key"), "/limited": guarded("limit") }),
    "tollgate.json": {
      upstream: upstream.url.origin,
      policies: {
        key: { type: "api-key", options: { bucket: holder.bucket.split("/").at(-1) } },
        limit: { type: "rate-limit", options: { by: "ip", requests: 2, windowSeconds: 60 } },
      },
    },
  };
  const { name } = await deploy(server, { project: "shop", branch: "main" }, files);
  await server.restart({ TOLLGATE_TRUSTED_PROXIES: "127.0.0.1", ...environment });
  return { server, host: `${name}.localhost`, authorization: `authorization: Bearer ${key}` };
}

type Scene = Awaited<ReturnType<typeof openScene>>;

const portOf = ({ url }: TestServer) => Number(new URL(url).port);

/** The recorded address of the newest request to a path. */
async function recordedAddress({ server }: Scene, path: string): Promise<string> {
  const headers = [`authorization: Bearer ${adminToken}`];
  const find = async () => {
    const { body } = await get(
      portOf(server),
      "localhost",
      `/v1/accounts/${account}/requests?q=${path}`,
      other,
      headers,
    );
    return JSON.parse(body).data[0]?.ip as string | undefined;
  };
  return until(find, { what: `the record of ${path}` });
}

const setups: [name: string, environment: Environment, start: (proxies: Proxies, port: number) => Promise<number>][] = [
  ["nginx that replaces x-forwarded-for", {}, (proxies, port) => proxies.nginx(port, "$remote_addr")],
  ["nginx that appends to x-forwarded-for", {}, (proxies, port) => proxies.nginx(port, "$proxy_add_x_forwarded_for")],
  [
    "HAProxy that sets x-forwarded-for",
    {},
    (proxies, port) => proxies.haproxy(port, "", ["http-request set-header X-Forwarded-For %[src]"]),
  ],
  ["HAProxy that appends to x-forwarded-for", {}, (proxies, port) => proxies.haproxy(port, "", ["option forwardfor"])],
  [
    "HAProxy with PROXY protocol v1",
    { TOLLGATE_PROXY_PROTOCOL: "true" },
    (proxies, port) => proxies.haproxy(port, "send-proxy"),
  ],
  [
    "HAProxy with PROXY protocol v2",
    { TOLLGATE_PROXY_PROTOCOL: "true" },
    (proxies, port) => proxies.haproxy(port, "send-proxy-v2"),
  ],
];

eachEngine((engine) => {
  describe.each(setups)("behind %s", (_, environment, start) => {
    let proxies: Proxies;
    let scene: Scene;
    let proxy: number;
    beforeAll(async () => {
      scene = await openScene(engine, environment);
      proxies = await Proxies.open();
      proxy = await start(proxies, portOf(scene.server));
    });
    afterAll(async () => {
      await proxies.close();
      await scene.server.stop();
    });
    const viaProxy = (path: string, from: string, headers: string[] = []) =>
      get(proxy, scene.host, path, from, headers);
    const direct = (path: string, from: string, headers: string[] = []) =>
      get(portOf(scene.server), scene.host, path, from, headers);

    test("a key's allowedIps are the client's, through the proxy and past it", async () => {
      const { authorization } = scene;
      expect((await viaProxy("/keyed", client, [authorization])).status).toBe(200);
      expect((await viaProxy("/keyed", other, [authorization])).status).toBe(403);
      expect((await direct("/keyed", client, [authorization])).status).toBe(200);
      expect((await direct("/keyed", other, [authorization])).status).toBe(403);
      for (const header of [`x-forwarded-for: ${client}`, `forwarded: for=${client}`, `x-real-ip: ${client}`]) {
        expect((await viaProxy("/keyed", other, [authorization, header])).status).toBe(403);
        expect((await direct("/keyed", other, [authorization, header])).status).toBe(403);
      }
    });

    test("a rate limit by address counts each client, whatever address it claims", async () => {
      const statuses: number[] = [];
      for (const header of forged.slice(0, 4)) statuses.push((await viaProxy("/limited", client, [header])).status);
      expect(statuses).toEqual([200, 200, 429, 429]);
      expect((await viaProxy("/limited", other)).status).toBe(200);
      // The same client without the proxy is counted together.
      expect((await direct("/limited", client, [`x-forwarded-for: ${invented}`])).status).toBe(429);
    });

    test("the upstream and the record of a request contain the client's address", async () => {
      for (const [index, send] of [viaProxy, direct].entries()) {
        const { body } = await send(`/open?${index}`, client, forged);
        // The upstream sees one more entry at the right: the proxy that connected to Tollgate.
        expect(body.replace(/, 127\.0\.0\.1$/, "")).toEndWith(client);
        const missing = `/nothing-${index}`;
        expect((await send(missing, client, forged)).status).toBe(404);
        expect(await recordedAddress(scene, missing)).toBe(client);
      }
      scene.server.log = "";
      await talk(portOf(scene.server), "not HTTP\r\n\r\n", () => false, other);
      await until(() => scene.server.log.includes(`"ip":"${other}"`));
    });

    test("a client cannot send headers of a proxy", async () => {
      const header = `PROXY TCP4 ${client} 127.0.0.1 4711 80\r\n`;
      const request = rawRequest("GET", scene.host, "/keyed", [scene.authorization, "connection: close"]);
      for (const port of [portOf(scene.server), proxy]) {
        const { text } = await talk(port, header + request, () => false, other);
        expect(text).toStartWith("HTTP/1.1 400");
      }
    });
  });
});
