import { afterAll, beforeAll, expect, test } from "bun:test";
import { eachEngine } from "../../../../../test/support/engines.ts";
import { expectProblem } from "../../../../../test/support/expect-problem.ts";
import { portalPath, setPortal } from "../../../../../test/support/portal.ts";
import { deploy, openApi } from "../../../../../test/support/project.ts";
import { useServer } from "../../../../../test/support/server.ts";
import { account } from "../../../../../test/support/server-settings.ts";
import { until } from "../../../../../test/support/until.ts";

const day = 24 * 60 * 60 * 1000;
const upstream = Bun.serve({
  port: 0,
  hostname: "127.0.0.1",
  fetch: ({ url }) => new Response("", { status: url.endsWith("/broken") ? 500 : 200 }),
});
afterAll(() => upstream.stop(true));

const project = {
  "tollgate.json": { policies: { keys: { type: "api-key", options: { bucket: "main" } } } },
  "openapi.json": openApi(
    { "/ok": {}, "/broken": {} },
    { "x-tollgate": { upstream: upstream.url.origin, policies: ["keys"] } },
  ),
};

eachEngine((engine) => {
  const server = useServer(engine, { environment: { TOLLGATE_EGRESS: "any" } });
  const { client, clock } = server;
  const consumers = `/v1/accounts/${account}/key-buckets/main/consumers`;
  beforeAll(async () => {
    await client.post(consumers, { name: "not-signed-up" });
  });
  const funnel = async (query = "") => (await client.get(`${portalPath()}/funnel${query}`)).body;

  /** A customer who signed up, by an approval. */
  async function signUp(email: string): Promise<string> {
    const { body } = await client.post(`${portalPath()}/access-requests`, { email, name: email.split("@")[0] });
    const approved = await client.post(`${portalPath()}/access-requests/${body.id}/$approve`);
    return approved.body.consumerName as string;
  }
  const keyOf = async (consumer: string): Promise<string> =>
    (await client.post(`${consumers}/${consumer}/keys`, {})).body.key as string;

  test("customers are counted from the sign-up to the first successful request, and when they stop", async () => {
    await setPortal(client, { signUp: "approval" });
    expect(await funnel()).toEqual({ signedUp: 0, createdKey: 0, succeeded: 0, active: 0, stopped: 0, data: [] });
    const deployed = await deploy(server, { project: "weather", branch: "main" }, project);
    const names = {
      none: await signUp("none@a.example"),
      key: await signUp("key@a.example"),
      used: await signUp("used@a.example"),
    };
    const failing = await keyOf(names.key);
    const working = await keyOf(names.used);
    const call = async (path: string, key: string) =>
      (await deployed.call(path, { headers: { authorization: `Bearer ${key}` } })).status;
    expect(await call("/broken", failing)).toBe(500);
    expect(await call("/ok", working)).toBe(200);
    await until(async () => (await funnel()).succeeded === 1);
    const today = new Date(Math.floor(clock.now() / day) * day).toISOString();
    const counted = await funnel();
    expect(counted).toMatchObject({ signedUp: 3, createdKey: 2, succeeded: 1, active: 1, stopped: 0 });
    expect(counted.data).toMatchObject([
      {
        consumerName: names.used,
        email: "used@a.example",
        stage: "active",
        firstSuccessOn: today,
        lastSuccessOn: today,
      },
      { consumerName: names.key, stage: "key-created" },
      { consumerName: names.none, name: "none", stage: "signed-up" },
    ]);
    expect(counted.data[1].firstSuccessOn).toBeUndefined();
    expect((await funnel("?stage=key-created")).data).toHaveLength(1);
    // A customer who deleted the key after a success had created one.
    const [{ id }] = (await client.get(`${consumers}/${names.used}/keys`)).body.data;
    expect((await client.delete(`${consumers}/${names.used}/keys/${id}`)).status).toBe(204);
    expect(await funnel()).toMatchObject({ signedUp: 3, createdKey: 2, succeeded: 1 });
    clock.advance(31 * day);
    const later = await funnel("?stage=stopped");
    expect(later).toMatchObject({ signedUp: 3, active: 0, stopped: 1, data: [{ consumerName: names.used }] });
    await client.delete(`${consumers}/${names.none}`);
    expect((await funnel()).signedUp).toBe(2);
  });

  test("a stage that does not exist is rejected, and so are other accounts and portals that do not exist", async () => {
    await setPortal(client);
    expectProblem(await client.get(`${portalPath()}/funnel?stage=gone`), 400, "validation_failed");
    expectProblem(await client.get(`${portalPath("none")}/funnel`), 404, "not_found");
    expectProblem(await client.get(`${portalPath("main", "another")}/funnel`), 404, "not_found");
    expectProblem(await client.anonymous().get(`${portalPath()}/funnel`), 401, "unauthenticated");
  });
});
