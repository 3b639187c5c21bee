import { beforeAll, describe, expect, test } from "bun:test";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { installProgram } from "../../test/support/cli.ts";
import { commandsIn, runPasted } from "../../test/support/pasted-commands.ts";
import { adminToken } from "../../test/support/server-settings.ts";
import { useCli } from "../../test/support/use-cli.ts";
import { useWebhookReceiver } from "../../test/support/webhook-receiver.ts";
import { signatures } from "../lib/crypto/standard-webhooks.ts";

const bench = useCli();
const receiver = useWebhookReceiver();

test("every command from creation to deletion", async () => {
  const { cli, client } = bench;
  const created = await cli.json<{ id: string; secret: string }>(
    `webhooks create ${receiver.url()} --event key.* --description CRM`,
  );
  expect(created).toMatchObject({ events: ["key.*"], description: "CRM", isEnabled: true });
  expect((await cli.run("webhooks list")).stdout).toContain(created.id);
  expect((await cli.run(`webhooks show ${created.id}`)).stdout).toContain("key.*");

  const tested = await cli.run(`webhooks test ${created.id}`);
  expect(tested).toMatchObject({ status: 0, stdout: expect.stringContaining("Attempt 1") });
  receiver.respond = () => new Response("busy", { status: 503 });
  const failing = await cli.run(`webhooks test ${created.id}`);
  expect(failing).toMatchObject({ status: 1, stdout: expect.stringContaining("503") });
  receiver.respond = () => new Response();

  const { data } = await cli.json<{ data: { id: string }[] }>(`webhooks deliveries ${created.id} --status pending`);
  expect(data).toHaveLength(1);
  expect(await cli.run(`webhooks retry ${created.id} ${data[0]!.id}`)).toMatchObject({ status: 0 });
  const one = await cli.run(`webhooks deliveries ${created.id} ${data[0]!.id}`);
  expect(one.stdout).toMatch(/webhook\.test[\s\S]*Attempt 1[\s\S]*busy[\s\S]*Attempt 2/);
  expect(await cli.json(`webhooks replay ${created.id} --from -1h --to now`)).toEqual({ deliveries: 0 });

  const rotated = await cli.json<{ secret: string }>(`webhooks rotate-secret ${created.id} --grace-seconds 0`);
  expect(rotated.secret).not.toBe(created.secret);
  await cli.run(`webhooks update ${created.id} --enabled false --clear description`);
  expect(await client.webhooks.get(created.id)).not.toHaveProperty("description");
  expect((await cli.run(`webhooks test ${created.id}`)).stderr).toContain("disabled");
  await cli.run(`webhooks delete ${created.id} --yes`);
  expect((await cli.json<{ total: number }>("webhooks list")).total).toBe(0);
});

test("listen verifies, prints and forwards messages, and rejects unsigned ones", async () => {
  const secret = "whsec_MfKQ9r8GKYqrTwjUPD8ILJPZIo2LaLaSw0123456789=";
  const child = bench.cli.start(
    ["webhooks", "listen", "--port", "0", "--json", "--secret", secret, "--forward", receiver.url("/forwarded")],
    { environment: bench.cli.anonymous },
  );
  const stderr = child.stderr.getReader();
  let noted = "";
  while (!noted.includes("Ctrl-C")) noted += new TextDecoder().decode((await stderr.read()).value);
  const url = /http:\/\/127\.0\.0\.1:\d+/.exec(noted)![0];
  const body = '{"type":"key.rolled","data":{}}';
  const now = Math.floor(Date.now() / 1000);
  const headers = { "webhook-id": "msg_1", "webhook-timestamp": String(now) };
  const good = signatures([secret], "msg_1", now, body);
  receiver.received.length = 0;
  receiver.respond = () => new Response(null, { status: 202 });
  const post = (signature: string) =>
    fetch(url, { method: "POST", body, headers: { ...headers, "webhook-signature": signature } });
  expect((await post(good)).status).toBe(202);
  expect((await post("v1,wrong")).status).toBe(401);
  expect((await fetch(url)).status).toBe(405);
  expect(receiver.received).toMatchObject([{ path: "/forwarded", id: "msg_1", signature: good, body }]);
  // Ctrl-C arrives twice: from the terminal and from the launcher.
  child.kill("SIGINT");
  child.kill("SIGINT");
  const [output, status] = await Promise.all([child.stdout.text(), child.exited]);
  expect(status).toBe(0);
  const lines = output
    .trim()
    .split("\n")
    .map((line) => JSON.parse(line));
  expect(lines).toMatchObject([
    { id: "msg_1", isVerified: true, status: 202, message: { type: "key.rolled" } },
    { id: "msg_1", isVerified: false, status: 401, error: expect.stringContaining("no signature") },
  ]);
});

test("listen rejects options that cannot work", async () => {
  const { cli } = bench;
  const { port } = new URL(receiver.url());
  const rejected: [options: string, error: string][] = [
    [
      "--secret hook_0QGzNqW81Kx8VhTb3mPcRdZu",
      "--secret is not a webhook secret (whsec_…, shown when the webhook was created)",
    ],
    ["--forward localhost:3000", "--forward must be an address that begins with http:// or https://."],
    ["--port 70000", '--port must be a port from 0 to 65535, not "70000"'],
    ["--port -1", '--port must be a port from 0 to 65535, not "-1"'],
  ];
  for (const [options, error] of rejected)
    expect(await cli.run(`webhooks listen ${options}`)).toMatchObject({
      status: 2,
      stderr: expect.stringContaining(error),
    });
  expect(await cli.runProcess(`webhooks listen --port ${port}`)).toMatchObject({
    status: 2,
    stderr: expect.stringContaining(`Port ${port} is in use by another program`),
  });
});

describe("docs/webhooks.md", () => {
  let bin: string;
  beforeAll(async () => {
    bin = await installProgram(bench.cli.folder);
  });

  test("its commands work as pasted, and print the documented output", async () => {
    const text = readFileSync(join(import.meta.dir, "../../docs/webhooks.md"), "utf8");
    // Another test's server may listen at the port of the document.
    const port = String(20_000 + (process.pid % 20_000));
    const shown = await runPasted(commandsIn(text.replaceAll("8799", port)), {
      cwd: bench.cli.folder,
      env: {
        ...bench.cli.anonymous,
        PATH: `${bin}:${process.env.PATH}`,
        TOLLGATE_URL: bench.server.url,
        TOLLGATE_TOKEN: adminToken,
      },
      before: "trap 'kill $LISTENER 2>/dev/null || true' EXIT\nexec 2>&1",
    });
    expect(shown[0]).toMatch(/Status +succeeded[\s\S]*Attempt 1/);
    expect(shown[1]).toMatch(/webhook\.test msg_\w+ verified → 204[\s\S]*consumer\.created msg_\w+ verified → 204/);
    expect(shown[2]).toMatch(/consumer\.created[\s\S]*queued[\s\S]*Events +\*[\s\S]*whsec_[\s\S]*Deleted the webhook/);
  });
});
