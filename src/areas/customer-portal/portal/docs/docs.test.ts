import { beforeAll, describe, expect, test } from "bun:test";
import { buildWebIfOutdated } from "../../../../../scripts/web-build.ts";
import { eachEngine } from "../../../../../test/support/engines.ts";
import { expectProblem } from "../../../../../test/support/expect-problem.ts";
import { customerBrowser, PortalBrowser, setPortal } from "../../../../../test/support/portal.ts";
import { deploy, openApi } from "../../../../../test/support/project.ts";
import { useServer } from "../../../../../test/support/server.ts";
import { account } from "../../../../../test/support/server-settings.ts";

const hostile = "<script>alert(1)</script>";
const files = {
  "openapi.json": openApi(
    {
      "/forecast": {
        operationId: "getForecast",
        summary: `Read ${hostile}`,
        description: "What the **weather** will be.",
        "x-tollgate": { upstream: "https://secret-upstream.example", policies: ["key"] },
      },
    },
    { info: { title: "Weather", version: "1" } },
  ),
  "tollgate.json": { policies: { key: { type: "api-key", options: { bucket: "main" } } } },
  "docs/index.md": `---\ntitle: First steps\ndescription: Begin "here".\n---\nHello ${hostile} ![a map](map.svg)\n`,
  "docs/map.svg": '<svg xmlns="http://www.w3.org/2000/svg"><script>alert(1)</script></svg>',
};

await buildWebIfOutdated(["portal"]);

eachEngine((engine) => {
  const server = useServer(engine);
  const { client } = server;
  let name: string;
  let url: string;
  const stranger = () => new PortalBrowser(server, url);
  const set = (isReferencePublic: boolean) => setPortal(client, { deployments: [name], isReferencePublic });

  beforeAll(async () => {
    await client.post(`/v1/accounts/${account}/key-buckets/main/consumers`, { name: "acme" });
    name = (await deploy(server, { project: "weather", branch: "main" }, files)).name;
    ({ url } = await set(true));
  });

  test("a public reference needs no session: navigation, pages, Markdown, images, llms.txt", async () => {
    await set(true);
    const { body } = await stranger().get("/docs");
    expect(body.data).toMatchObject([
      {
        slug: "weather",
        deployment: name,
        title: "Weather",
        guides: [{ entries: [{ page: "guides/index", label: "First steps" }] }],
        reference: [{ entries: [{ page: "operations/getForecast", method: "GET", path: "/forecast" }] }],
      },
    ]);
    const page = await stranger().get("/docs/page?path=weather/operations/getForecast");
    expect(page.body).toMatchObject({
      kind: "operation",
      operation: { keyHeader: { header: "Authorization", prefix: "Bearer " } },
    });
    expect(page.text).not.toContain("secret-upstream");
    expect((await stranger().get("/docs/page?path=weather")).body).toMatchObject({
      kind: "overview",
      title: "Weather",
    });
    const markdown = await stranger().fetch("/docs/weather/operations/getForecast.md");
    expect(markdown.headers.get("content-type")).toBe("text/markdown; charset=utf-8");
    const text = await markdown.text();
    expect(text).toContain(`curl '${body.data[0].url}/forecast'`);
    expect(text).not.toContain("{{");
    expect((await (await stranger().fetch("/docs/weather.md")).text()).trim()).toBe("# Weather");
    const llms = await (await stranger().fetch("/llms.txt")).text();
    expect(llms).toContain("- [First steps](/docs/weather/guides/index.md)");
    expect(llms).toContain("(/docs/weather/operations/getForecast.md): What the weather will be.");
  });

  test("an image is never run, and text is never markup", async () => {
    await set(true);
    const image = await stranger().fetch("/docs/weather/files/map.svg");
    expect(Object.fromEntries(image.headers)).toMatchObject({
      "content-type": "image/svg+xml",
      "x-content-type-options": "nosniff",
      "content-security-policy": "default-src 'none'; style-src 'unsafe-inline'; sandbox",
    });
    expect(await image.text()).toContain("<svg");
    for (const path of ["/docs/weather/guides/index", "/docs/weather/operations/getForecast"]) {
      const response = await stranger().fetch(path);
      expect([path, response.status]).toEqual([path, 200]);
      const html = await response.text();
      expect(html).not.toContain(hostile);
      expect(html).toContain("&#60;script&#62;");
    }
  });

  test("a page is complete without scripts: title, description, preview and text", async () => {
    await set(true);
    const html = await (await stranger().fetch("/docs/weather/guides/index")).text();
    expect(html).toContain("<title>First steps · Weather</title>");
    expect(html).toContain('<meta name="description" content="Begin &#34;here&#34;.">');
    expect(html).toContain('<meta property="og:title" content="First steps · Weather">');
    expect(html).toContain(`<meta property="og:url" content="${url}/docs/weather/guides/index">`);
    expect(html).toContain("<h1>First steps</h1>");
    expect(html).toContain('<img src="/docs/weather/files/map.svg" alt="a map">');
    expect((await stranger().fetch("/docs/weather/guides/none")).status).toBe(404);
  });

  test("otherwise it needs a session, and is not visible without one", async () => {
    await set(false);
    for (const path of ["/docs", "/docs/page?path=weather"])
      expectProblem(await stranger().get(path), 401, "session_required");
    for (const path of ["/docs/weather/guides/index.md", "/docs/weather/files/map.svg"])
      expect((await stranger().fetch(path)).status).toBe(401);
    expect(await (await stranger().fetch("/llms.txt")).text()).toBe("# Weather\n");
    expect(await (await stranger().fetch("/docs/weather/guides/index")).text()).not.toContain("First steps");
    const acme = await customerBrowser(server, url, "acme");
    expect((await acme.get("/docs")).body.data.length).toBe(1);
    expect((await acme.fetch("/docs/weather/files/map.svg")).status).toBe(200);
    expect(await (await acme.fetch("/docs/weather/guides/index")).text()).toContain("First steps");
  });

  describe("404:", () => {
    test.each([
      "none",
      "weather/none",
      "weather/../weather",
      "weather/index.json",
      "weather/files/map.svg",
      "constructor",
    ])("%s", async (path) => {
      await set(true);
      expectProblem(await stranger().get(`/docs/page?path=${encodeURIComponent(path)}`), 404, "not_found");
      expect((await stranger().fetch(`/docs/${path}.json.md`)).status).toBe(404);
    });
  });

  test("an example of a request for the bucket's keys is found for the console too", async () => {
    const { body } = await client.get(`/v1/deployments/${name}/routes?example=true&keyBucket=main`);
    expect(body.example).toEqual({
      method: "GET",
      target: "/forecast",
      keyHeader: "Authorization",
      keyPrefix: "Bearer ",
    });
    expect(
      (await client.get(`/v1/deployments/${name}/routes?example=true&keyBucket=other`)).body.example,
    ).toBeUndefined();
    expect((await client.get(`/v1/deployments/${name}/routes`)).body.example).toBeUndefined();
    expectProblem(await client.get(`/v1/deployments/${name}/routes?example=1`), 400, "validation_failed");
  });

  test("the live version counts: another deployment changes the pages, and a rollback changes them back", async () => {
    await set(true);
    await deploy(server, { project: "weather", branch: "main" }, { ...files, "docs/index.md": "# Second steps\n" });
    const title = async () => (await stranger().get("/docs/page?path=weather/guides/index")).body.title;
    expect(await title()).toBe("Second steps");
    expect((await client.post(`/v1/deployments/${name}/rollback`, {})).status).toBe(200);
    expect(await title()).toBe("First steps");
  });
});
