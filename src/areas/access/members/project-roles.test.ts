import { describe, expect, test } from "bun:test";
import type { Client } from "../../../../test/support/client.ts";
import { eachEngine } from "../../../../test/support/engines.ts";
import { expectProblem } from "../../../../test/support/expect-problem.ts";
import { joined } from "../../../../test/support/people.ts";
import { requestUpload } from "../../../../test/support/project.ts";
import { useServer } from "../../../../test/support/server.ts";

const account = "/v1/accounts/default";
let count = 0;

const put = (client: Client, path: string, body: unknown) => client.raw("PUT", path, JSON.stringify(body));

eachEngine((engine) => {
  const server = useServer(engine);
  const { client } = server;

  /** Deployments of two projects, and a person whose role is limited to the first. */
  async function scene(role: "editor" | "reader") {
    const number = ++count;
    const [own, other] = [`own-${number}`, `other-${number}`];
    for (const project of [own, other])
      await requestUpload(client, { accountName: "default", project, branch: "main" });
    const nameIn = async (project: string) =>
      (await client.get(`${account}/projects/${project}/deployments`)).body.data[0].name as string;
    const projects = [{ project: own, role }];
    const { browser } = await joined(client, { email: `p-${number}@acme.example`, role: "editor", projects });
    return { browser, own, other, ownName: await nameIn(own), otherName: await nameIn(other) };
  }

  describe("a role in a project", () => {
    test("allows its deployments, variables, requests, logs and analytics, and no others", async () => {
      const { browser, own, other, ownName, otherName } = await scene("editor");
      for (const below of ["", "/versions", "/requests", "/logs", "/analytics", "/traffic"]) {
        expect((await browser.get(`/v1/deployments/${ownName}${below}`)).status).toBe(200);
        expectProblem(await browser.get(`/v1/deployments/${otherName}${below}`), 403, "forbidden");
      }
      expect((await put(browser, `${account}/projects/${own}/variables/A`, { value: "1" })).status).toBe(200);
      expectProblem(await put(browser, `${account}/projects/${other}/variables/A`, { value: "1" }), 403, "forbidden");
      expect((await client.get(`${account}/projects/${other}/variables`)).body.total).toBe(0);
      const upload = (projectName: string) =>
        browser.post("/v1/deployments/sources", { accountName: "default", projectName, branchName: "main" });
      expect((await upload(own)).status).toBe(200);
      for (const project of [other, "new"]) expectProblem(await upload(project), 403, "forbidden");
      const listed = await browser.get("/v1/deployments");
      expect(listed.body).toMatchObject({ total: 1, data: [{ name: ownName }] });
      expect((await browser.get(`/v1/deployments?projectName=${other}`)).body.total).toBe(0);
      expectProblem(await browser.get("/v1/deployments/unknown"), 404, "not_found");
    });

    test("a role to read in a project does not allow changes", async () => {
      const { browser, own, ownName } = await scene("reader");
      expect((await browser.get(`/v1/deployments/${ownName}`)).status).toBe(200);
      expectProblem(await put(browser, `${account}/projects/${own}/variables/A`, { value: "1" }), 403, "forbidden");
      expectProblem(await browser.delete(`/v1/deployments/${ownName}`), 403, "forbidden");
      expect((await client.get(`/v1/deployments/${ownName}`)).status).toBe(200);
    });

    test("allows nothing of the rest of the account", async () => {
      const { browser } = await scene("editor");
      for (const path of [
        "key-buckets",
        "webhooks",
        "domains",
        "audit-log",
        "requests",
        "analytics",
        "views",
        "tokens",
      ])
        expectProblem(await browser.get(`${account}/${path}`), 403, "forbidden");
      expectProblem(await browser.get("/v1/metering"), 403, "forbidden");
      expectProblem(await browser.post(`${account}/key-buckets`, { name: "from-a-project" }), 403, "forbidden");
      expect((await browser.get(account)).status).toBe(200);
      expect((await browser.get("/v1/who-am-i")).body.projects).toHaveLength(1);
    });
  });
});
