import { expect } from "bun:test";
import { eventually } from "../support/eventually.ts";
import { account } from "../support/server-settings.ts";
import { useConsole } from "../support/use-console.ts";

const user = useConsole();
const { check, see, press, confirm } = user;
const path = `/v1/accounts/${account}/configuration`;

check("a plan is shown by its link, and applied after a confirmation", async () => {
  const { client } = user.server;
  await client.post(`/v1/accounts/${account}/key-buckets`, { name: "main", keyPrefix: "old" });
  const configuration = {
    version: 1,
    keyBuckets: { main: { keyPrefix: "acme" } },
    variables: { orders: { TOKEN: { isSecret: true, valueFrom: { env: "TOKEN" } } } },
  };
  const secrets = { TOKEN: "s3cr3t-of-the-upstream" };
  const { body } = await client.post(`${path}/$plan`, { configuration, secrets, as: "shop" });
  await user.visit(`/configuration/${body.planId}`);
  await see("Update keyBuckets main");
  await see('"keyPrefix": "acme"');
  await see("Create variables orders TOKEN");
  await see('"value": "changed"');
  await press("Apply 2 steps");
  await see("Apply this plan?");
  await confirm("Apply 2 steps");
  await see("applied");
  await user.gone("Apply this plan?");
  expect((await client.get(`${path}/plans/${body.planId}`)).body.status).toBe("applied");
  await eventually(() => user.page.getByRole("button", { name: "Apply 2 steps" }).count()).toBe(0);
});

check("a plan that no longer fits is not applied, and says why", async () => {
  const { client } = user.server;
  const configuration = { version: 1, keyBuckets: { main: { keyPrefix: "other" } } };
  const { body } = await client.post(`${path}/$plan`, { configuration });
  await client.patch(`/v1/accounts/${account}/key-buckets/main`, { description: "changed" });
  await user.visit(`/configuration/${body.planId}`);
  await press("Apply 1 step");
  user.expectStatus(409);
  await confirm("Apply 1 step");
  await see("keyBuckets main has changed since it was planned; plan again.");
});
