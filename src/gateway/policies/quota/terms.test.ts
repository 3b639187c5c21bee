import { beforeAll, expect, test } from "bun:test";
import { eachEngine } from "../../../../test/support/engines.ts";
import { createPlan, newMeteringBucket, subscribe } from "../../../../test/support/metering.ts";
import { type Deployed, deploy, openApi } from "../../../../test/support/project.ts";
import { useServer } from "../../../../test/support/server.ts";
import { account } from "../../../../test/support/server-settings.ts";

const handler = `import type { Handler } from "tollgate";
const show: Handler = (request, context) => Response.json({ before: request.headers.get("x-before"), user: context.user });
export default show;
`;
const policy = `import type { Policy } from "tollgate";
const note: Policy = (request, context) => {
  const changed = new Request(request);
  changed.headers.set("x-before", context.user?.plan ?? "no plan");
  return changed;
};
export default note;
`;

eachEngine((engine) => {
  const server = useServer(engine);
  const { client } = server;
  let deployed: Deployed;
  let authorization: string;
  let bucket: string;

  beforeAll(async () => {
    bucket = await newMeteringBucket(client);
    const created = await client.post(`/v1/accounts/${account}/key-buckets/main/consumers?with-api-key=true`, {
      name: "acme",
    });
    authorization = `Bearer ${created.body.apiKeys[0].key}`;
    const plans = [];
    const features = { gold: { support: "email", seats: 3 }, extra: { seats: 5, sso: true } };
    for (const [planExternalId, included] of Object.entries(features))
      plans.push(
        await createPlan(client, bucket, { planExternalId, meters: { requests: { max: 10 } }, features: included }),
      );
    await subscribe(client, bucket, plans, { customerKey: "acme" });
    const bucketId = bucket.split("/").at(-1);
    const shown = (...policies: string[]) => ({
      "x-tollgate": { policies, handler: "modules/show.ts" },
    });
    deployed = await deploy(
      server,
      { project: "terms", branch: "main" },
      {
        "openapi.json": openApi({
          "/keyed": shown("key"),
          "/quota": shown("key", "note", "quota"),
          "/usage": shown("key", "note", "usage"),
        }),
        "tollgate.json": {
          policies: {
            key: { type: "api-key", options: { bucket: "main" } },
            note: { type: "modules/note.ts" },
            quota: { type: "quota", options: { bucketId, meters: { requests: 1 } } },
            usage: { type: "usage", options: { bucketId, meters: { requests: { header: "x-units" } } } },
          },
        },
        "modules/show.ts": handler,
        "modules/note.ts": policy,
      },
    );
  });

  const userOf = async (path: string) =>
    (await (await deployed.call(path, { headers: { authorization } })).json()) as { before?: string; user: object };

  test.each(["/quota", "/usage"])(
    "code after %s knows the first plan and the features of all; code before it does not",
    async (path) => {
      expect(await userOf(path)).toMatchObject({
        before: "no plan",
        user: { sub: "acme", plan: "gold", features: { support: "email", seats: 5, sso: true } },
      });
    },
  );

  test("without such a policy there is no plan", async () => {
    const { user } = await userOf("/keyed");
    expect(Object.keys(user).sort()).toEqual(["data", "keyId", "permissions", "sub"]);
  });
});
