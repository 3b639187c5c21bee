import { expect, test } from "bun:test";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { useCli } from "../../test/support/use-cli.ts";
import type { ListedPortal, OAuthClient, Portal, PortalHandoff } from "../client/index.ts";

const bench = useCli();

const png = "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==";

test("a portal is set, changed in part, listed, entered, viewed and deleted", async () => {
  const { cli, client } = bench;
  await client.consumers("main").create({ name: "acme" });
  const untitled = await cli.run("portal set --key-limit 3");
  expect([untitled.status, untitled.stderr]).toEqual([2, expect.stringContaining("A new portal needs a title.")]);

  const created = await cli.json<Portal>(["portal", "set", "--title", "Acme Weather"]);
  expect(created).toMatchObject({ title: "Acme Weather", keyLimit: 10, isEnabled: true });
  writeFileSync(join(cli.folder, "logo.png"), Buffer.from(png, "base64"));
  const words = ["portal", "set", "--logo", "logo.png", "--key-limit", "3", "--link", "Status=https://status.example/"];
  const changed = await cli.json<Portal>([...words, "--return-origin", "https://app.example"]);
  expect(changed).toMatchObject({
    id: created.id,
    title: "Acme Weather",
    keyLimit: 3,
    logo: `data:image/png;base64,${png}`,
    links: [{ label: "Status", url: "https://status.example/" }],
    returnOrigins: ["https://app.example"],
  });
  const cleared = await cli.json<Portal>(["portal", "set", "--clear", "logo", "--clear", "links"]);
  expect(cleared).toMatchObject({ title: "Acme Weather", keyLimit: 3 });
  expect([cleared.logo, cleared.links]).toEqual([undefined, undefined]);
  expect((await cli.run("portal set")).stderr).toContain("There is nothing to change.");
  const unknown = await cli.run("portal set --deployment http://nowhere.localhost:1");
  expect([unknown.status, unknown.stderr]).toEqual([2, expect.stringContaining("No deployment has the address http")]);
  const unreadable = await cli.run("portal set --logo missing.png");
  expect([unreadable.status, unreadable.stderr]).toEqual([2, expect.stringContaining("missing.png cannot be read.")]);

  const shown = await cli.run("portal show");
  expect(shown.stdout).toContain(created.url);
  expect(shown.stdout).not.toContain("base64");
  const { data } = await cli.json<{ data: ListedPortal[] }>(["portal", "list"]);
  expect(data).toMatchObject([{ bucketName: "main", url: created.url }]);

  const entered = await cli.json<PortalHandoff>(["portal", "hand-off", "acme", "--subject", "jo@acme.example"]);
  expect(entered.url).toStartWith(`${created.url}/sign-in#code=tgh_`);
  const viewed = await cli.run("portal view acme");
  expect(viewed.stdout).toStartWith(`${created.url}/sign-in#code=tgh_`);
  expect(viewed.stderr).toContain("It works once");

  expect((await cli.run("portal delete --yes")).status).toBe(0);
  expect((await cli.run("portal show")).status).toBe(1);
});

test("an identity provider is set with its secret from standard input, kept, and cleared", async () => {
  const { cli } = bench;
  const words = ["portal", "set", "--title", "Acme", "--oidc-issuer", "https://id.acme.example"];
  const incomplete = await cli.run(words);
  expect([incomplete.status, incomplete.stderr]).toEqual([2, expect.stringContaining("must be set together")]);
  const withClient = [...words, "--oidc-client-id", "portal"];
  const empty = await cli.run(withClient);
  expect([empty.status, empty.stderr]).toEqual([2, expect.stringContaining("There is no client secret")]);
  const set = await cli.json<Portal>(withClient, { stdin: "a secret value\n" });
  expect(set.oidc).toEqual({ issuer: "https://id.acme.example", clientId: "portal" });
  expect(await cli.json<Portal>("portal set --key-limit 5")).toMatchObject({ keyLimit: 5, oidc: set.oidc! });
  expect((await cli.run("portal show")).stdout).toContain("https://id.acme.example (client portal)");
  expect((await cli.json<Portal>("portal set --clear oidc")).oidc).toBeUndefined();
  expect((await cli.run("portal delete --yes")).status).toBe(0);
});

