import { afterAll, beforeAll, describe, expect } from "bun:test";
import { rm } from "node:fs/promises";
import { eventually } from "../support/eventually.ts";
import { s3Credential, startS3 } from "../support/s3-server.ts";
import { useConsole } from "../support/use-console.ts";

const directory = `/tmp/tollgate-console-exports-${process.pid}`;
const user = useConsole({ environment: { TOLLGATE_EXPORT_DIR: directory } });
const { check, see, press, type, confirm, menu } = user;
const exports = "/v1/accounts/default/exports";
const hour = 3_600_000;
const secret = "a-secret-that-is-wrong";

let s3: Awaited<ReturnType<typeof startS3>>;
beforeAll(async () => {
  s3 = await startS3("warehouse");
});
afterAll(async () => {
  await s3.stop();
  await rm(directory, { recursive: true, force: true });
});

const stored = async (name: string) => (await user.server.client.get(`${exports}/${name}`)).body;
const row = (name: string) => user.page.getByRole("row", { name: new RegExp(name) });
const act = async (name: string, action: string) => {
  await press(`Actions of ${name}`);
  await menu(action);
};
const copied = async (): Promise<string> => (await user.page.evaluate("navigator.clipboard.readText()")) as string;

describe("exports", () => {
  check("an account without exports shows their purpose, and errors are shown at their fields", async () => {
    await user.visit("/settings?tab=exports");
    await see("No exports yet");
    await user.expectAccessible();
    await press("New export");
    await type("Name", "Lake");
    await type("Bucket and prefix", "https://warehouse");
    await user.page.getByLabel("Usage events").uncheck();
    user.expectStatus(400);
    await confirm("Create export");
    await see("must be s3://bucket/prefix");
    await see("must name at least one");
    await user.expectAccessible();
    expect((await user.server.client.get(exports)).body.total).toBe(0);
  });

  check("one to S3 is created, whose secret is neither copied nor shown again", async () => {
    await type("Name", "lake");
    await type("Bucket and prefix", "s3://warehouse/toll");
    await type("Endpoint", s3.endpoint);
    await type("Access key ID", s3Credential.accessKeyId);
    await type("Secret access key", secret);
    await user.page.getByLabel("Usage events").check();
    await user.page.getByLabel("Audit log").check();
    await user.page.context().grantPermissions(["clipboard-read", "clipboard-write"]);
    await press("Copy as…");
    await menu("Copy as command");
    expect(await copied()).toBe(
      `tollgate exports create lake s3://warehouse/toll --kind events --kind audit --format parquet --endpoint ${s3.endpoint}`,
    );
    await press("Copy as…");
    await menu("Copy as curl");
    expect(await copied()).toContain('"secretAccessKey":"…"');
    await confirm("Create export");
    await see("s3://warehouse/toll");
    expect(await stored("lake")).toMatchObject({ kinds: ["events", "audit"], format: "parquet", isEnabled: true });
    await eventually(() => row("lake").innerText()).toContain("None yet");
    await eventually(() => user.page.content()).not.toContain(secret);
  });

  check("a failing one shows its error until its credential is replaced", async () => {
    const { clock } = user.server;
    clock.advance(hour + 3 * 60_000);
    await user.server.client.patch(`${exports}/lake`, {
      credential: { accessKeyId: "ANOTHER", secretAccessKey: secret },
    });
    await user.server.runTasks();
    await user.visit("/settings?tab=exports");
    await see("Failing");
    await see(/the storage responded with 403/);
    await user.expectAccessible();
    await act("lake", "Replace credential");
    await type("Access key ID", s3Credential.accessKeyId);
    await type("Secret access key", s3Credential.secretAccessKey);
    await confirm("Replace credential");
    await see("Credential replaced");
    await user.server.runTasks();
    await user.visit("/settings?tab=exports");
    await see("Up to date");
    await user.gone(/403/);
    const { lastHour } = await stored("lake");
    await eventually(() => row("lake").locator("time").getAttribute("datetime")).toBe(lastHour);
  });

  check("earlier hours are written, with their progress", async () => {
    await act("lake", "Write earlier hours");
    const { firstHour } = await stored("lake");
    // As the input wants it: in the time zone of the browser.
    const earlier = await user.page.evaluate(
      `(() => { const time = new Date(${Date.parse(firstHour) - 30 * hour}); return new Date(time - time.getTimezoneOffset() * 60000).toISOString().slice(0, 16); })()`,
    );
    await type("From", earlier as string);
    await confirm("Write earlier hours");
    await see("0 of 30 hours");
    await user.expectAccessible();
    await press("Actions of lake");
    await see("Earlier hours are being written. Wait until that is done.");
    await user.page.keyboard.press("Escape");
    await user.expectNarrow(["/settings?tab=exports"]);
    await user.server.runTasks();
    await user.visit("/settings?tab=exports");
    await user.gone("0 of 30 hours");
    expect(Date.parse((await stored("lake")).firstHour)).toBe(Date.parse(firstHour) - 30 * hour);
  });

  check("one to a folder is created, paused, resumed and deleted", async () => {
    await press("New export");
    await type("Name", "archive");
    await user.page.getByText("A folder of the server").click();
    const folder = user.page.getByLabel("Folder", { exact: true });
    await folder.fill("/elsewhere");
    await user.page.getByText("NDJSON").last().click();
    user.expectStatus(400);
    await confirm("Create export");
    await see("must be the folder default of TOLLGATE_EXPORT_DIR, or below it");
    await folder.fill(`${directory}/default/archive`);
    await confirm("Create export");
    await eventually(() => row("archive").innerText()).toContain("Up to date");
    expect(await stored("archive")).toMatchObject({
      to: { url: `file:${directory}/default/archive` },
      format: "ndjson",
    });
    await act("archive", "Pause");
    await see("It then continues where it was.");
    await confirm("Pause archive");
    await eventually(() => row("archive").innerText()).toContain("Paused");
    expect((await stored("archive")).isEnabled).toBe(false);
    await act("archive", "Resume");
    await confirm("Resume archive");
    await eventually(() => stored("archive")).toMatchObject({ isEnabled: true });
    await act("archive", "Delete");
    await see("What it has written stays there.");
    await user.expectAccessible();
    await confirm("Cancel");
    expect((await stored("archive")).name).toBe("archive");
    await act("archive", "Delete");
    await confirm("Delete archive");
    await user.until(async () => (await row("archive").count()) === 0, "the row to go");
    expect((await user.server.client.get(exports)).body.total).toBe(1);
  });

  check("only admins see them", async () => {
    const { body } = await user.server.client.post("/v1/accounts/default/tokens", { role: "editor", name: "ci" });
    await user.signIn(body.token);
    // Before it, the page of the admin may have read them again.
    const before = user.requests.length;
    await user.visit("/settings?tab=exports");
    await see("Exports are shown to admins");
    expect(user.requests.slice(before).filter((url) => url.endsWith(exports))).toEqual([]);
    await user.gone("lake");
  });
});
