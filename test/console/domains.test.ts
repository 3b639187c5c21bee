import { expect } from "bun:test";
import { domainsPath, useDns } from "../support/domains.ts";
import { eventually } from "../support/eventually.ts";
import { deploy, openApi } from "../support/project.ts";
import { useConsole } from "../support/use-console.ts";

const { dns, environment } = useDns({
  TOLLGATE_GATEWAY_URL: "http://{name}.apis.example.com",
  TOLLGATE_EGRESS: "any",
});
const user = useConsole({ environment });
const { check, see, press, type, confirm } = user;
const host = "api.acme.example";

const domains = async () => (await user.server.client.get(domainsPath())).body.data;

check("an account without domains shows their purpose, and that a deployment is required", async () => {
  await user.visit("/domains");
  await see("No domains yet");
  await user.expectAccessible();
  await press("Add the first domain");
  await see("There is no deployment yet");
  await user.page.keyboard.press("Escape");
});

check("one is added; errors are shown at their fields, and the records to set are listed", async () => {
  const document = openApi({ "/a": { "x-tollgate": { upstream: "http://127.0.0.1:9" } } });
  const { name } = await deploy(user.server, { project: "shop", branch: "main" }, { "openapi.json": document });
  await user.visit("/domains?new=true");
  user.expectStatus(400);
  await type("Host", "no host at all");
  await confirm("Add domain");
  const field = user.page.getByLabel("Host", { exact: true });
  await user.until(async () => (await field.getAttribute("aria-invalid")) === "true", "the error at its field");
  await user.expectAccessible();
  await eventually(() => domains()).toEqual([]);
  await field.fill(host);
  await confirm("Add domain");
  await user.page.waitForURL(/domain=domn_/);
  const [domain] = await domains();
  expect(domain).toMatchObject({ host, deploymentName: name, status: "pending" });
  for (const { name: recordName, value } of domain.dns) {
    await see(recordName);
    await see(value);
  }
  await see("Waiting for DNS");
  await user.expectAccessible();
});

check("once its TXT record is found it is active, without a reload", async () => {
  const [{ dns: records }] = await domains();
  const proof = records.find((record: { type: string }) => record.type === "TXT");
  dns.set("TXT", proof.name, proof.value);
  // Repeated checks cause one lookup in five seconds.
  user.server.clock.advance(5_000);
  await press("Check now");
  await user.page.getByRole("dialog").getByText("Active", { exact: true }).waitFor();
  await see("Found");
});

check("another deployment is mounted at a path; errors are shown at their fields", async () => {
  const [{ id, deploymentName }] = await domains();
  await user.visit(`/domains?domain=${id}`);
  await press("Deployments");
  await press("Add a path for another deployment");
  const mount = user.page.getByRole("group", { name: "Mount 2" });
  await mount.getByRole("textbox", { name: "Path" }).fill("/billing/");
  await mount.getByLabel("Hide the path").check();
  user.expectStatus(400);
  await confirm("Save deployments");
  await mount.getByText("no trailing slash").waitFor();
  await user.expectAccessible();
  expect((await domains())[0].mounts).toBeUndefined();
  await mount.getByRole("textbox", { name: "Path" }).fill("/billing");
  await confirm("Save deployments");
  await user.page.getByRole("list", { name: "Mounts" }).getByText("/billing").waitFor();
  expect((await domains())[0].mounts).toEqual([
    { path: "/", deploymentName },
    { path: "/billing", deploymentName, stripPath: true },
  ]);
  await press("Deployments");
  await press("Remove the mount /billing");
  await confirm("Save deployments");
  await user.until(async () => (await domains())[0].mounts === undefined, "one deployment");
});

check("an id that does not exist offers nothing to check or delete", async () => {
  user.expectStatus(404);
  await user.visit("/domains?domain=nope");
  const panel = user.page.getByRole("dialog");
  await panel.getByText("It does not exist, or was deleted.").waitFor();
  await eventually(() => panel.getByRole("button").allInnerTexts()).toEqual([""]);
});

check("the palette finds it", async () => {
  await user.visit("/");
  await user.page.keyboard.press("Control+k");
  await user.page.getByRole("combobox", { name: "Search pages" }).fill("api.acme");
  await user.page.getByRole("option", { name: host }).click();
  await user.page.waitForURL(/\/domains\?domain=domn_/);
  await see("DNS records to set");
});

check("it is deleted", async () => {
  await press("Delete");
  await confirm(`Delete ${host}`);
  await see("No domains yet");
  await eventually(() => domains()).toEqual([]);
});

check("narrow windows need no sideways scrolling", async () => {
  await user.expectNarrow(["/domains", "/domains?new=true"]);
});
