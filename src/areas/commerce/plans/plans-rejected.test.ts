import { describe, expect, test } from "bun:test";
import { casesFor, eachEngine } from "../../../../test/support/engines.ts";
import { expectProblem } from "../../../../test/support/expect-problem.ts";
import { createPlan, meteringState, newMeteringBucket, planInput } from "../../../../test/support/metering.ts";
import { useServer } from "../../../../test/support/server.ts";

/** Rejected on create and on update: JSON of a member, and the pointer of the error. */
const errors: [member: string, pointer: string][] = [
  ['"label":5', "/label"],
  ['"label":null', "/label"],
  ['"label":""', "/label"],
  [`"label":"${"x".repeat(257)}"`, "/label"],
  ['"label":"a\\u0000b"', "/label"],
  ['"label":"\\ud800"', "/label"],
  ['"planExternalId":7', "/planExternalId"],
  ['"planExternalId":null', "/planExternalId"],
  ['"planExternalId":""', "/planExternalId"],
  [`"planExternalId":"${"x".repeat(257)}"`, "/planExternalId"],
  ['"planExternalId":"\\u0000"', "/planExternalId"],
  ['"meters":{}', "/meters"],
  ['"meters":[]', "/meters"],
  ['"meters":null', "/meters"],
  ['"meters":"requests"', "/meters"],
  ['"meters":{"requests":5}', "/meters/requests"],
  ['"meters":{"requests":null}', "/meters/requests"],
  ['"meters":{"requests":{}}', "/meters/requests/max"],
  ['"meters":{"requests":{"label":"x"}}', "/meters/requests/max"],
  ['"meters":{"requests":{"max":null}}', "/meters/requests/max"],
  ['"meters":{"requests":{"max":"5"}}', "/meters/requests/max"],
  ['"meters":{"requests":{"max":-1}}', "/meters/requests/max"],
  ['"meters":{"requests":{"max":-0.1}}', "/meters/requests/max"],
  ['"meters":{"requests":{"max":1e999}}', "/meters/requests/max"],
  ['"meters":{"requests":{"max":9007199254740992}}', "/meters/requests/max"],
  ['"meters":{"requests":{"max":0.0000000001}}', "/meters/requests/max"],
  ['"meters":{"requests":{"max":1,"label":5}}', "/meters/requests/label"],
  ['"meters":{"requests":{"max":1,"label":null}}', "/meters/requests/label"],
  ['"meters":{"requests":{"max":1,"unit":"x"}}', "/meters/requests/unit"],
  ['"meters":{"good":{"max":1},"":{"max":1}}', "/meters/"],
  ['"meters":{"a b":{"max":1}}', "/meters/a b"],
  ['"meters":{"a/b":{"max":1}}', "/meters/a~1b"],
  ['"meters":{"é":{"max":1}}', "/meters/é"],
  ['"meters":{"a\\n":{"max":1}}', "/meters/a\n"],
  [`"meters":{"${"m".repeat(65)}":{"max":1}}`, `/meters/${"m".repeat(65)}`],
  ['"meters":{"__proto__":{"max":1}}', "/meters/__proto__"],
  ['"meters":{"good":{"max":1},"__proto__":{"max":1}}', "/meters/__proto__"],
  ['"meters":{"requests":{"max":1,"__proto__":{}}}', "/meters/requests/__proto__"],
  ['"trialDays":"14"', "/trialDays"],
  ['"trialDays":-1', "/trialDays"],
  ['"trialDays":1.5', "/trialDays"],
  ['"trialDays":1e9', "/trialDays"],
  ['"trialEndStatus":"active"', "/trialEndStatus"],
  ['"trialEndStatus":"Paused"', "/trialEndStatus"],
  ['"trialEndStatus":""', "/trialEndStatus"],
  ['"trialEndStatus":1', "/trialEndStatus"],
  ['"isTrialCollectPayment":"true"', "/isTrialCollectPayment"],
  ['"isTrialCollectPayment":1', "/isTrialCollectPayment"],
  ['"id":"plan_1"', "/id"],
  ['"hasSubscriptions":true', "/hasSubscriptions"],
  ['"createdOn":"2026-01-31T10:00:00.000Z"', "/createdOn"],
  ['"updatedOn":"2026-01-31T10:00:00.000Z"', "/updatedOn"],
  ['"price":5', "/price"],
  ['"__proto__":{"price":5}', "/__proto__"],
];

