// biome-ignore-all lint/suspicious/noTemplateCurlyInString: ${NAME} is how a project names a variable.
import { beforeAll, expect, test } from "bun:test";
import { callerWithRole, strangerOf } from "../../../../../test/support/callers.ts";
import { eachEngine } from "../../../../../test/support/engines.ts";
import { expectProblem } from "../../../../../test/support/expect-problem.ts";
import { build, type Deployed, deploy, requestUpload, settledStatus } from "../../../../../test/support/project.ts";
import { useServer } from "../../../../../test/support/server.ts";
import { account } from "../../../../../test/support/server-settings.ts";

const project = "promoted";
const filesOf = (version: string) => ({
  "openapi.json": { openapi: "3.1.0", info: { title: "t", version: "1" }, paths: { "/": { get: { responses: {} } } } },
  "tollgate.json": {
    defaultPolicies: ["say"],
    policies: {
      say: { type: "mock", options: {} },
      version: { type: "headers", options: { response: { set: { version, region: "${REGION}" } } } },
    },
  },
});

eachEngine((engine) => {
  const server = useServer(engine);
  const { client } = server;
  let staging: Deployed;
  let production: Deployed;
  const place = (branch: string) => ({ project, branch });
  const variables = `/v1/accounts/${account}/projects/${project}/variables/REGION`;
  const files = (version: string) => {
    const base = filesOf(version);
    return { ...base, "tollgate.json": { ...base["tollgate.json"], defaultPolicies: ["version", "say"] } };
  };
  const set = (value: string, environments: string[]) =>
    client.raw("PUT", variables, JSON.stringify({ value, environments }));
  const headersOf = async ({ call }: Deployed) => {
    const { headers } = await call("/");
    return { version: headers.get("version"), region: headers.get("region") };
  };
  const promote = (to: string, from: string) => client.post(`/v1/deployments/${to}/$promote`, { from });

  beforeAll(async () => {
    await set("here", ["production", "preview"]);
    production = await deploy(server, place("main"), files("one"));
    await set("preview-region", ["preview"]);
    staging = await deploy(server, place("staging"), files("two"));
    await set("production-region", ["production"]);
  });

  test("builds what is live, with the variables of the target, while a later upload is not live", async () => {
    // An upload that fails is the newest source, but not what is live.
    const broken = await build(client, place("staging"), { "openapi.json": "{" });
    expect(broken.status).toMatchObject({ status: "ERROR" });
    expect(await headersOf(staging)).toEqual({ version: "two", region: "preview-region" });

    const { status, body } = await promote(production.name, staging.name);
    expect({ status, enqueued: body.status }).toEqual({ status: 200, enqueued: "request enqueued" });
    const settled = await settledStatus(client, place("main"), body.statusId);
    expect(settled).toMatchObject({ status: "SUCCESS" });
    expect(settled.steps.upload.message).toBe(`The source of version 1 of ${staging.name}.`);
    expect(await headersOf(production)).toEqual({ version: "two", region: "production-region" });
    await server.catchUp();
    const audited = await client.get(`/v1/accounts/${account}/audit-log?action=deployment.source_promoted`);
    expect(audited.body.data).toMatchObject([{ resource: { type: "deployment", name: production.name } }]);
  });

  test("keeps the source of the live version, and the promoted one when the other deployment is deleted", async () => {
    server.clock.advance(3 * 60 * 60 * 1000);
    await server.runTasks();
    await set("anywhere", ["production", "preview"]);
    const other = await deploy(server, place("other"), files("three"));
    const { body } = await promote(production.name, other.name);
    expect(await settledStatus(client, place("main"), body.statusId)).toMatchObject({ status: "SUCCESS" });
    await client.delete(`/v1/deployments/${other.name}`);
    const again = await client.post(`/v1/deployments/${production.name}/deploy`, {});
    expect(await settledStatus(client, place("main"), again.body.statusId)).toMatchObject({ status: "SUCCESS" });
    expect((await headersOf(production)).version).toBe("three");
    // The first upload is still the source of a version.
    const last = await promote(production.name, staging.name);
    expect(await settledStatus(client, place("main"), last.body.statusId)).toMatchObject({ status: "SUCCESS" });
  });

  test("rejects what cannot be promoted, and changes nothing", async () => {
    const before = (await client.get(`/v1/deployments/${production.name}`)).body;
    await requestUpload(client, { project: "elsewhere", branch: "main" });
    const { data: others } = (await client.get("/v1/deployments?projectName=elsewhere")).body;
    for (const from of [others[0].name, production.name, "nowhere"])
      expectProblem(await promote(production.name, from), 400, "validation_failed", { pointer: "/from" });
    await requestUpload(client, place("empty"));
    const { data } = (await client.get(`/v1/deployments?projectName=${project}&branchName=empty`)).body;
    expectProblem(await promote(production.name, data[0].name), 409, "no_live_version");
    expectProblem(await promote("nowhere", staging.name), 404, "not_found");
    expectProblem(await client.post(`/v1/deployments/${production.name}/$promote`, {}), 400, "validation_failed");
    const reader = await callerWithRole(client, "reader");
    const path = `/v1/deployments/${production.name}/$promote`;
    expectProblem(await reader.post(path, { from: staging.name }), 403, "forbidden");
    expectProblem(await client.anonymous().post(path, { from: staging.name }), 401, "unauthenticated");
    const stranger = await strangerOf(client, `promote-${engine.name}`);
    expectProblem(await stranger.post(path, { from: staging.name }), 404, "not_found");
    expect((await client.get(`/v1/deployments/${production.name}`)).body).toEqual(before);
  });
});
