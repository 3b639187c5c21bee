import { startRival } from "../child-process.ts";
import { bucketPath } from "../dataset.ts";
import { type Deployed, deploy, openApiOf } from "../deployment.ts";
import { createKey } from "../guarded.ts";
import { load, takeTurns, usualTurn } from "../measure.ts";
import { atMost, comparisonRow, type Row } from "../row.ts";
import { call, type RunningServer } from "../server.ts";
import type { Workspace } from "../workspace.ts";

const customer = "plain";

/** The CPU cost of an access token at the gateway: against a key, on the same route. */
export async function oauth(workspace: Workspace): Promise<Row[]> {
  await using upstream = await startRival("bench/rivals/fixed-bytes-server.ts", ["1000"]);
  await using server = await workspace.startServer(workspace.newDirectory("oauth"));
  const key = await createKey(server, customer, {});
  const deployed = await deploy(server, "bench", {
    "openapi.json": openApiOf({ "/guarded": { policies: ["key"] } }),
    "tollgate.json": {
      upstream: `http://127.0.0.1:${upstream.port}`,
      policies: { key: { type: "api-key", options: { bucket: "bench", oauth: true } } },
    },
  });
  const token = await accessToken(server, deployed);
  const { host } = deployed;
  const forward = (credential: string) => () =>
    load(server, { ...usualTurn, method: "GET", path: "/guarded", host, token: credential });
  const turns = await takeTurns("oauth", { warmRounds: 2, rounds: 21 }, { token: forward(token), key: forward(key) });
  return [
    comparisonRow(
      {
        what: "forward with an access token",
        against: "a key",
        againstOurselves: true,
        explanation: "CPU time of a request with an access token of the portal, against one with a key.",
      },
      atMost(1.3),
      turns.token,
      turns.key,
      "cpuMicroseconds",
    ),
  ];
}

/** The token of a service client that the customer creates in the portal. */
async function accessToken(server: RunningServer, { name }: Deployed): Promise<string> {
  const portalPath = `${bucketPath}/portal`;
  const settings = { title: "Bench", deployments: [name], oauth: { isEnabled: true } };
  const { url } = await call<{ url: string }>(server, "PUT", portalPath, settings);
  const session = { consumerName: customer, subject: "bench", scopes: ["keys:read", "keys:write"] };
  const handOff = await call<{ url: string }>(server, "POST", `${portalPath}/sessions`, session);
  const code = new URLSearchParams(new URL(handOff.url).hash.slice(1)).get("code");
  const send = async (path: string, headers: Record<string, string>, body: string | URLSearchParams) => {
    const response = await fetch(`http://127.0.0.1:${server.port}${path}`, {
      method: "POST",
      headers: { host: new URL(url).host, origin: url, ...headers },
      body,
    });
    if (!response.ok) throw new Error(`${path} was rejected: ${await response.text()}`);
    return response;
  };
  const json = { "content-type": "application/json" };
  const signedIn = await send("/portal/api/session", json, JSON.stringify({ code }));
  const cookie = signedIn.headers.get("set-cookie")!.split(";")[0]!;
  const created = await send("/portal/api/oauth-clients", { ...json, cookie }, JSON.stringify({ name: "Bench" }));
  const { clientId, clientSecret } = (await created.json()) as { clientId: string; clientSecret: string };
  const credentials = { client_id: clientId, client_secret: clientSecret };
  const form = new URLSearchParams({ grant_type: "client_credentials", ...credentials });
  const issued = await send("/oauth/token", {}, form);
  return ((await issued.json()) as { access_token: string }).access_token;
}
