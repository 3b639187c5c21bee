import { afterAll, beforeAll, expect } from "bun:test";
import { eventually } from "../support/eventually.ts";
import { IdentityProvider, newSigningKey } from "../support/identity-provider.ts";
import { useMailServer } from "../support/mail-server.ts";
import { registerClient, settingsFor } from "../support/provider-sign-in.ts";
import { until } from "../support/until.ts";
import { ConsoleUser, patienceMs } from "../support/use-console.ts";

const email = "ada@acme.example";
const { server: smtp, environment: mailSettings } = useMailServer();
const user = new ConsoleUser();
const { see, press, type, check } = user;
let provider: IdentityProvider;

beforeAll(async () => {
  const key = await newSigningKey("one");
  provider = await IdentityProvider.start([key]);
  await user.open({ environment: { ...mailSettings(), ...settingsFor(provider) } });
  registerClient(provider, user.server);
  await provider.publish([key]);
}, patienceMs);
afterAll(async () => {
  await user.close();
  await provider.stop();
}, patienceMs);

/** The mail number `count` to the person. */
async function mail(count: number) {
  const arrived = async () => {
    await user.server.catchUp();
    return smtp.to(email).length >= count;
  };
  await until(arrived, { what: "a mail", withinMs: patienceMs / 2 });
  return smtp.to(email).at(-1)!;
}

const signedInAs = (name: string) => user.page.getByRole("button", { name: `Signed in as ${name}` }).waitFor();

async function signOut() {
  await user.page.getByRole("button", { name: /^Signed in as/ }).click();
  await user.menu("Sign out");
}

/** The provider is another server, which the page visits on purpose. */
function forgetProvider() {
  const others = user.requests.filter((url) => !url.startsWith(`${provider.issuer}/`));
  user.requests.splice(0, user.requests.length, ...others);
}

check("an admin with the first token invites a colleague, who accepts and signs in by mail", async () => {
  await user.show("/settings?tab=people");
  await see("No people yet");
  await press("Invite person");
  await type("Email", email);
  await type("Name", "Ada");
  await user.page.getByLabel("Role").selectOption("admin");
  await user.confirm("Invite person");
  await see("The invitation is sent by mail.");
  await user.page.goto((await mail(1)).url);
  await press("Accept the invitation");
  await signedInAs("Ada");
  await signOut();
  await type("Email", email);
  await press("Send sign-in mail");
  await see(`If ${email} belongs to a member`);
  await type("Code", (await mail(2)).code!);
  await user.page.getByRole("button", { name: "Sign in", exact: true }).click();
  await signedInAs("Ada");
  await signOut();
  await user.page.getByLabel("Email").waitFor();
});

check("the colleague signs in with the provider from a page, and signs out of both", async () => {
  provider.people.claims = { sub: "ada", email, email_verified: true };
  await user.page.goto(`${user.server.url}/console/settings?tab=sessions`);
  await user.page.getByRole("link", { name: `Continue with ${new URL(provider.issuer).host}` }).click();
  await signedInAs("Ada");
  await eventually(() => user.path).toBe("/console/settings?tab=sessions");
  await user.page.getByRole("row", { name: new RegExp(`${email}.*Identity provider`) }).waitFor();
  const { data } = (await user.server.client.get("/v1/accounts/default/members")).body;
  expect(data).toMatchObject([{ email, role: "admin", state: "active" }]);
  await signOut();
  await user.page.waitForURL(`${provider.issuer}/**`);
  await user.page.getByRole("button", { name: /yes/i }).click();
  await user.page.getByLabel("Email").waitFor();
  forgetProvider();
});
