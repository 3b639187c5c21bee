import { beforeAll, describe, expect, test } from "bun:test";
import { type Described, describedBy, filledPath, operationsOf } from "../../torture/described.ts";
import type { ClientResponse } from "../support/client.ts";
import { eachEngine } from "../support/engines.ts";
import { expectProblem } from "../support/expect-problem.ts";
import { customerBrowser, PortalBrowser, portalPath, setPortal } from "../support/portal.ts";
import { useServer } from "../support/server.ts";
import { account, adminToken } from "../support/server-settings.ts";
import { tableContent } from "../support/table-content.ts";

/** Bodies of the portal's operations that change something. */
const bodies: Record<string, object> = {
  createPortalKey: { description: "new" },
  updatePortalKey: { description: "taken over", isEnabled: false },
  rollPortalKey: { graceHours: 0 },
  signInToPortal: { code: "tgh_none" },
  tryPortalOperation: { deployment: "none", method: "GET", path: "/" },
};

eachEngine((engine) => {
  const server = useServer(engine);
  const { client } = server;
  const buckets = `/v1/accounts/${account}/key-buckets`;
  /** Ids of other customers: of the same bucket, of the same name in another bucket, and of another account. */
  const others: { whose: string; keyId: string }[] = [];
  let url: string;
  let acme: PortalBrowser;
  let document: Described;

  beforeAll(async () => {
    const keyOf = async (bucket: string, name: string) => {
      await client.post(`${buckets}/${bucket}/consumers`, { name });
      const { body } = await client.post(`${buckets}/${bucket}/consumers/${name}/keys`, { description: "theirs" });
      return body.id as string;
    };
    await client.post(`${buckets}/main/consumers`, { name: "acme" });
    others.push({ whose: "another customer", keyId: await keyOf("main", "globex") });
    others.push({ whose: "a customer of the same name in another bucket", keyId: await keyOf("second", "acme") });
    others.push({ whose: "nobody", keyId: "key_000000000000000000000000" });
    url = (await setPortal(client)).url;
    await setPortal(client, {}, portalPath("second"));
    acme = await customerBrowser(server, url, "acme");
    document = (await (await fetch(`${server.url}/portal/openapi.json`)).json()) as Described;
  });

  const portalOperations = () =>
    Object.entries(document.paths).flatMap(([path, methods]) =>
      Object.entries(methods).map(([method, { operationId }]) => ({
        method: method.toUpperCase(),
        path: path.replace("/portal/api", ""),
        operationId,
      })),
    );

  test("no operation reaches a key of another customer by its id, and nothing changes", async () => {
    const withKey = portalOperations().filter(({ path }) => path.includes("{keyId}"));
    expect(withKey.map(({ operationId }) => operationId).sort()).toEqual([
      "deletePortalKey",
      "rollPortalKey",
      "updatePortalKey",
    ]);
    const before = await tableContent(server.database, "api_keys");
    for (const { whose, keyId } of others)
      for (const { method, path, operationId } of withKey) {
        const response = await acme.send(method, path.replace("{keyId}", keyId), bodies[operationId]);
        expect([whose, operationId, response.status, response.body.code]).toEqual([
          whose,
          operationId,
          404,
          "not_found",
        ]);
      }
    expect(await tableContent(server.database, "api_keys")).toEqual(before);
  });

  test("no operation has a parameter that names a customer, an account or a bucket", () => {
    const parameters = Object.values(document.paths).flatMap((methods) =>
      Object.values(methods).flatMap(({ parameters }) => parameters.map(({ name }) => name)),
    );
    const own = ["keyId", "before", "limit", "outcome", "path", "Idempotency-Key", "If-Match", "If-None-Match"];
    expect([...new Set(parameters)].filter((name) => !own.includes(name))).toEqual([]);
  });

  test("lists have nothing of other customers", async () => {
    for (const path of ["/keys", "/requests", "/usage", "/session", "/apis"]) {
      const { status, text } = await acme.get(path);
      expect([path, status]).toEqual([path, 200]);
      for (const { keyId } of others) expect(text).not.toContain(keyId);
      expect(text).not.toContain("globex");
    }
  });

  test("every operation of the portal rejects tokens, sessions of the console, and no session", async () => {
    const console = await fetch(`${server.url}/v1/sessions`, {
      method: "POST",
      headers: { origin: server.url, "content-type": "application/json" },
      body: JSON.stringify({ token: adminToken }),
    });
    const cookie = console.headers.get("set-cookie")!.split(";")[0]!;
    const value = cookie.split("=")[1]!;
    const before = await tableContent(server.database, "api_keys");
    const credentials: Record<string, string>[] = [
      {},
      { authorization: `Bearer ${adminToken}` },
      { cookie },
      { cookie: `tollgate-portal=${value}` },
      { cookie: `tollgate-portal=${adminToken}` },
      { cookie: acme.cookie!, authorization: `Bearer ${adminToken}` },
    ];
    const open = ["getPortalSite", "signInToPortal"];
    for (const { method, path, operationId } of portalOperations().filter((each) => !open.includes(each.operationId)))
      for (const headers of credentials) {
        const stranger = new PortalBrowser(server, url);
        const filled = path.replace("{keyId}", others[0]!.keyId);
        const response = await stranger.send(method, filled, bodies[operationId], headers);
        expect([operationId, response.status, response.body.code]).toEqual([operationId, 401, "session_required"]);
      }
    expect(await tableContent(server.database, "api_keys")).toEqual(before);
  });

  describe("every operation of the management API rejects a portal session", () => {
    test.each(["tollgate-portal", "tollgate-session", "__Host-tollgate", "__Host-tollgate-portal"])(
      "in the cookie %s",
      async (name) => {
        const cookie = `${name}=${acme.cookie!.split("=")[1]}`;
        const all = operationsOf(await describedBy(server));
        const isOpen = ({ operation }: (typeof all)[number]) => operation.security?.length === 0;
        // They need no credential, or have it in their address.
        const open = all.filter(isOpen).map(({ operation }) => operation.operationId);
        expect(open.sort()).toEqual(["getSignInMethods", "uploadSource"]);
        const operations = all.filter((each) => !isOpen(each));
        expect(operations.length).toBeGreaterThan(100);
        const rejected: Record<string, number> = {};
        for (const { method, template, operation } of operations) {
          const path = filledPath(template, (parameter) => (parameter === "accountName" ? account : "main"));
          const headers = { cookie, origin: server.url, "content-type": "application/json" };
          const hasBody = operation.requestBody !== undefined;
          const response: ClientResponse = await client
            .anonymous()
            .raw(method, path, hasBody ? "{}" : undefined, headers);
          rejected[operation.operationId] = response.status;
        }
        expect([...new Set(Object.values(rejected))]).toEqual([401]);
      },
    );

    test("as a token", async () => {
      const value = acme.cookie!.split("=")[1]!;
      expectProblem(await client.as(value).get("/v1/who-am-i"), 401, "unauthenticated");
    });
  });

  test("hostile texts of customers are stored and returned as they are", async () => {
    const hostile = `<script>alert(1)</script>"'\u2028\u202e`;
    const browser = await customerBrowser(server, url, "acme", { subject: hostile });
    const { body, headers } = await browser.post("/keys", { description: hostile });
    expect(body.description).toBe(hostile);
    expect(headers.get("content-type")).toBe("application/json");
    expect(headers.get("x-content-type-options")).toBe("nosniff");
    const { body: log } = await client.get(`/v1/accounts/${account}/audit-log?limit=1`);
    expect(log.data[0].actor).toMatchObject({ type: "manager", id: hostile });
    expectProblem(await browser.post("/keys", { description: "\0" }), 400, "validation_failed");
    await browser.delete(`/keys/${body.id}`);
  });
});
