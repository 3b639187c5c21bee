import { afterAll, beforeAll, describe, expect } from "bun:test";
import { eventually } from "../support/eventually.ts";
import { useMailServer } from "../support/mail-server.ts";
import { adminToken, operatorToken } from "../support/server-settings.ts";
import { until } from "../support/until.ts";
import { ConsoleUser, patienceMs } from "../support/use-console.ts";

const { server: smtp, environment: mail } = useMailServer();
const user = new ConsoleUser();
const { see, press, type, check } = user;

beforeAll(async () => {
  await user.open({ environment: mail() });
}, patienceMs);
afterAll(async () => {
  await user.close();
}, patienceMs);

/** The mail that arrives next at an address. */
async function mailTo(address: string, count = 1) {
  await until(
    async () => {
      await user.server.catchUp();
      return smtp.to(address).length >= count;
    },
    { what: "a mail", withinMs: patienceMs / 2 },
  );
  return smtp.to(address).at(-1)!;
}

/** The label of the field on the sign-in page without a session. */
async function firstField(): Promise<string> {
  const context = await user.page.context().browser()!.newContext();
  try {
    const page = await context.newPage();
    await page.goto(`${user.server.url}/console/sign-in`);
    return await page.locator("form label").first().innerText();
  } finally {
    await context.close();
  }
}

describe("people", () => {
  check("sign in by mail only after one was invited: before, the page offers the token", async () => {
    expect(await firstField()).toBe("Token");
    const invited = { email: "grace@acme.example", role: "reader" };
    const { body: member } = await user.server.client.post("/v1/accounts/default/members", invited);
    expect(await firstField()).toBe("Email");
    await user.server.client.delete(`/v1/accounts/default/members/${member.id}`);
    expect(await firstField()).toBe("Token");
  });

  check("are invited by mail, accept, and are listed with their sessions", async () => {
    await user.visit("/settings?tab=people");
    await see("No people yet");
    await user.expectAccessible();
    await press("Invite person");
    await type("Email", "ada@acme.example");
    await type("Name", "Ada");
    await user.page.getByLabel("Role").selectOption("admin");
    await user.confirm("Invite person");
    await see("The invitation is sent by mail. It is valid for 7 days.");
    await user.confirm("Done");
    await see("Invited");
    const { url } = await mailTo("ada@acme.example");
    await user.page.goto(url);
    await see("You are invited as ada@acme.example, with the role admin.");
    await eventually(() => user.page.url()).not.toContain("#");
    await user.expectAccessible();
    await press("Accept the invitation");
    await user.page.waitForSelector(".sidebar");
    await user.page.getByRole("button", { name: "Signed in as Ada" }).waitFor();
    await user.visit("/settings?tab=people");
    await see("You");
    await see("Active");
    await user.page.getByRole("table", { name: "Mail" }).getByText("sent").first().waitFor();
    await user.expectAccessible();
    await user.visit("/settings?tab=sessions");
    await user.page.getByRole("row", { name: /ada@acme.example.*Invitation/ }).waitFor();
    await user.expectNarrow(["/settings?tab=people", "/settings?tab=sessions"]);
  });

  check("sign in with a code of a mail, and with its link", async () => {
    await user.visit("/sign-in");
    await type("Email", "ada@acme.example");
    await user.expectAccessible();
    await press("Send sign-in mail");
    await see("If ada@acme.example belongs to a member");
    const { code, url } = await mailTo("ada@acme.example", 2);
    user.expectStatus(401);
    await type("Code", "0000 0000");
    await user.page.getByRole("button", { name: "Sign in", exact: true }).click();
    await see("The code is wrong");
    await type("Code", code!);
    await user.page.getByRole("button", { name: "Sign in", exact: true }).click();
    await user.page.waitForSelector(".sidebar");
    user.expectStatus(404);
    await user.page.goto(url);
    await press("Sign in to the console");
    await see("The link was used or has expired");
    await user.visit("/sign-in");
    await type("Email", "ada@acme.example");
    await press("Send sign-in mail");
    await see("If ada@acme.example belongs to a member");
    const second = await mailTo("ada@acme.example", 3);
    await user.page.goto(second.url);
    await press("Sign in to the console");
    await user.page.waitForSelector(".sidebar");
  });

  check("accept or decline invitations after sign-in, which have no effect before", async () => {
    const operator = user.server.client.as(operatorToken);
    const invitation = { email: "ada@acme.example", role: "reader" };
    for (const name of ["unwanted", "wanted"]) {
      await operator.post("/v1/accounts", { name });
      await operator.post(`/v1/accounts/${name}/members`, invitation);
    }
    const statesIn = async (name: string) =>
      (await operator.get(`/v1/accounts/${name}/members`)).body.data.map(({ state }: { state: string }) => state);
    const signInAs = async (email: string) => {
      await user.server.catchUp();
      const before = smtp.to(email).length;
      await user.visit("/sign-in");
      await type("Email", email);
      await press("Send sign-in mail");
      const { url } = await mailTo(email, before + 1);
      await user.page.goto(url);
      await press("Sign in to the console");
    };
    await signInAs("ada@acme.example");
    await see("You are invited to unwanted, wanted.");
    for (const name of ["unwanted", "wanted"]) expect(await statesIn(name)).toEqual(["invited"]);
    await user.page.getByRole("link", { name: "Review the invitations" }).click();
    await see("operator invites you with the role reader.");
    await user.expectAccessible();
    await press("Decline the invitation to unwanted");
    await user.page.getByRole("heading", { name: "unwanted", exact: true }).waitFor({ state: "detached" });
    expect(await statesIn("unwanted")).toEqual([]);
    await press("Accept the invitation to wanted");
    await user.page.waitForSelector(".sidebar");
    expect(await statesIn("wanted")).toEqual(["active"]);

    // A person without an account sees nothing but the invitation.
    await operator.post("/v1/accounts/unwanted/members", { email: "eve@acme.example", role: "admin" });
    await signInAs("eve@acme.example");
    await see("operator invites you with the role admin.");
    expect(user.path).toBe("/console/invitations");
    await user.expectAccessible();
    await press("Decline the invitation to unwanted");
    await see("You are not a member of any account.");
    expect(await statesIn("unwanted")).toEqual([]);
  });

  check("are limited to projects, and removed", async () => {
    await user.signIn(adminToken);
    await user.visit("/settings?tab=people");
    await press("Invite person");
    await type("Email", "bo@acme.example");
    await user.page.getByLabel("Role").selectOption("editor");
    await type("Only these projects", "orders, payments");
    await user.confirm("Invite person");
    await see("bo@acme.example is invited");
    await user.confirm("Done");
    await see("orders, payments");
    const { url } = await mailTo("bo@acme.example");
    await user.page.goto(url);
    await press("Accept the invitation");
    await user.page.waitForSelector(".sidebar");
    await user.until(() => user.path.startsWith("/console/deployments"), "the deployments");
    await eventually(() => user.page.locator(".frame > .sidebar .nav a").allInnerTexts()).toEqual([
      "Deployments",
      "Settings",
    ]);
    await user.signIn(adminToken);
    await user.visit("/settings?tab=people");
    await press("Remove bo@acme.example");
    await see("All their sessions end immediately");
    await user.confirm("Remove member");
    await see("Member removed");
    await user.page
      .getByRole("table", { name: "Members" })
      .getByRole("row", { name: /bo@acme/ })
      .waitFor({ state: "detached" });
    expect((await user.server.client.get("/v1/accounts/default/members")).body.total).toBe(1);
  });
});

