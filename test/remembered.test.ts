import { afterAll, beforeAll, expect, test } from "bun:test";
import { SQL } from "bun";
import { useDns } from "./support/domains.ts";
import { proxiedPostgres } from "./support/postgres-proxy.ts";
import { changeBy, remembered } from "./support/remembered.ts";
import { startServer, type TestServer, useServer } from "./support/server.ts";
import { until } from "./support/until.ts";
import { echoUpstream } from "./support/versioned-project.ts";

const engine = proxiedPostgres();
const { dns, environment } = useDns({ TOLLGATE_EGRESS: "any", TOLLGATE_GATEWAY_URL: "http://{name}.apis.example.com" });
const node = useServer(engine, { environment });
const upstream = echoUpstream();
let other: TestServer;
let database: SQL;

beforeAll(async () => {
  other = await startServer(engine, { environment, database: node.database, clock: node.clock });
  database = new SQL(node.database.environment.DATABASE_URL!, { max: 1 });
});
afterAll(async () => {
  await database.close();
  await other.stop();
  await upstream.stop(true);
});

test.each(Object.entries(remembered))(
  "%s: a node that loses the response to COMMIT does not use cached data",
  async (_, prepare) => {
    const { kind, change, look, before, after } = await prepare({ node, dns, upstream });
    for (let round = 0; round < 2; round++) expect(await look()).toEqual(before);
    const lost = engine.proxy.lostResponses;
    engine.proxy.loseNextCommit(`"${kind}"`);
    const { status, body } = await change(node.client);
    expect([engine.proxy.lostResponses - lost, status, body.code]).toEqual([1, 503, "storage_unavailable"]);
    await until(async () => Bun.deepEquals(await look(), after), { what: `${JSON.stringify(after)} to show` });
  },
);

test("a node that is far behind drops its caches and is current at once", async () => {
  const scenes = await Promise.all(Object.values(remembered).map((prepare) => prepare({ node, dns, upstream })));
  for (const { look, before } of scenes) expect(await look()).toEqual(before);
  const { id } = (await node.client.post("/v1/accounts/default/tokens", { role: "reader" })).body;
  const [{ origin }] = await database`SELECT origin FROM changes WHERE subject = ${id}`;
  // A node skips its own changes in the feed, so it does not see these.
  await database.unsafe(`CREATE FUNCTION disguise() RETURNS trigger LANGUAGE plpgsql AS
    $$ BEGIN NEW.origin = '${origin}'; RETURN NEW; END $$`);
  await database.unsafe(`CREATE TRIGGER disguise BEFORE INSERT ON changes FOR EACH ROW
    WHEN (NEW.actor <> 'backlog') EXECUTE FUNCTION disguise()`);
  for (const scene of scenes) await changeBy(other.client, scene);
  // Changes that apply however late the node is.
  for (const { kind, look, before } of scenes)
    if (kind === "variable.updated" || kind === "domain.deleted") expect(await look()).toEqual(before);
  await database.unsafe(`INSERT INTO changes (at, origin, actor, kind, subject)
    SELECT 1, 'another', 'backlog', 'test', 'test' FROM generate_series(1, 20001)`);
  for (const { look, after } of scenes)
    await until(async () => Bun.deepEquals(await look(), after), { what: `${JSON.stringify(after)} to show` });
  expect(await (await fetch(`${node.url}/readyz`)).json()).toMatchObject({ status: "ready", feed: "fresh" });
});
