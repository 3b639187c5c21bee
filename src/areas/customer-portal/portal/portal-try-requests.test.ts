import { beforeAll, describe, expect, test } from "bun:test";
import { eachEngine } from "../../../../test/support/engines.ts";
import { expectProblem } from "../../../../test/support/expect-problem.ts";
import {
  PortalBrowser as Browser,
  customerBrowser,
  type PortalBrowser,
  setPortal,
} from "../../../../test/support/portal.ts";
import { deploy, openApi } from "../../../../test/support/project.ts";
import { useRecordingUpstream } from "../../../../test/support/recording-upstream.ts";
import { useServer } from "../../../../test/support/server.ts";
import { account } from "../../../../test/support/server-settings.ts";

const { received, url: upstream } = useRecordingUpstream((path) => {
  if (path === "/open/hostile") {
    const headers = new Headers({ "content-type": "text/html", "content-security-policy": "default-src *" });
    headers.append("set-cookie", "__Host-tollgate-portal=stolen");
    return new Response("<script>document.title = 'taken'</script>", { headers });
  }
  if (path === "/open/elsewhere")
    return new Response(null, { status: 302, headers: { location: "http://169.254.169.254/" } });
  return Response.json({ ok: true });
});

const files = {
  "openapi.json": openApi({
    "/open/{path}": {
      "x-tollgate": { upstream },
      parameters: [{ name: "path", in: "path", required: true, schema: {} }],
    },
    "/guarded": { "x-tollgate": { upstream, policies: ["key", "limit"] } },
  }),
  "tollgate.json": {
    policies: {
      key: { type: "api-key", options: { bucket: "main" } },
      limit: { type: "rate-limit", options: { by: "consumer", requests: 1, windowSeconds: 60 } },
    },
  },
};

eachEngine((engine) => {
  const server = useServer(engine, { environment: { TOLLGATE_EGRESS: "any" } });
  const { client } = server;
  const consumers = `/v1/accounts/${account}/key-buckets/main/consumers`;
  let deployment: string;
  let other: string;
  let keyId: string;
  let theirs: string;
  let url: string;
  let acme: PortalBrowser;

  const send = async (input: object) => {
    const response = await acme.post("/try", { deployment, method: "GET", ...input });
    expect({ status: response.status, text: response.text }).toEqual({ status: 200, text: response.text });
    return { headers: response.headers, data: JSON.parse(response.text) };
  };

  beforeAll(async () => {
    await client.post(`/v1/accounts/${account}/key-buckets`, { name: "main", isRetrievable: false });
    for (const name of ["acme", "globex"]) await client.post(consumers, { name });
    keyId = (await client.post(`${consumers}/acme/keys`, {})).body.id;
    theirs = (await client.post(`${consumers}/globex/keys`, {})).body.id;
    deployment = (await deploy(server, { project: "weather", branch: "main" }, files)).name;
    other = (await deploy(server, { project: "other", branch: "main" }, files)).name;
    url = (await setPortal(client, { deployments: [deployment] })).url;
    acme = await customerBrowser(server, url, "acme");
  });

  test("a request is sent as the customer's key, limited like any, and recorded in the audit log", async () => {
    expect((await send({ path: "/guarded" })).data).toMatchObject({ status: 401 });
    expect((await send({ path: "/guarded", keyId })).data).toMatchObject({ status: 200, body: '{"ok":true}' });
    expect(received.at(-1)!.headers.get("x-consumer-name")).toBe("acme");
    const { data } = await send({ path: "/guarded", keyId });
    expect(data.status).toBe(429);
    expect(JSON.parse(data.body)).toMatchObject({ code: "rate_limited" });
    const { body } = await client.get(`/v1/accounts/${account}/audit-log?action=key.tried`);
    expect(body.data[0]).toMatchObject({ actor: { type: "manager", id: "user-1" }, resource: { id: keyId } });
  });

  test("hostile responses are data: no markup, no cookie, no redirect", async () => {
    const { headers, data } = await send({ path: "/open/hostile" });
    expect(Object.fromEntries(headers)).toMatchObject({
      "content-type": "application/octet-stream",
      "x-content-type-options": "nosniff",
      "content-security-policy": "default-src 'none'; sandbox",
      "content-disposition": "attachment",
      "cache-control": "no-store",
    });
    expect(headers.get("set-cookie")).toBeNull();
    expect(JSON.stringify(data)).not.toContain("stolen");
    expect(data.body).toBe("<script>document.title = 'taken'</script>");
    expect((await send({ path: "/open/elsewhere" })).data).toMatchObject({ status: 302, body: "" });
  });

  describe("rejected, and nothing is sent:", () => {
    test.each([
      ["a deployment that is not the portal's", () => ({ deployment: other }), "/deployment"],
      ["no such deployment", () => ({ deployment: "none" }), "/deployment"],
      ["a key of another customer", () => ({ keyId: theirs }), "/keyId"],
      ["no such key", () => ({ keyId: "key_none" }), "/keyId"],
      ["a URL", () => ({ path: "http://169.254.169.254/" }), "/path"],
      ["a host", () => ({ headers: { host: "other.example" } }), "/headers/host"],
      ["a body of GET", () => ({ body: "x" }), "/body"],
      ["another customer's name", () => ({ consumerName: "globex" }), "/consumerName"],
    ])("%s", async (_, input, pointer) => {
      const before = received.length;
      const given = { deployment, method: "GET", path: "/open/x", ...input() };
      expectProblem(await acme.post("/try", given), 400, "validation_failed", { pointer });
      expect(received.length).toBe(before);
    });

    test("no session, a session that may only read, another Origin", async () => {
      const before = received.length;
      const input = { deployment, method: "GET", path: "/open/x" };
      expectProblem(await new Browser(server, url).post("/try", input), 401, "session_required");
      const reader = await customerBrowser(server, url, "globex", { scopes: ["keys:read", "usage:read"] });
      expectProblem(await reader.post("/try", input), 403, "portal_scope_missing");
      expectProblem(await acme.post("/try", input, { origin: "https://other.example" }), 403, "origin_mismatch");
      expect(received.length).toBe(before);
    });
  });
});
