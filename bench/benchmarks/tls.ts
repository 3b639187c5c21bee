import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { makeCertificate } from "../../test/support/certificates.ts";
import { startRival } from "../child-process.ts";
import { deploy, openApiOf } from "../deployment.ts";
import { handshakes } from "../handshakes.ts";
import type { LoadedServer } from "../load-plan.ts";
import { takeTurns } from "../measure.ts";
import { findOrInstallNginx, howToGetNginx, startNginxProxy } from "../nginx.ts";
import { comparisonRow, forInformation, notMeasuredRow, type Row, type RowWords } from "../row.ts";
import { adminToken } from "../server.ts";
import type { Workspace } from "../workspace.ts";
import { findOrInstallWrk, howToGetWrk, loadWithWrk } from "../wrk/wrk.ts";

const responseBytes = 1_000;
const path = "/things";
const against = "one nginx worker with TLS, proxy_pass";

const words = {
  forward: {
    what: "forward over TLS",
    against,
    explanation:
      "Responses of 1 kB over keep-alive connections, without policies; Tollgate also counts and logs each request.",
  },
  forwardCpu: {
    what: "forward over TLS: CPU",
    against,
    explanation: "CPU time of all processes of the server for one such request.",
  },
  handshake: {
    what: "TLS handshake: CPU",
    against,
    explanation: "CPU time of a full handshake (TLS 1.2, P-256) with its connection; no request follows.",
  },
  resumed: {
    what: "TLS handshake, resumed: CPU",
    against,
    explanation: "The same with the session of an earlier connection.",
  },
} satisfies Record<string, RowWords>;

/** Forwarding and handshakes with TLS, against nginx with the same certificate. */
export async function tls(workspace: Workspace): Promise<Row[]> {
  const nginx = await findOrInstallNginx();
  const missing = nginx ? ((await findOrInstallWrk()) ? undefined : howToGetWrk) : howToGetNginx;
  if (!nginx || missing !== undefined)
    return Object.values(words).map((each) => notMeasuredRow(each, forInformation, missing ?? howToGetNginx));

  const certificate = writeCertificate(workspace.newDirectory("certificate"));
  await using upstream = await startRival("bench/rivals/fixed-bytes-server.ts", [String(responseBytes)]);
  const directory = workspace.newDirectory("tls");
  const host = await prepare(workspace, directory, upstream.port);
  await using server = await workspace.startServer(directory, {
    TOLLGATE_TLS_CERT: certificate.certificate,
    TOLLGATE_TLS_KEY: certificate.key,
    // wrk names the address in the handshake and not the Host of its requests, which is 421 from other clients.
    TOLLGATE_TRUSTED_PROXIES: "loopback",
  });
  const folder = workspace.newDirectory("nginx");
  await using rival = await startNginxProxy(nginx, folder, { upstreamPort: upstream.port, tls: certificate });

  const forward = (loaded: LoadedServer) => () =>
    loadWithWrk(loaded, { connections: 64, seconds: 2, token: adminToken, path, host, hasTls: true });
  const turns = await takeTurns(
    "tls",
    { warmRounds: 2, rounds: 5 },
    {
      ours: forward(server),
      theirs: forward(rival),
      ourHandshakes: () => handshakes(server, "new"),
      theirHandshakes: () => handshakes(rival, "new"),
      ourResumed: () => handshakes(server, "reuse"),
      theirResumed: () => handshakes(rival, "reuse"),
    },
  );
  return [
    comparisonRow(words.forward, forInformation, turns.ours, turns.theirs),
    comparisonRow(words.forwardCpu, forInformation, turns.ours, turns.theirs, "cpuMicroseconds"),
    comparisonRow(words.handshake, forInformation, turns.ourHandshakes, turns.theirHandshakes, "cpuMicroseconds"),
    comparisonRow(words.resumed, forInformation, turns.ourResumed, turns.theirResumed, "cpuMicroseconds"),
  ];
}

/** Deploys over plain HTTP, which the preparation code uses, and returns the deployment's host. */
async function prepare(workspace: Workspace, directory: string, upstreamPort: number): Promise<string> {
  await using server = await workspace.startServer(directory);
  const files = {
    "openapi.json": openApiOf({ [path]: {} }),
    "tollgate.json": { upstream: `http://127.0.0.1:${upstreamPort}` },
  };
  return (await deploy(server, "bench", files)).host;
}

function writeCertificate(folder: string): { certificate: string; key: string } {
  mkdirSync(folder, { recursive: true });
  const { certificate, key } = makeCertificate(["localhost", "127.0.0.1"]);
  const paths = { certificate: join(folder, "certificate.pem"), key: join(folder, "key.pem") };
  writeFileSync(paths.certificate, certificate);
  writeFileSync(paths.key, key);
  return paths;
}
