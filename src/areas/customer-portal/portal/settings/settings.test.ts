import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { callerWithRole, strangerOf } from "../../../../../test/support/callers.ts";
import { domainsPath, settledDomain, useDns } from "../../../../../test/support/domains.ts";
import { casesFor, eachEngine } from "../../../../../test/support/engines.ts";
import { expectProblem } from "../../../../../test/support/expect-problem.ts";
import { PortalBrowser, portalPath, setPortal } from "../../../../../test/support/portal.ts";
import { deploy } from "../../../../../test/support/project.ts";
import { useServer } from "../../../../../test/support/server.ts";
import { account } from "../../../../../test/support/server-settings.ts";
import { holdText, tableContent, tableNames } from "../../../../../test/support/table-content.ts";
import { echoUpstream, versionOf } from "../../../../../test/support/versioned-project.ts";
import { accentColors, contrast, parse } from "./accent.ts";

const upstream = echoUpstream();
afterAll(() => upstream.stop(true));

const png = Buffer.from(
  "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==",
  "base64",
);
const logo = `data:image/png;base64,${png.toString("base64")}`;

const issuer = "https://id.acme.example";
const clientId = "portal";
const clientSecret = "a secret of the settings test";

eachEngine((engine) => {
  const { dns, environment } = useDns({ TOLLGATE_EGRESS: "any" });
  const server = useServer(engine, { environment });
  const { client } = server;
  const path = portalPath();
  let deployment: string;
  let meteringBucket: string;

  beforeAll(async () => {
    await client.post(`/v1/accounts/${account}/key-buckets`, { name: "main" });
    deployment = (await deploy(server, { project: "shop", branch: "main" }, versionOf(upstream, "one"))).name;
    meteringBucket = (await client.post("/v1/metering")).body.id;
  });

  test("a portal is created with defaults, replaced as a whole, read and deleted", async () => {
    expectProblem(await client.get(path), 404, "not_found");
    const created = await setPortal(client);
    expect(created).toEqual({
      id: expect.stringMatching(/^prtl_\w{24}$/),
      isEnabled: true,
      title: "Weather",
      deployments: [],
      signUp: "closed",
      keyLimit: 10,
      isReferencePublic: false,
      url: expect.stringMatching(/^http:\/\/main-[0-9a-f]{7}\.portal\.localhost:\d+$/),
      createdOn: expect.any(String),
      updatedOn: expect.any(String),
    });
    const settings = {
      title: "Weather & more",
      description: "Forecasts",
      logo,
      accentColor: "#ff8800",
      deployments: [deployment],
      meteringBucket,
      keyLimit: 3,
      returnOrigins: ["https://app.acme.example", "http://localhost:3000"],
      termsUrl: "https://acme.example/terms",
      links: [{ label: "Status", url: "https://status.acme.example/" }],
    };
    const replaced = await setPortal(client, settings);
    expect(replaced).toMatchObject({ ...settings, id: created.id, url: created.url });
    const { body, headers } = await client.get(path);
    expect(body).toEqual(replaced);
    const etag = headers.get("etag")!;
    for (const title of ["Two\nlines", "a\u202eb", "a\u2028b", "\u0007"]) {
      const rejected = await client.raw("PUT", path, JSON.stringify({ ...settings, title }));
      expectProblem(rejected, 400, "validation_failed", { pointer: "/title" });
    }
    const stale = await client.raw("PUT", path, JSON.stringify({ title: "Other" }), { "if-match": '"other"' });
    expectProblem(stale, 412, "precondition_failed");
    expect((await client.get(path)).headers.get("etag")).toBe(etag);
    // What is left out has its default again.
    expect(await setPortal(client)).not.toHaveProperty("logo");
    expect((await client.delete(path)).status).toBe(204);
    expectProblem(await client.get(path), 404, "not_found");
    expectProblem(await client.delete(path), 404, "not_found");
  });

  test("a preview shows what visitors and new customers would see, and changes nothing", async () => {
    const saved = await setPortal(client, { title: "Saved" });
    const plan = { label: "Gold", meters: { requests: { max: 10 } } };
    const price = { currency: "EUR", amount: "30.00", interval: "month" };
    const plans = `/v1/metering/${meteringBucket}/plans`;
    await client.post(plans, { ...plan, planExternalId: "gold", isPublic: true, price });
    await client.post(plans, { ...plan, planExternalId: "few", label: "For a few" });
    const settings = { title: "Typed", accentColor: "#2456d6", meteringBucket, plans: ["gold", "few", "none"], issuer };
    const reader = await callerWithRole(client, "reader");
    const { status, body } = await reader.post(`${path}/$preview`, { ...settings, deployments: ["none"] });
    expect(status).toBe(200);
    expect(body).toMatchObject({
      site: { title: "Typed", hasLogo: false, signIn: { mail: false, provider: "id.acme.example" }, links: [] },
      pages: ["keys", "usage", "requests", "plans", "people"],
      plans: { data: [{ label: "Gold", isCurrent: false }, { label: "For a few" }], paysOnline: expect.any(Boolean) },
      style: expect.stringContaining("--accent: light-dark(#2456d6,"),
      icon: expect.stringContaining(">T</text>"),
    });
    // Visitors see public plans only, unless everyone can sign up.
    expect(body.site.plans.map(({ label }: { label: string }) => label)).toEqual(["Gold"]);
    const open = (await reader.post(`${path}/$preview`, { ...settings, signUp: "open" })).body;
    expect(open.site.plans).toHaveLength(2);
    const plain = (await reader.post(`${path}/$preview`, { title: "Typed" })).body;
    expect(plain).toMatchObject({ pages: ["keys"], plans: { data: [], paysOnline: false }, style: "" });

    const invalid = { title: "Typed", accentColor: "blue" };
    expectProblem(await client.post(`${path}/$preview`, invalid), 400, "validation_failed", {
      pointer: "/accentColor",
    });
    const links = [{ label: "Run", url: "javascript:alert(1)" }];
    expectProblem(await client.post(`${path}/$preview`, { title: "Typed", links }), 400, "validation_failed");
    expectProblem(await client.post(`${portalPath("none")}/$preview`, { title: "Typed" }), 404, "not_found");
    const stranger = await strangerOf(client, `preview-${engine.name}`);
    expectProblem(await stranger.post(`${path}/$preview`, { title: "Typed" }), 404, "not_found");
    const verifier = await callerWithRole(client, "verifier");
    expectProblem(await verifier.post(`${path}/$preview`, { title: "Typed" }), 403, "forbidden");
    expect((await client.get(path)).body).toEqual(saved);
    // A bucket without a portal has a preview too.
    await client.delete(path);
    expect((await client.post(`${path}/$preview`, { title: "Typed" })).status).toBe(200);
    expectProblem(await client.get(path), 404, "not_found");
  });

  test("portals of the account are listed with their buckets, without their images", async () => {
    const { id, url } = await setPortal(client, { logo });
    const list = `/v1/accounts/${account}/portals`;
    const listed = { id, bucketName: "main", title: "Weather", isEnabled: true, url };
    expect((await client.get(list)).body).toMatchObject({ data: [listed], total: 1 });
    expect((await client.get(list)).body.data[0]).toEqual(listed);
    expectProblem(await client.anonymous().get(list), 401, "unauthenticated");
    const stranger = await strangerOf(client, `portals-${engine.name}`);
    expectProblem(await stranger.get(list), 404, "not_found");
    await client.delete(path);
    expect((await client.get(list)).body.total).toBe(0);
  });

  test("each change is in the audit log, without the image", async () => {
    await setPortal(client);
    await setPortal(client, { logo, title: "Other" });
    await client.delete(path);
    const { body } = await client.get(`/v1/accounts/${account}/audit-log?limit=3`);
    expect(body.data.map(({ action }: { action: string }) => action)).toEqual([
      "portal.deleted",
      "portal.updated",
      "portal.created",
    ]);
    expect(body.data[1].changes).toEqual([
      { pointer: "/title", before: "Weather", after: "Other" },
      { pointer: "/logo", after: "changed" },
    ]);
    expect(JSON.stringify(body)).not.toContain("base64");
  });

  describe("the secret of an identity provider", () => {
    const oidc = { issuer, clientId, clientSecret };
    test("is encrypted, never returned, and stays as long as issuer and client stay", async () => {
      const created = await setPortal(client, { oidc });
      expect(created.oidc).toEqual({ issuer, clientId });
      expect((await client.get(path)).body.oidc).toEqual({ issuer, clientId });
      const stored = async () => (await tableContent(server.database, "portals"))[0]!;
      const before = await stored();
      expect(before.client_secret).not.toBeNull();
      for (const table of await tableNames(server.database))
        expect([table, holdText(await tableContent(server.database, table), clientSecret)]).toEqual([table, false]);
      await setPortal(client, { title: "Kept", oidc: { issuer, clientId } });
      expect((await stored()).client_secret).toEqual(before.client_secret);
      for (const changed of [
        { issuer: "https://evil.example", clientId },
        { issuer, clientId: "other" },
      ])
        expectProblem(
          await client.raw("PUT", path, JSON.stringify({ title: "Weather", oidc: changed })),
          400,
          "validation_failed",
          { pointer: "/oidc/clientSecret" },
        );
      expect((await client.get(path)).body).toMatchObject({ title: "Kept", oidc: { issuer, clientId } });
      await setPortal(client, { title: "Kept", oidc: { issuer, clientId, clientSecret: "another secret" } });
      const log = await client.get(`/v1/accounts/${account}/audit-log?limit=3`);
      expect(log.body.data[0].changes).toEqual([{ pointer: "/oidc/clientSecret", after: "changed" }]);
      expect(log.text).not.toMatch(/another secret/);
      expect(log.text).not.toContain(clientSecret);
      expect(server.log).not.toContain(clientSecret);
      await setPortal(client);
      expect((await stored()).client_secret).toBeNull();
      await client.delete(path);
    });
  });

  describe("rejected, and nothing changes:", () => {
    const svg = `data:image/svg+xml;base64,${btoa("<svg onload='alert(1)'/>")}`;
    const disguised = `data:image/png;base64,${btoa("<svg onload='alert(1)'/>")}`;
    const large = `data:image/png;base64,${Buffer.concat([png, Buffer.alloc(256 * 1024)]).toString("base64")}`;
    test.each(
      casesFor(engine, [
        ["no title", { title: undefined }, "/title"],
        ["an empty title", { title: "" }, "/title"],
        ["a long title", { title: "x".repeat(81) }, "/title"],
        ["an SVG", { logo: svg }, "/logo"],
        ["an SVG that claims to be a PNG", { logo: disguised }, "/logo"],
        ["a large image", { logo: large }, "/logo"],
        ["an address of an image", { logo: "https://acme.example/logo.png" }, "/logo"],
        ["a name of a colour", { accentColor: "red" }, "/accentColor"],
        ["a style", { accentColor: "#000000;}" }, "/accentColor"],
        ["another deployment", { deployments: ["none"] }, "/deployments/0"],
        ["another metering bucket", { meteringBucket: "none" }, "/meteringBucket"],
        ["a key limit of 0", { keyLimit: 0 }, "/keyLimit"],
        ["a key limit of a half", { keyLimit: 1.5 }, "/keyLimit"],
        ["a return origin with a path", { returnOrigins: ["https://acme.example/app"] }, "/returnOrigins/0"],
        ["a return origin over plain http", { returnOrigins: ["http://acme.example"] }, "/returnOrigins/0"],
        ["a link to a script", { links: [{ label: "x", url: "javascript:alert(1)" }] }, "/links/0/url"],
        ["terms in a data URL", { termsUrl: "data:text/html,x" }, "/termsUrl"],
        ["an unverified host", { host: "portal.acme.example" }, "/host"],
        ["the server's own host", { host: "localhost" }, "/host"],
        ["an unknown way to sign up", { signUp: "maybe" }, "/signUp"],
        ["a provider without a client", { oidc: { issuer, clientSecret } }, "/oidc/clientId"],
        ["a provider without an issuer", { oidc: { clientId, clientSecret } }, "/oidc/issuer"],
        ["a provider without a secret", { oidc: { issuer, clientId } }, "/oidc/clientSecret"],
        ["a provider with an empty secret", { oidc: { issuer, clientId, clientSecret: "" } }, "/oidc/clientSecret"],
        ["a provider with another field", { oidc: { issuer, clientId, clientSecret, scope: "x" } }, "/oidc/scope"],
        ["a provider that is no object", { oidc: issuer }, "/oidc"],
        ...[
          "http://id.acme.example",
          "id.acme.example",
          "https://user:password@id.acme.example",
          "https://id.acme.example/?tenant=1",
          "https://id.acme.example/#x",
          "javascript:alert(1)",
          "https://login.microsoftonline.com/common/v2.0",
          "https://login.microsoftonline.com/organizations/v2.0",
        ].map((wrong): [string, object, string] => [
          `the issuer ${wrong}`,
          { oidc: { issuer: wrong, clientId, clientSecret } },
          "/oidc/issuer",
        ]),
      ]),
    )("%s", async (_, input, pointer) => {
      const response = await client.raw("PUT", path, JSON.stringify({ title: "Weather", ...input }));
      expectProblem(response, 400, "validation_failed", { pointer });
      expectProblem(await client.get(path), 404, "not_found");
    });

    test("callers without permission, other accounts, other buckets", async () => {
      const body = JSON.stringify({ title: "Weather" });
      expectProblem(await client.anonymous().raw("PUT", path, body), 401, "unauthenticated");
      for (const role of ["reader", "verifier"] as const)
        expectProblem(await (await callerWithRole(client, role)).raw("PUT", path, body), 403, "forbidden");
      const stranger = await strangerOf(client, `portal-${engine.name}`);
      expectProblem(await stranger.raw("PUT", path, body), 404, "not_found");
      expectProblem(await client.raw("PUT", portalPath("none"), body), 404, "not_found");
      expectProblem(await client.get(path), 404, "not_found");
    });
  });

  test("a disabled portal, a deleted one, and one of a deleted bucket are not served", async () => {
    const bucket = "short";
    await client.post(`/v1/accounts/${account}/key-buckets`, { name: bucket });
    await client.post(`/v1/accounts/${account}/key-buckets/${bucket}/consumers`, { name: "acme" });
    const { url } = await setPortal(client, {}, portalPath(bucket));
    const browser = new PortalBrowser(server, url);
    expect((await browser.get("/site")).body).toEqual({
      title: "Weather",
      hasLogo: false,
      links: [],
      isReferencePublic: false,
      signIn: { mail: false },
      signUp: "closed",
      pages: [],
      apis: [],
      plans: [],
    });
    await setPortal(client, { isEnabled: false }, portalPath(bucket));
    expectProblem(await browser.get("/site"), 404, "portal_not_found");
    await setPortal(client, {}, portalPath(bucket));
    expect((await browser.get("/site")).status).toBe(200);
    await client.delete(`/v1/accounts/${account}/key-buckets/${bucket}?force=true`);
    expectProblem(await browser.get("/site"), 404, "portal_not_found");
  });

  test("a verified custom domain is the portal's host, as long as the account owns it", async () => {
    const host = "developers.acme.example";
    const { body: claimed } = await client.post(domainsPath(), { host, deploymentName: deployment });
    const [proof] = claimed.dns;
    const domain = `${domainsPath()}/${claimed.id}`;
    // Checks are at least five seconds apart: the first one must not be stored after the clock has advanced.
    await settledDomain(client, domain, ({ checkedOn }) => checkedOn !== undefined, "the first check");
    dns.set("TXT", proof.name, proof.value);
    server.clock.advance(10_000);
    await client.post(`${domain}/check`);
    await settledDomain(client, domain, ({ status }) => status === "active");

    const before = await setPortal(client);
    const { url } = await setPortal(client, { host });
    expect(new URL(url).hostname).toBe(host);
    const browser = new PortalBrowser(server, url);
    expect((await browser.get("/site")).status).toBe(200);
    expectProblem(await new PortalBrowser(server, before.url).get("/site"), 404, "portal_not_found");

    await client.post(`/v1/accounts/${account}/key-buckets`, { name: "second" });
    const second = await client.raw("PUT", portalPath("second"), JSON.stringify({ title: "Second", host }));
    expectProblem(second, 409, "portal_host_taken");

    expect((await client.delete(domain)).status).toBe(204);
    expect((await browser.fetch("/portal/api/site")).status).not.toBe(200);
    await client.delete(path);
  });

  test("no host of a portal serves the management API, and its own serves no portal", async () => {
    const { url } = await setPortal(client);
    const browser = new PortalBrowser(server, url);
    for (const managed of ["/v1/who-am-i", "/openapi.json", "/docs", "/metrics", "/console"]) {
      const response = await browser.fetch(managed, { headers: { authorization: "Bearer x" } });
      expect([managed, response.headers.get("content-type")]).not.toEqual([managed, "application/json"]);
      expect(await response.text()).not.toContain("openapi");
    }
    expectProblem(await client.get("/portal/api/site"), 404, "route_not_found");
    // A host that only could be a portal's is none of the management API's either.
    const none = new PortalBrowser(server, url.replace(/main-\w+/, "none-0000000"));
    expectProblem(await none.get("/site"), 404, "portal_not_found");
    // Programs get the problem, and people a page.
    expect(await (await none.fetch("/")).json()).toMatchObject({ code: "portal_not_found" });
    const page = await none.fetch("/?<b>", { headers: { accept: "text/html,*/*;q=0.8" } });
    expect([page.status, page.headers.get("content-type")]).toEqual([404, "text/html; charset=utf-8"]);
    expect(await page.text()).toContain("<h1>There is no portal at this host.</h1>");
    await client.delete(path);
  });

  test("the logo is served as an image, and the accent as a style sheet", async () => {
    const { url } = await setPortal(client, { logo, accentColor: "#ffee00" });
    const browser = new PortalBrowser(server, url);
    const image = await browser.fetch("/portal/logo");
    expect(image.headers.get("content-type")).toBe("image/png");
    expect(image.headers.get("x-content-type-options")).toBe("nosniff");
    expect(image.headers.get("content-security-policy")).toContain("sandbox");
    expect(Buffer.from(await image.arrayBuffer())).toEqual(png);
    const style = await browser.fetch("/portal/theme.css");
    expect(style.headers.get("content-type")).toStartWith("text/css");
    expect(await style.text()).toContain("--accent: light-dark(#");
    await setPortal(client);
    expect((await browser.fetch("/portal/logo")).status).toBe(404);
    expect(await (await browser.fetch("/portal/theme.css")).text()).toBe("");
    await client.delete(path);
  });
});

describe("an accent colour", () => {
  test.each(["#ffee00", "#ffffff", "#000000", "#2456d6", "#0b6b68", "#ff0066", "#7f7f7f"])(
    "%s is readable in both themes",
    (color) => {
      for (const theme of ["light", "dark"] as const) {
        const { accent, onAccent, soft, hover } = accentColors(color, theme);
        const page = theme === "light" ? "#ffffff" : "#1a222b";
        for (const [one, other] of [
          [accent, page],
          [accent, soft],
          [onAccent, accent],
          [onAccent, hover],
        ] as const)
          expect([theme, one, other, contrast(parse(one), parse(other)) >= 4.5]).toEqual([theme, one, other, true]);
      }
    },
  );

  test("is kept if it is readable", () => {
    expect(accentColors("#2456d6", "light").accent).toBe("#2456d6");
  });
});
