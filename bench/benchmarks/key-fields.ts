import { startRival } from "../child-process.ts";
import { bucketPath } from "../dataset.ts";
import { deploy, openApiOf } from "../deployment.ts";
import { createKey } from "../guarded.ts";
import { load, takeTurns, usualTurn } from "../measure.ts";
import { atMost, comparisonRow, type Row } from "../row.ts";
import { adminToken } from "../server.ts";
import type { Workspace } from "../workspace.ts";

const plentiful = 1_000_000_000;
/** Many short rounds: the fields cost about one percent, less than a median of eleven varies on a busy machine. */
const rounds = { warmRounds: 2, rounds: 41 };
const turn = { ...usualTurn, seconds: 0.5 };

/** Every field that a request is checked against. */
const allFields = {
  isEnabled: true,
  permissions: ["invoices:read", "orders:*", "reports:read"],
  allowedIps: ["192.0.2.0/24", "2001:db8::/32", "127.0.0.0/8", "::1"],
  rateLimit: { requests: plentiful, windowSeconds: 60 },
  metadata: { environment: "production" },
};

/** The CPU cost of a key's fields at use: a key with all fields against one without any. */
export async function keyFields(workspace: Workspace): Promise<Row[]> {
  await using upstream = await startRival("bench/rivals/fixed-bytes-server.ts", ["1000"]);
  await using server = await workspace.startServer(workspace.newDirectory("key-fields"));
  const plain = await createKey(server, "plain", {});
  const ruled = await createKey(server, "ruled", allFields);

  const verify = (key: string) => () =>
    load(server, {
      ...turn,
      method: "POST",
      path: `${bucketPath}/verify-key`,
      token: adminToken,
      body: JSON.stringify({ key, ip: "127.0.0.1" }),
    });
  const verified = await takeTurns("key-fields, verify-key", rounds, { ruled: verify(ruled), plain: verify(plain) });

  const { host } = await deploy(server, "bench", {
    "openapi.json": openApiOf({ "/guarded": { policies: ["key"] } }),
    "tollgate.json": {
      upstream: `http://127.0.0.1:${upstream.port}`,
      policies: { key: { type: "api-key", options: { bucket: "bench" } } },
    },
  });
  const forward = (token: string) => () => load(server, { ...turn, method: "GET", path: "/guarded", host, token });
  const forwarded = await takeTurns("key-fields, gateway", rounds, { ruled: forward(ruled), plain: forward(plain) });

  const explanation =
    "CPU time of a key with permissions, addresses, a rate limit and metadata, against that of a key with none of them.";
  const words = (what: string) => ({ what, against: "a plain key", againstOurselves: true, explanation });
  return [
    comparisonRow(words("verify-key, all fields"), atMost(1.05), verified.ruled, verified.plain, "cpuMicroseconds"),
    comparisonRow(
      words("forward with api-key, all fields"),
      atMost(1.05),
      forwarded.ruled,
      forwarded.plain,
      "cpuMicroseconds",
    ),
  ];
}