eachEngine((engine) => {
  const { client } = useServer(engine);

  describe("rejected, and nothing changed:", () => {
    test.each(casesFor(engine, errors))("%s", async (member, pointer) => {
      const bucket = await newMeteringBucket(client);
      const plan = await createPlan(client, bucket);
      const before = await meteringState(client, bucket);

      const name = member.slice(1, member.indexOf('"', 1));
      const good = Object.entries({ ...planInput(), trialDays: 3 }).filter(([field]) => field !== name);
      const create = JSON.stringify(Object.fromEntries(good)).replace(/}$/, `,${member}}`);
      expectProblem(await client.raw("POST", `${bucket}/plans`, create), 400, "validation_failed", { pointer });
      const change = JSON.stringify(name === "label" ? { trialDays: 3 } : { label: "New" }).replace(
        /}$/,
        `,${member}}`,
      );
      const path = `${bucket}/plans/${plan.id}`;
      expectProblem(await client.raw("PATCH", path, change), 400, "validation_failed", { pointer });

      expect(await meteringState(client, bucket)).toEqual(before);
    });
  });

  test.each(casesFor(engine, ["label", "planExternalId", "meters"]))("a plan needs %s", async (field) => {
    const bucket = await newMeteringBucket(client);
    const input = Object.fromEntries(Object.entries(planInput()).filter(([name]) => name !== field));
    const rejected = await client.post(`${bucket}/plans`, input);
    expectProblem(rejected, 400, "validation_failed", { pointer: `/${field}` });
    expect(rejected.body.errors).toEqual([{ pointer: `/${field}`, detail: "is required" }]);
    expect((await client.get(`${bucket}/plans`)).body.total).toBe(0);
  });

  test.each(casesFor(engine, ["trialDays", "trialEndStatus", "isTrialCollectPayment"]))(
    "a new plan has nothing to clear: %s",
    async (field) => {
      const bucket = await newMeteringBucket(client);
      const rejected = await client.post(`${bucket}/plans`, planInput({ [field]: null }));
      expectProblem(rejected, 400, "validation_failed", { pointer: `/${field}` });
      expect((await client.get(`${bucket}/plans`)).body.total).toBe(0);
    },
  );

  test.each(
    casesFor(engine, [
      ["[]", "validation_failed"],
      ["null", "validation_failed"],
      ['"text"', "validation_failed"],
      ["", "validation_failed"],
      ["{", "invalid_json"],
    ]),
  )("the body %p is no plan", async (body, code) => {
    const bucket = await newMeteringBucket(client);
    const plan = await createPlan(client, bucket);
    const before = await meteringState(client, bucket);
    const pointer = code === "invalid_json" ? undefined : "";
    expectProblem(await client.raw("POST", `${bucket}/plans`, body), 400, code, { pointer });
    expectProblem(await client.raw("PATCH", `${bucket}/plans/${plan.id}`, body), 400, code, { pointer });
    expect(await meteringState(client, bucket)).toEqual(before);
  });

  test("all errors are named at once", async () => {
    const bucket = await newMeteringBucket(client);
    const rejected = await client.post(`${bucket}/plans`, { label: 5, meters: { a: { max: -1 }, b: {} }, unknown: 1 });
    const pointers = rejected.body.errors.map((error: { pointer: string }) => error.pointer);
    expect(pointers.sort()).toEqual(["/label", "/meters/a/max", "/meters/b/max", "/planExternalId", "/unknown"]);
  });
});
