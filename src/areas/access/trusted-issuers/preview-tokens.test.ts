import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import type { Client } from "../../../../test/support/client.ts";
import { eachEngine } from "../../../../test/support/engines.ts";
import { exchangedToken } from "../../../../test/support/exchanged-token.ts";
import { expectProblem } from "../../../../test/support/expect-problem.ts";
import { IdentityProvider, newSigningKey, type SigningKey } from "../../../../test/support/identity-provider.ts";
import {
  build,
  deploy,
  projectArchive,
  rebuild,
  requestUpload,
  settledStatus,
} from "../../../../test/support/project.ts";
import { useServer } from "../../../../test/support/server.ts";
import { echoUpstream, versionOf } from "../../../../test/support/versioned-project.ts";

const account = "/v1/accounts/default";
const upstream = echoUpstream();
let key: SigningKey;
beforeAll(async () => {
  key = await newSigningKey("first");
});
afterAll(() => upstream.stop(true));

function project(settings: object = {}) {
  return { ...versionOf(upstream, "one"), "tollgate.json": JSON.stringify(settings) };
}

eachEngine((engine) => {
  const server = useServer(engine);
  const { client, clock } = server;
  let provider: IdentityProvider;
  let count = 0;

  beforeAll(async () => {
    clock.set(new Date().toISOString());
    provider = await IdentityProvider.start([key]);
  });
  afterAll(() => provider.stop());

  /** A client with an exchanged token. */
  const holderOf = (fields: object, claims: object = {}) => exchangedToken({ server, provider, key, fields, claims });
  const upload = (caller: Client, projectName: string, branchName: string) =>
    caller.post("/v1/deployments/sources", { accountName: "default", projectName, branchName });
  const environments = async (name: string) => {
    const { body } = await client.get(`${account}/projects/${name}/deployments`);
    return Object.fromEntries(
      body.data.map((row: { branchName: string; environmentType: string }) => [row.branchName, row.environmentType]),
    );
  };

  describe("a token for previews", () => {
    test("deploys and deletes previews, and cannot touch production", async () => {
      const name = `shop-${++count}`;
      const holder = await holderOf({});
      const production = await deploy(server, { project: name, branch: "main" }, project());
      const preview = await deploy(
        { url: server.url, client: holder },
        { project: name, branch: "feature" },
        project(),
      );
      for (const below of ["", "/versions", "/versions/1", "/routes", "/logs", "/requests", "/analytics", "/traffic"]) {
        expect((await holder.get(`/v1/deployments/${preview.name}${below}`)).status).toBe(200);
        expectProblem(await holder.get(`/v1/deployments/${production.name}${below}`), 403, "forbidden");
      }
      expectProblem(await upload(holder, name, "main"), 403, "forbidden");
      expectProblem(await upload(holder, "not-deployed-yet", "main"), 403, "forbidden");
      const writes: [string, unknown?][] = [
        ["deploy"],
        ["rollback", { version: 1 }],
        ["$promote", { from: preview.name }],
        ["traffic/$promote"],
      ];
      for (const [below, body] of writes)
        expectProblem(await holder.post(`/v1/deployments/${production.name}/${below}`, body), 403, "forbidden");
      expectProblem(await holder.delete(`/v1/deployments/${production.name}`), 403, "forbidden");
      expect((await production.call("/forwarded")).status).toBe(200);
      expect((await holder.get("/v1/deployments")).body.total).toBeGreaterThan(1);
      expect((await holder.delete(`/v1/deployments/${preview.name}`)).status).toBe(204);
      expect((await client.get(`/v1/deployments/${production.name}/versions`)).body.total).toBe(1);
    });

    test("cannot build the source of production in a preview", async () => {
      const name = `shop-${++count}`;
      const holder = await holderOf({});
      const production = await deploy(server, { project: name, branch: "main" }, project());
      const caller = { url: server.url, client: holder };
      const preview = await deploy(caller, { project: name, branch: "feature" }, project());
      const other = await deploy(caller, { project: name, branch: "other" }, project());
      const promote = (from: string) => holder.post(`/v1/deployments/${preview.name}/$promote`, { from });
      expectProblem(await promote(production.name), 403, "forbidden");
      expect((await client.get(`/v1/deployments/${preview.name}/versions`)).body.total).toBe(1);
      const { status, body } = await promote(other.name);
      expect(status).toBe(200);
      expect((await settledStatus(client, { project: name }, body.statusId)).status).toBe("SUCCESS");
    });

    test("cannot do anything else in the account", async () => {
      const holder = await holderOf({});
      for (const path of [
        "key-buckets",
        "webhooks",
        "domains",
        "audit-log",
        "requests",
        "analytics",
        "tokens",
        "trusted-issuers",
        "members",
        "projects/shop/variables",
      ])
        expectProblem(await holder.get(`${account}/${path}`), 403, "forbidden");
      expectProblem(await holder.get("/v1/metering"), 403, "forbidden");
      const variable = JSON.stringify({ value: "1" });
      expectProblem(await holder.raw("PUT", `${account}/projects/shop/variables/A`, variable), 403, "forbidden");
      expectProblem(await holder.post(`${account}/key-buckets`, { name: "by-a-preview" }), 403, "forbidden");
      expect((await client.get(`${account}/key-buckets/by-a-preview`)).status).toBe(404);
      expect((await holder.get("/v1/who-am-i")).status).toBe(200);
    });

    test("cannot make its branch the production branch by declaring it", async () => {
      const name = `shop-${++count}`;
      const holder = await holderOf({});
      await deploy(server, { project: name, branch: "main" }, project());
      const variables = `${account}/projects/${name}/variables`;
      await client.raw("PUT", `${variables}/WHERE`, JSON.stringify({ value: "prod", environments: ["production"] }));
      const place = { project: name, branch: "evil" };
      const { status } = await build(holder, place, project({ productionBranch: "evil" }));
      expect(status.status).toBe("SUCCESS");
      expect(status.buildResult.warnings).toMatchObject([
        { file: "tollgate.json", message: "has no effect, because the upload was for a preview" },
      ]);
      expect(await environments(name)).toEqual({ main: "PRODUCTION", evil: "PREVIEW" });
      // A later build of the same source by another caller does not change the production branch either.
      const deployed = (await client.get(`${account}/projects/${name}/deployments`)).body.data.at(-1).name;
      expect((await rebuild(client, place, deployed)).status.status).toBe("SUCCESS");
      expect(await environments(name)).toEqual({ main: "PRODUCTION", evil: "PREVIEW" });
      const { status: secret } = await build(
        holder,
        place,
        project({ productionBranch: "evil", environment: { A: `\${WHERE}` } }),
      );
      expect(secret.status).toBe("ERROR");
    });

    test("whose branch becomes production before the upload is built does not deploy", async () => {
      const name = `shop-${++count}`;
      const holder = await holderOf({});
      await deploy(server, { project: name, branch: "main" }, project());
      const { path, statusId } = await requestUpload(holder, { project: name, branch: "release" });
      await deploy(server, { project: name, branch: "release" }, project({ productionBranch: "release" }));
      expect(await environments(name)).toEqual({ main: "PREVIEW", release: "PRODUCTION" });
      await client.anonymous().raw("PUT", path, await projectArchive(project()));
      const status = await settledStatus(client, { project: name }, statusId);
      expect(status.steps.build).toMatchObject({ status: "ERROR", message: expect.stringContaining("for a preview") });
    });
  });

  describe("a token of one project or branch", () => {
    test("is limited to the project", async () => {
      const [own, other] = [`own-${++count}`, `other-${count}`];
      const holder = await holderOf({ project: own });
      const preview = await deploy(server, { project: other, branch: "feature" }, project());
      expect((await upload(holder, own, "feature")).status).toBe(200);
      expectProblem(await upload(holder, other, "feature"), 403, "forbidden");
      expectProblem(await upload(holder, own, "main"), 403, "forbidden");
      expectProblem(await holder.get(`/v1/deployments/${preview.name}`), 403, "forbidden");
      const listed = (await holder.get("/v1/deployments")).body.data as { projectName: string }[];
      expect(listed.every(({ projectName }) => projectName === own)).toBe(true);
    });

    test("is limited to the branch", async () => {
      const name = `shop-${++count}`;
      const holder = await holderOf({ project: name, branchClaim: "head_ref" }, { head_ref: "feature" });
      expect((await upload(holder, name, "feature")).status).toBe(200);
      for (const branch of ["other", "main", "Feature"])
        expectProblem(await upload(holder, name, branch), 403, "forbidden");
    });

    test("a token for production and previews may set the project's variables", async () => {
      const name = `shop-${++count}`;
      const holder = await holderOf({ project: name, environments: ["PRODUCTION", "PREVIEW"] });
      expect((await upload(holder, name, "main")).status).toBe(200);
      const variable = JSON.stringify({ value: "1" });
      expect((await holder.raw("PUT", `${account}/projects/${name}/variables/A`, variable)).status).toBe(200);
      expectProblem(await holder.raw("PUT", `${account}/projects/other/variables/A`, variable), 403, "forbidden");
      expectProblem(await holder.get(`${account}/key-buckets`), 403, "forbidden");
    });

    test("a token for production alone cannot deploy previews", async () => {
      const name = `shop-${++count}`;
      const holder = await holderOf({ project: name, environments: ["PRODUCTION"] });
      expect((await upload(holder, name, "main")).status).toBe(200);
      expectProblem(await upload(holder, name, "feature"), 403, "forbidden");
    });

    test("a token of a reader cannot deploy", async () => {
      const name = `shop-${++count}`;
      const holder = await holderOf({ project: name, role: "reader" });
      const preview = await deploy(server, { project: name, branch: "feature" }, project());
      expect((await holder.get(`/v1/deployments/${preview.name}`)).status).toBe(200);
      expectProblem(await upload(holder, name, "feature"), 403, "forbidden");
      expectProblem(await holder.delete(`/v1/deployments/${preview.name}`), 403, "forbidden");
    });

    test("a token without limits is an editor of the account", async () => {
      const holder = await holderOf({ environments: ["PRODUCTION", "PREVIEW"] });
      expect((await holder.get(`${account}/key-buckets`)).status).toBe(200);
      expectProblem(await holder.get(`${account}/tokens`), 403, "forbidden");
      expectProblem(await holder.get(`${account}/trusted-issuers`), 403, "forbidden");
    });
  });
});
