import type { Database } from "../../test/support/engines.ts";
import { runSql } from "../../test/support/run-sql.ts";
import type { SpawnedServer } from "../../test/support/spawned-server.ts";
import { expectStatus } from "../expect-status.ts";
import type { World } from "../world.ts";
import type { LimitRequest } from "./limits.ts";

const hour = 3_600_000;
const routes = 60;
const hours = 31 * 24;

/**
 * Stores traffic of a month by hour with 60 routes each, and a thousand requests whose policies recorded 8 kB each, for
 * the deployment of an account; signs in a hundred times. Returns the requests that read it.
 */
export async function trafficAtTheLimits(
  { client, url }: SpawnedServer,
  database: Database,
  { account, parameters, tokens }: World,
): Promise<LimitRequest[]> {
  const deployment = `(SELECT seq FROM deployments WHERE name = '${parameters.deploymentName}')`;
  const ofAccount = `(SELECT seq FROM accounts WHERE name = '${account}')`;
  const now = Date.now() - (Date.now() % hour);
  // The histogram has one value in each of two buckets.
  for (const [detail, some] of [
    [0, 1],
    [1, routes],
  ])
    await runSql(
      database,
      `WITH RECURSIVE hour(n) AS (SELECT 0 UNION ALL SELECT n + 1 FROM hour WHERE n < ${hours}),
        route(n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM route WHERE n < ${some})
      INSERT OR IGNORE INTO traffic (step, time, detail, account_seq, deployment_seq, version, route, status, consumer,
        requests, rejected, errors, observed, bytes_in, bytes_out, latency)
      SELECT ${hour}, ${now} - hour.n * ${hour}, ${detail}, ${ofAccount}, ${deployment}, 1,
        ${detail === 0 ? "''" : "'/things/' || route.n"}, 200, '', ${routes} / ${some}, 0, 0, 0, 100, 100, x'0a010501' FROM hour, route`,
    );
  const decision = `json('{"policy":"p","type":"handler","ms":1,"outcome":"rejected","detail":{"reason":"code","message":"${"m".repeat(8_000)}"}}')`;
  await runSql(
    database,
    `WITH RECURSIVE number(n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM number WHERE n < 1000)
    INSERT INTO requests (id, account_seq, deployment_seq, version_seq, is_failure, time, status, method, path, route, consumer,
      request_id, entry, bytes)
    SELECT printf('req_1%023d', number.n), account_seq, deployment_seq, version_seq, 1, time, 500, method, path, route, consumer,
      request_id || number.n, json_set(entry, '$.decisions', json_array(${decision})), 8300
    FROM number, (SELECT * FROM requests WHERE account_seq = ${ofAccount} LIMIT 1)`,
  );
  for (let count = 0; count < 100; count++)
    expectStatus(
      await client.anonymous().post("/v1/sessions", { token: tokens.admin }, { origin: url }),
      [200],
      "a session",
    );

  const get = (name: string, path: string): LimitRequest => ({ name, path, method: "GET", token: tokens.admin });
  const ofDeployment = `/v1/deployments/${parameters.deploymentName}`;
  const month = `from=${new Date(now - hours * hour).toISOString()}&step=1h`;
  return [
    get("getDeploymentAnalytics, 45,000 points", `${ofDeployment}/analytics?${month}&by=route&limit=${routes}`),
    get("getAccountAnalytics, 45,000 points", `/v1/accounts/${account}/analytics?${month}&by=route&limit=${routes}`),
    get("getAccountAnalytics, one series", `/v1/accounts/${account}/analytics?${month}`),
    get("listRequests, 1,000 of 8 kB", `/v1/accounts/${account}/requests?limit=1000`),
    get("listDeploymentRequests, no match", `${ofDeployment}/requests?limit=1000&q=nothing`),
    get("listSessions, 100", "/v1/sessions"),
  ];
}
