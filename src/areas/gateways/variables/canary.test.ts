// biome-ignore-all lint/suspicious/noTemplateCurlyInString: `${NAME}` is the syntax of variables in projects, not a template literal.
import { afterAll, expect, test } from "bun:test";
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { eachEngine } from "../../../../test/support/engines.ts";
import { build, deploy, openApi } from "../../../../test/support/project.ts";
import { useServer } from "../../../../test/support/server.ts";
import { account } from "../../../../test/support/server-settings.ts";
import { holdText, tableContent, tableNames } from "../../../../test/support/table-content.ts";
import { temporaryFolder } from "../../../../test/support/temporary-folder.ts";
import { until } from "../../../../test/support/until.ts";
import * as tar from "../../../client/deploy/tar.ts";
import { backUp } from "../../../platform/storage/data-directory/backup.ts";

/** None contains another, and no other text contains them. */
const canaries = {
  HEADER: "canary-header-4f1c9a7e2b",
  ROTATED: "canary-rotated-8d03b6f5c1",
  UPSTREAM_PATH: "canary-upstream-2e7a90d4f8",
  CODE: "canary-code-b51f6c3e07",
  DELETED: "canary-deleted-6a8e2f1d94",
};

const upstream = Bun.serve({ port: 0, fetch: () => new Response("ok") });
afterAll(() => upstream.stop(true));

eachEngine((engine) => {
  const server = useServer(engine, { environment: { TOLLGATE_LOG: "debug" } });
  const { client } = server;

  test("no stored, logged or returned text contains a secret in plain text", async () => {
    const place = { project: "canaries", branch: "main" };
    const variables = `/v1/accounts/${account}/projects/${place.project}/variables`;
    const shown: string[] = [];
    const show = <Shown extends { text: string }>(response: Shown): Shown => {
      shown.push(response.text);
      return response;
    };
    const set = async (name: string, value: string, extra = {}) =>
      show(await client.raw("PUT", `${variables}/${name}`, JSON.stringify({ value, isSecret: true, ...extra })));

    await set("HEADER", canaries.ROTATED);
    for (const [name, value] of Object.entries(canaries)) await set(name, value);
    // Rejected requests are logged with their bodies.
    await set("HEADER", canaries.HEADER, { environments: "production" });
    await set("BAD-NAME", canaries.CODE);

    const project = {
      "openapi.json": openApi({
        "/forwarded": {},
        "/unreachable": { "x-tollgate": { upstream: "http://127.0.0.1:9/${UPSTREAM_PATH}" } },
        "/deleted": { "x-tollgate": { policies: ["deleted"] } },
        "/throws": { "x-tollgate": { handler: "modules/code.ts" } },
      }),
      "tollgate.json": {
        upstream: `http://127.0.0.1:${upstream.port}/\${UPSTREAM_PATH}`,
        defaultPolicies: ["header"],
        environment: { COMBINED: "combined with ${CODE}" },
        policies: {
          header: { type: "headers", options: { request: { set: { authorization: "Bearer ${HEADER}" } } } },
          deleted: { type: "headers", options: { request: { set: { authorization: "Bearer ${DELETED}" } } } },
        },
      },
      "modules/code.ts": `export default (_request, { environment, log }) => {
        console.log(environment, JSON.stringify(environment), environment.COMBINED);
        log.error(btoa(environment.CODE), encodeURIComponent(environment.CODE));
        throw new Error("failed with " + environment.CODE);
      };`,
    };
    const { name, call, statusId } = await deploy(server, place, project);
    for (const path of ["/forwarded", "/unreachable", "/throws"]) {
      const response = await call(path);
      shown.push(await response.text(), JSON.stringify([...response.headers]));
    }
    await client.delete(`${variables}/DELETED`);
    expect((await call("/deleted")).status).toBe(503);
    await call(`/nowhere/${canaries.CODE}`);
    // One version does not build, and one does not start.
    const broken = { ...project, "tollgate.json": { ...project["tollgate.json"], defaultPolicies: ["${HEADER}"] } };
    shown.push(JSON.stringify((await build(client, place, broken)).status));
    shown.push(JSON.stringify((await build(client, place, project)).status));

    const logs = await until(
      async () => {
        const { text, body } = await client.get(`/v1/deployments/${name}/logs?limit=1000`);
        const seen = body.data.map(({ message }: { message: string }) => message).join("\n");
        return seen.includes("failed with") && seen.includes("/nowhere/") ? text : undefined;
      },
      { what: "the log" },
    );
    expect(logs).toContain("[CODE]");
    shown.push(logs);
    const deployment = `/v1/deployments/${name}`;
    for (const path of [
      variables,
      `${variables}/HEADER`,
      deployment,
      `${deployment}/versions`,
      `/v1/accounts/${account}/projects/${place.project}/deployment-status/${statusId}`,
    ])
      expect(show(await client.get(path)).status).toBe(200);
    show(await client.get(`/v1/accounts/${account}/audit-log?limit=1000`));
    show(await client.get(`${deployment}/requests`));

    const found: string[] = [];
    const look = (where: string, holds: (text: string) => boolean) => {
      for (const [canary, value] of Object.entries(canaries))
        for (const form of [value, btoa(value).replace(/=+$/, ""), Buffer.from(value).toString("hex")])
          if (holds(form)) found.push(`${canary} in ${where}`);
    };
    look("a response", (text) => shown.some((one) => one.includes(text)));
    // The operator's log contains the path that a client sent, as for every request.
    look("the server's log", (text) => server.log.replaceAll(`/nowhere/${canaries.CODE}`, "").includes(text));
    for (const table of await tableNames(server.database)) {
      const rows = await tableContent(server.database, table);
      look(table, (text) => holdText(rows, text));
    }
    if (engine.name === "sqlite") {
      const folder = server.database.environment.TOLLGATE_DATA_DIR!;
      const backup = await temporaryFolder("backup");
      await using _ = { [Symbol.asyncDispose]: backup.remove };
      await backUp(folder, join(backup.path, "backup.tar.gz"), tar);
      const unpacked = Bun.gunzipSync(readFileSync(join(backup.path, "backup.tar.gz")));
      look("a backup", (text) => Buffer.from(unpacked).includes(text));
      for (const file of readdirSync(folder).filter((entry) => entry.startsWith("tollgate.db")))
        look(file, (text) => readFileSync(join(folder, file)).includes(text));
    }
    expect(found).toEqual([]);
  });
});
