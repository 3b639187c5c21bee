import { describe, expect } from "bun:test";
import { eventually } from "../support/eventually.ts";
import { useConsole } from "../support/use-console.ts";
import { useWebhookReceiver, verifySignature } from "../support/webhook-receiver.ts";

const user = useConsole();
const receiver = useWebhookReceiver();
const { check, see, press, type, confirm, menu } = user;
const hooks = "/v1/accounts/default/webhooks";
const hostile = `<img src=x onerror="document.title='hacked'">`;

let secret: string;
let id: string;

const rows = () => user.page.locator("tbody tr");
const copied = async (): Promise<string> => (await user.page.evaluate("navigator.clipboard.readText()")) as string;
const hook = async () => (await user.server.client.get(`${hooks}/${id}`)).body;

describe("webhooks", () => {
  check("an account without webhooks shows their purpose", async () => {
    await user.visit("/webhooks");
    await see("No webhooks yet");
    await user.expectAccessible();
  });

  check("one is created; errors are shown at their fields, and the secret is shown once", async () => {
    await press("Create the first webhook");
    user.expectStatus(400);
    await type("Address", "ftp://acme.example");
    await press("Create webhook");
    const address = user.page.getByLabel("Address");
    await user.until(async () => (await address.getAttribute("aria-invalid")) === "true", "the error at its field");
    await user.expectAccessible();
    await address.fill(receiver.url());
    await type("Description", hostile);
    await user.page.getByLabel("All events, including those added in later versions").uncheck();
    await user.page.getByLabel("All of key").check();
    await user.page.getByLabel(/^quota.threshold/).check();
    await user.expectAccessible();
    await user.page.context().grantPermissions(["clipboard-read", "clipboard-write"]);
    await press("Copy as…");
    await menu("Copy as command");
    expect(await copied()).toBe(
      `tollgate webhooks create ${receiver.url()} --event 'key.*' --event quota.threshold --description '${hostile.replaceAll("'", `'\\''`)}'`,
    );
    await press("Create webhook");
    await press("Copy");
    secret = await copied();
    expect(secret).toMatch(/^whsec_/);
    await press("I have stored it");
    await user.page.waitForURL(/\/webhooks\/hook_/);
    id = user.path.split("/").at(-1)!;
    await eventually(() => hook()).toMatchObject({
      events: ["key.*", "quota.threshold"],
      description: hostile,
      isEnabled: true,
    });
    await see(hostile);
    expect(await user.page.title()).not.toContain("hacked");
    await see("Nothing was sent yet");
    await user.expectAccessible();
  });

  check("a test is sent, and shows what its address responded", async () => {
    receiver.respond = () => new Response("<b>thank you</b>");
    await press("Send test");
    await see("Attempt 1");
    await see("<b>thank you</b>");
    await see("Succeeded");
    const [received] = await receiver.waitForType("webhook.test");
    verifySignature(secret, received!);
    await user.expectAccessible();
    await user.page.keyboard.press("Escape");
  });

  check("one that fails is shown clearly, and is retried", async () => {
    receiver.respond = () => new Response("busy", { status: 503 });
    const consumers = "/v1/accounts/default/key-buckets/main/consumers";
    await user.server.client.post(consumers, { name: "acme", apiKeys: [{}] });
    await receiver.wait(2);
    await user.visit("/webhooks");
    await see("One webhook does not get its messages");
    await see("Failing");
    await user.expectAccessible();
    await user.page.locator("tbody a").click();
    await see(/No message has arrived since/);
    await user.page.getByLabel("State").selectOption("pending");
    await user.until(async () => (await rows().count()) === 1, "the one pending");
    await eventually(() => user.path).toContain("status=pending");
    await eventually(() => rows().innerText()).toContain("Retrying");
    await user.page.getByRole("link", { name: "key.created" }).click();
    await see("503");
    await see("busy");
    receiver.respond = () => new Response(null, { status: 204 });
    await press("Retry now");
    await see("Attempt 2");
    await see("The response had no body.");
    await user.page.keyboard.press("Escape");
    await user.page.getByLabel("State").selectOption("");
    await user.page.getByLabel("Event").selectOption("webhook.test");
    await user.until(async () => (await rows().count()) === 1, "the test");
    await user.gone("Failing");
  });

  check("its events are edited, and a concurrent change shows both versions", async () => {
    await user.visit(`/webhooks/${id}`);
    await press("Edit");
    await user.page.getByLabel("All of key").uncheck();
    await user.page.getByLabel(/^key.rolled/).check();
    await user.server.client.patch(`${hooks}/${id}`, { description: "Changed elsewhere" });
    user.expectStatus(412);
    await press("Save");
    await see("This was changed by another user");
    const conflict = user.page.getByRole("row", { name: /Description/ });
    await eventually(() => conflict.innerText()).toContain("Changed elsewhere");
    await eventually(() => conflict.innerText()).toContain(hostile);
    await user.expectAccessible();
    await press("Take theirs");
    await user.until(
      async () => (await user.page.getByLabel("Description").inputValue()) === "Changed elsewhere",
      "their version",
    );
    await user.page.getByLabel("All of key").uncheck();
    await user.page.getByLabel(/^key.rolled/).check();
    await user.server.client.patch(`${hooks}/${id}`, { description: "Once more" });
    await press("Save");
    await press("Keep mine, and save over theirs");
    await user.gone("Edit webhook");
    await eventually(() => hook()).toMatchObject({
      events: ["quota.threshold", "key.rolled"],
      description: "Changed elsewhere",
    });
  });

  check("its secret is rotated with a grace", async () => {
    await press("More actions");
    await menu("Rotate secret");
    await user.page.getByRole("group", { name: "Keep signing with the old secret" }).getByText("For 1 hour").click();
    await see("During this time, each message has both signatures");
    await user.expectAccessible();
    await confirm("Rotate secret");
    const fresh = (await user.page.locator(".secret").innerText()).trim();
    expect(fresh).not.toBe(secret);
    await press("I have stored it");
    receiver.received.length = 0;
    await press("Send test");
    const [received] = await receiver.waitForType("webhook.test");
    verifySignature(secret, received!);
    verifySignature(fresh, received!);
    await see("Succeeded");
    await user.page.keyboard.press("Escape");
  });

  check("it is disabled, enabled, and sent again what it missed", async () => {
    await press("More actions");
    await menu("Disable");
    await user.expectAccessible();
    await confirm("Disable webhook");
    await see("Webhook disabled");
    await eventually(async () => (await hook()).isEnabled).toBe(false);
    await press("More actions");
    await menu("Enable");
    await confirm("Enable webhook");
    await see("Webhook enabled");
    await eventually(async () => (await hook()).isEnabled).toBe(true);

    receiver.received.length = 0;
    const { keys } = { keys: "/v1/accounts/default/key-buckets/main/consumers/acme/roll-key" };
    await user.server.client.post(keys, { expiresOn: user.server.clock.iso(3_600_000) });
    await receiver.waitForType("key.rolled");
    await press("More actions");
    await menu("Replay messages");
    await user.expectAccessible();
    await user.page.getByText("From… to…").click();
    await confirm("Replay");
    await see("Give both times.");
    await user.page.getByText("The last day").click();
    await confirm("Replay");
    await see("1 message queued again");
    await receiver.waitForType("key.rolled", 2);
  });

  check("a reader sees the actions, and why they are not allowed", async () => {
    const { body } = await user.server.client.post("/v1/accounts/default/tokens", { role: "reader" });
    await user.signIn(body.token);
    await user.visit("/webhooks");
    await user.pressDenied("New webhook");
    await see("Your token's role is reader. This needs editor or admin");
    await eventually(() => user.page.getByRole("dialog").count()).toBe(0);
    await user.visit(`/webhooks/${id}`);
    await press("More actions");
    await eventually(() => user.page.getByRole("menuitem", { name: "Delete" }).getAttribute("aria-disabled")).toBe(
      "true",
    );
    await user.page.keyboard.press("Escape");
    await user.expectAccessible();
    await user.signIn();
  });

  check("it fits a narrow window, and is deleted", async () => {
    await user.expectNarrow(["/webhooks", "/webhooks?new=true", `/webhooks/${id}`]);
    await user.visit(`/webhooks/${id}`);
    await press("More actions");
    await menu("Delete");
    await confirm("Delete webhook");
    await see("No webhooks yet");
    await eventually(async () => (await user.server.client.get(hooks)).body.total).toBe(0);
  });

  check("one that does not exist shows a link to the list", async () => {
    user.expectStatus(404);
    await user.visit(`/webhooks/${id}`);
    await see("Not found");
    await user.page.getByRole("link", { name: "Show webhooks" }).click();
    await see("No webhooks yet");
  });
});
