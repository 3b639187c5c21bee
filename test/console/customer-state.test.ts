import { beforeAll, describe, expect } from "bun:test";
import { billed, invoicesOf, monthly, moveTo, ok, setProfile } from "../support/billing.ts";
import { eventually } from "../support/eventually.ts";
import { createPlan, record, subscribe, usageEvent } from "../support/metering.ts";
import { patienceMs, useConsole } from "../support/use-console.ts";

const user = useConsole();
const { check } = user;
const start = "2031-01-01T00:00:00.000Z";
const consumers = "/v1/accounts/default/key-buckets/main/consumers";
let bucket: string;
let path: string;

beforeAll(async () => {
  const { client } = user.server;
  await setProfile(client);
  const scene = await billed(client, start, monthly("29.00"));
  ({ bucket, path } = scene);
  const free = await createPlan(client, bucket, { meters: { requests: { label: "Requests", max: 10 } } });
  await subscribe(client, bucket, [free], { customerKey: "full", subscriptionExternalId: "full" });
  await record(client, bucket, { ...usageEvent({ requests: 10 }), subject: "full" });
  for (const name of ["acme", "full", "lone"]) await ok(client.post(`${consumers}?with-api-key=true`, { name }));
}, patienceMs);

const state = () => user.page.locator(".customer-state p").innerText();
const actions = () => user.page.locator(".customer-state").getByRole("button").allInnerTexts();
const show = (name: string) => user.visit(`/consumers/main/${name}`);
const showsState = (text: string | RegExp) => eventually(state).toEqual(expect.stringMatching(text));

describe("the state of a customer", () => {
  check("says that requests pass, or that there is no plan", async () => {
    await show("acme");
    await showsState(/^Requests pass\.$/);
    expect(await actions()).toEqual([]);
    await show("lone");
    await showsState("There is no plan: routes with a quota reject requests.");
  });

  check("names what is used up, and offers another plan", async () => {
    await show("full");
    await showsState(/^The plan is used up until .*Feb.* 2031: no Requests left\.$/);
    await eventually(actions).toEqual(["Change plan"]);
  });

  check("names the invoice, and frees a blocked customer with two clicks", async () => {
    const { client } = user.server;
    const [invoice] = await invoicesOf(client, bucket);
    await ok(client.post(`${bucket}/invoices/${invoice.id}/$mark-uncollectible`));
    await show("acme");
    await showsState(new RegExp(`^Requests pass until .*2031: ${invoice.number} \\(€29.00\\) is not paid\\.$`));
    await moveTo(client, bucket, "2031-01-25T00:00:00.000Z");
    expect((await ok(client.get(path))).status).toBe("unpaid");
    await show("acme");
    await showsState(/^Requests that a plan limits are rejected since .*2031: .*\(€29.00\) is not paid\.$/);
    await eventually(actions).toEqual(["Mark as paid"]);
    await user.press("Mark as paid");
    await user.confirm("Mark as paid");
    await showsState(/^Requests pass\.$/);
    expect((await ok(client.get(path))).status).toBe("active");
  });

  check("names a pause and a status that was set by hand, with the action that ends each", async () => {
    const { client } = user.server;
    await ok(client.post(`${path}/$pause`));
    await show("acme");
    await showsState(/rejected: the subscription is paused/);
    await user.press("Resume");
    await user.confirm("Resume subscription");
    await showsState(/^Requests pass\.$/);
    await ok(client.patch(path, { status: "past-due" }));
    await show("acme");
    await showsState(/rejected: the subscription is past due/);
    await eventually(actions).toEqual(["Change status"]);
    await ok(client.patch(path, { status: "active" }));
  });

  check("names a suspension and disabled keys before everything else", async () => {
    const { client } = user.server;
    const [key] = (await ok(client.get(`${consumers}/full/keys`))).data;
    await ok(client.patch(`${consumers}/full/keys/${key.id}`, { isEnabled: false }));
    await show("full");
    await showsState("All requests are rejected: the only key is disabled.");
    await ok(client.patch(`${consumers}/full`, { isSuspended: true, suspensionReason: "Abuse" }));
    await show("full");
    await showsState("All requests are rejected: the consumer is suspended: Abuse");
    await user.press("Resume");
    await user.confirm("Resume");
    await showsState("the only key is disabled");
  });
});
