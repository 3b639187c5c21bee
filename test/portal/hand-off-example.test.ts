import { expect, test } from "bun:test";
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { sqlite } from "../support/engines.ts";
import { freePort } from "../support/free-port.ts";
import { codeIn, PortalBrowser, setPortal } from "../support/portal.ts";
import { useServer } from "../support/server.ts";
import { account, adminToken } from "../support/server-settings.ts";
import { temporaryFolder } from "../support/temporary-folder.ts";
import { until } from "../support/until.ts";

const server = useServer(sqlite);

test("the backend in docs/portal.md hands its user over to the portal, in 20 lines", async () => {
  const page = readFileSync(join(import.meta.dir, "../../docs/portal.md"), "utf8");
  const code = /```js\n([\s\S]*?)```/.exec(page)![1]!;
  expect(code.split("\n").filter((line) => line.trim() !== "").length).toBeLessThanOrEqual(21);
  const { client } = server;
  await client.post(`/v1/accounts/${account}/key-buckets/main/consumers`, { name: "acme" });
  const { url } = await setPortal(client);
  const folder = await temporaryFolder("hand-off");
  writeFileSync(join(folder.path, "backend.mjs"), code);
  const signIn = 'export const signedInUser = ({ headers }) => headers.cookie && { id: "user-1", customer: "acme" };';
  writeFileSync(join(folder.path, "your-own-sign-in.js"), signIn);
  writeFileSync(join(folder.path, "package.json"), '{"type": "module"}');
  const port = await freePort();
  const backend = Bun.spawn(["node", "backend.mjs"], {
    cwd: folder.path,
    env: {
      ...process.env,
      TOLLGATE_URL: server.url,
      TOLLGATE_TOKEN: adminToken,
      TOLLGATE_ACCOUNT: account,
      PORT: String(port),
    },
  });
  try {
    const open = (headers: Record<string, string>) =>
      fetch(`http://127.0.0.1:${port}/api-keys`, { headers, redirect: "manual" }).catch(() => undefined);
    const redirect = await until(() => open({ cookie: "session=1" }), { what: () => "the backend" });
    expect(redirect.status).toBe(302);
    const browser = new PortalBrowser(server, url);
    const { body } = await browser.signIn(codeIn(redirect.headers.get("location")!));
    expect(body).toMatchObject({ consumer: { name: "acme" }, subject: "user-1" });
    expect((await open({}))!.status).toBe(404);
  } finally {
    backend.kill();
    await backend.exited;
    await folder.remove();
  }
});