describe("trusted issuers", () => {
  const issuers = "/v1/accounts/default/trusted-issuers";

  check("are added, changed and deleted", async () => {
    await user.signIn(adminToken);
    await user.visit("/settings?tab=issuers");
    await see("No trusted issuers yet");
    await user.expectAccessible();
    await press("Trust issuer");
    await type("Subject", "*");
    user.expectStatus(400);
    await user.confirm("Trust issuer");
    await see("must not be a bare *");
    await user.expectAccessible();
    await type("Subject", "repo:acme/<img src=x>:pull_request");
    await type("Project", "shop");
    await type("Branch claim", "head_ref");
    for (const [claim, pattern] of [
      ["repository_id", "42"],
      ["ref", "refs/heads/a"],
      ["ref", "refs/heads/b"],
    ] as const) {
      await press("Add claim");
      await user.page.getByLabel("Claim", { exact: true }).last().fill(claim);
      await user.page.getByLabel("Pattern", { exact: true }).last().fill(pattern);
    }
    await user.confirm("Trust issuer");
    await see("repo:acme/<img src=x>:pull_request");
    await see("Previews");
    const [created] = (await user.server.client.get(issuers)).body.data;
    expect(created).toMatchObject({
      issuer: "https://token.actions.githubusercontent.com",
      role: "editor",
      project: "shop",
      environments: ["PREVIEW"],
      branchClaim: "head_ref",
      claims: { repository_id: "42", ref: ["refs/heads/a", "refs/heads/b"] },
    });
    await user.expectAccessible();
    await press(/^Edit repo:acme/);
    await user.page.getByLabel("Deployments").selectOption("Production and previews");
    await type("Branch claim", "");
    for (let left = 3; left > 0; left--) await press("Remove claim 1");
    await user.confirm("Save");
    await see("Production");
    const changed = (await user.server.client.get(`${issuers}/${created.id}`)).body;
    expect(changed).toMatchObject({ project: "shop", audience: created.audience });
    expect(changed.environments.toSorted()).toEqual(["PREVIEW", "PRODUCTION"]);
    for (const field of ["branchClaim", "claims"]) expect(changed).not.toHaveProperty(field);
    await user.expectNarrow(["/settings?tab=issuers"]);
    await user.visit("/settings?tab=issuers");
    await press(/^Delete repo:acme/);
    await see("the tokens that they have stop working immediately");
    await user.confirm("Stop trusting");
    await see("No trusted issuers yet");
    expect((await user.server.client.get(issuers)).body.total).toBe(0);
  });
});
