import { expect, test } from "bun:test";
import { useConfiguredAccount } from "../../../../../test/support/configured-account.ts";
import { eachEngine } from "../../../../../test/support/engines.ts";
import { expectProblem } from "../../../../../test/support/expect-problem.ts";
import { useServer } from "../../../../../test/support/server.ts";
import { holdText, tableContent } from "../../../../../test/support/table-content.ts";

const directory = "/tmp/tollgate-configured-exports";

eachEngine((engine) => {
  const server = useServer(engine, { environment: { TOLLGATE_EXPORT_DIR: directory } });
  const configured = useConfiguredAccount(server);

  const env = "LAKE_EXPORT_SECRET_ACCESS_KEY";
  const credential = { accessKeyId: "AKIAEXAMPLE", secretAccessKeyFrom: { env } };
  const lake = {
    to: { url: "s3://acme-lake/toll", region: "eu-central-1", credential },
    kinds: ["events", "audit"],
    format: "parquet",
  };
  const audit = { kinds: ["audit"], format: "ndjson", isEnabled: false };
  const ownArchive = () => ({ to: { url: `file:${directory}/${configured.name}` }, ...audit });
  const withSecret = (value: string) => ({ secrets: { [env]: value } });
  const stored = async (name: string) =>
    (await configured.client.get(`/v1/accounts/${configured.name}/exports/${name}`)).body;

  test("exports are created, changed, dumped and pruned, and their secret is a reference", async () => {
    const exports = { lake, archive: ownArchive() };
    const first = { as: "shop", ...withSecret("the-first-canary") };
    const applied = await configured.apply({ exports }, first);
    expect(JSON.stringify(applied)).not.toContain("canary");
    for (const table of ["exports", "configuration_plans", "changes"])
      expect(holdText(await tableContent(server.database, table), "the-first-canary")).toBe(false);
    expect(await stored("lake")).toMatchObject({
      to: { url: "s3://acme-lake/toll", region: "eu-central-1", accessKeyId: "AKIAEXAMPLE" },
      isEnabled: true,
    });
    expect((await configured.dump()).exports).toEqual(exports);
    // The order of kinds has no meaning.
    const reordered = { ...exports, lake: { ...lake, kinds: ["audit", "events"] } };
    expect(await configured.steps({ exports: reordered }, first)).toEqual([]);

    const { body } = await configured.plan({ exports }, withSecret("the-second-canary"));
    expect(body.steps).toMatchObject([
      {
        ...{ kind: "exports", name: "lake", action: "update" },
        before: { to: { credential: { accessKeyId: "AKIAEXAMPLE" } } },
        after: { to: { credential: { accessKeyId: "AKIAEXAMPLE", secretAccessKey: "changed" } } },
      },
    ]);
    expect(JSON.stringify(body)).not.toContain("canary");
    await configured.apply({ exports }, withSecret("the-second-canary"));
    expect(await configured.steps({ exports }, withSecret("the-second-canary"))).toEqual([]);

    // The credential is not replaced by the same one.
    const paused = { ...exports, lake: { ...lake, isEnabled: false } };
    await configured.apply({ exports: paused }, withSecret("the-second-canary"));
    expect((await stored("lake")).isEnabled).toBe(false);
    const changes = await tableContent(server.database, "changes");
    const [secret, pausing] = changes
      .map(({ details }) => String(details))
      .filter((details) => details.includes("export.updated"))
      .slice(-2);
    expect([secret!.includes("/credential"), pausing!.includes("/credential")]).toEqual([true, false]);
    expect(pausing).toContain("isEnabled");

    await configured.apply({ exports: { archive: ownArchive() } }, { as: "shop", prune: true });
    expect((await configured.client.get(`/v1/accounts/${configured.name}/exports`)).body.data).toMatchObject([
      { name: "archive" },
    ]);
  });

  test.each([
    ["another destination", { ...lake, to: { ...lake.to, url: "s3://acme-lake/other" } }, "/to"],
    ["other kinds", { ...lake, kinds: ["events"] }, "/kinds"],
    ["another format", { ...lake, format: "ndjson" }, "/format"],
    ["a destination without its credential", { ...lake, to: { url: "s3://acme-lake/toll" } }, "/to/credential"],
    ["a folder outside", { to: { url: "file:/elsewhere" }, ...audit }, "/to/url"],
    ["the folder of another account", { to: { url: `file:${directory}/acme` }, ...audit }, "/to/url"],
    [
      "the secret in the file",
      { ...lake, to: { ...lake.to, credential: { accessKeyId: "A", secretAccessKey: "B" } } },
      "/to/credential/secretAccessKey",
    ],
    ["the first hour", { ...lake, from: "2026-01-01T00:00:00Z" }, "/from"],
  ])("a plan rejects %s", async (what, entry, pointer) => {
    await configured.apply({ exports: { lake } }, withSecret("a-secret"));
    // An existing one is changed, apart from a folder, which is new.
    const name = what.includes("folder") ? "folder" : "lake";
    const rejected = await configured.plan({ exports: { [name]: entry } }, withSecret("a-secret"));
    expectProblem(rejected, 400, "validation_failed", { pointer: `/configuration/exports/${name}${pointer}` });
    expect((await configured.dump()).exports).toEqual({ lake });
  });

  test("a stored secret is kept, and not used with another access key", async () => {
    await configured.apply({ exports: { lake } }, withSecret("the-secret"));
    expect(await configured.steps({ exports: { lake } })).toEqual([]);
    await configured.apply({ exports: { lake: { ...lake, isEnabled: false } } });
    expect(
      await configured.steps({ exports: { lake: { ...lake, isEnabled: false } } }, withSecret("the-secret")),
    ).toEqual([]);
    const other = { ...lake, to: { ...lake.to, credential: { ...credential, accessKeyId: "AKIAOTHER" } } };
    expectProblem(await configured.plan({ exports: { lake: other } }), 400, "validation_failed", {
      pointer: "/configuration/exports/lake/to/credential/secretAccessKeyFrom/env",
    });
  });

  test("a secret that is missing or no credential is named", async () => {
    const pointer = "/configuration/exports/lake/to/credential/secretAccessKeyFrom";
    expectProblem(await configured.plan({ exports: { lake } }), 400, "validation_failed", {
      pointer: `${pointer}/env`,
    });
    expectProblem(await configured.plan({ exports: { lake } }, withSecret("with space")), 400, "validation_failed", {
      pointer,
    });
  });

  test("only admins dump, plan and read plans of exports", async () => {
    const { planId } = await configured.apply({ exports: { lake }, keyBuckets: { main: {} } }, withSecret("a-secret"));
    const editor = await configured.withRole("editor");
    expect((await editor.get(configured.path)).body.configuration).toEqual({ version: 1, keyBuckets: { main: {} } });
    // Otherwise a plan without steps would confirm a guess.
    const guess = { configuration: { version: 1, exports: { lake } }, ...withSecret("a-secret") };
    expectProblem(await editor.post(`${configured.path}/$plan`, guess), 403, "forbidden");
    expectProblem(await editor.get(`${configured.path}/plans/${planId}`), 403, "forbidden");
    expect((await configured.client.get(`${configured.path}/plans/${planId}`)).status).toBe(200);
  });
});