test("portal set, diff and apply show what is missing before plans can be bought", async () => {
  const { cli, client } = bench;
  const missing = "Plans with a price cannot be bought yet: the account has no billing profile.";
  await client.consumers("main").create({ name: "sold" });
  const price = { currency: "EUR", amount: "30.00", interval: "month" };
  const plan = { label: "Gold", meters: { requests: { max: 100 } }, price, isPublic: true };
  const file = { version: 1, meteringBuckets: { sold: {} }, plans: { sold: { gold: plan } } };
  writeFileSync(join(cli.folder, "tollgate.yaml"), JSON.stringify(file));
  expect((await cli.run("diff")).stdout).toContain(missing);
  expect((await cli.run("apply --yes")).stdout).toContain(missing);
  const set = await cli.run(["portal", "set", "--title", "Acme", "--metering-bucket", "sold"]);
  expect([set.status, set.stderr]).toEqual([0, expect.stringContaining(`warning: ${missing}`)]);
  // What is shown is not sent back.
  expect((await cli.run("portal set --key-limit 3")).status).toBe(0);
  const address = ["--address", "line1=Hauptstr. 1", "--address", "country=DE"];
  await cli.run(["billing", "set", "--legal-name", "Seller", ...address, "--number-prefix", "S-"]);
  await cli.run("billing set-provider --type manual");
  expect((await cli.run("portal show")).stderr).not.toContain("warning");
});

test("OAuth: settings, clients and authorizations", async () => {
  const { cli, client } = bench;
  await client.consumers("main").create({ name: "programs" });
  const set = await cli.json<Portal>(["portal", "set", "--title", "Acme", "--oauth", "true", "--refresh-days", "7"]);
  const defaults = { isEnabled: true, registration: "closed", accessTokenMinutes: 15 };
  expect(set.oauth as unknown).toEqual({ ...defaults, refreshDays: 7 });
  const open = await cli.json<Portal>("portal set --oauth-registration open --access-token-minutes 5");
  expect(open.oauth as unknown).toEqual({ ...defaults, registration: "open", accessTokenMinutes: 5, refreshDays: 7 });
  expect((await cli.run("portal show")).stdout).toContain("on (registration open)");

  const words = ["clients", "create", "Weather CLI"];
  const missing = await cli.run(words);
  expect([missing.status, missing.stderr]).toEqual([2, expect.stringContaining("needs a redirect address")]);
  const created = await cli.json<OAuthClient>([...words, "--redirect-uri", "http://127.0.0.1/callback"]);
  expect(created).toMatchObject({ type: "registered", redirectUris: ["http://127.0.0.1/callback"] });
  expect((await cli.json<{ data: OAuthClient[] }>("clients list")).data).toEqual([created]);
  expect(await cli.json<OAuthClient>(["clients", "update", created.id, "--name", "Weather"])).toMatchObject({
    name: "Weather",
    redirectUris: created.redirectUris,
  });
  expect((await cli.run(["clients", "show", created.id])).stdout).toContain("http://127.0.0.1/callback");
  expect(await cli.json<object>("authorizations list --consumer programs")).toMatchObject({ data: [], total: 0 });
  expect((await cli.run("authorizations show auth_unknown")).status).toBe(1);
  expect((await cli.run("authorizations end auth_unknown --yes")).status).toBe(1);
  expect((await cli.run("portal rotate-oauth-key")).stdout.trim()).toMatch(/^[\w-]{43}$/);
  expect((await cli.run(["clients", "delete", created.id, "--yes"])).status).toBe(0);
  expect(await cli.json<object>("clients list")).toMatchObject({ data: [] });
  expect((await cli.json<Portal>("portal set --clear oauth")).oauth).toBeUndefined();
  expect((await cli.run("portal delete --yes")).status).toBe(0);
});
