import { describe, expect, test } from "bun:test";
import { casesFor, eachEngine } from "../../../../test/support/engines.ts";
import { expectProblem } from "../../../../test/support/expect-problem.ts";
import {
  createPlan,
  meteringState,
  newMeteringBucket,
  type PlanNames,
  subscribe,
  subscribed,
  subscriptionInput,
} from "../../../../test/support/metering.ts";
import { useServer } from "../../../../test/support/server.ts";

const tooLarge = JSON.stringify("x".repeat(17_000));

const wrongDates = ['"2026-01-31"', '"2026-02-30T00:00:00Z"', '"2026-01-31T10:00:00"', "1767225600000", '"soon"', '""'];
const wrongTexts = ["5", "{}", '""', '"a\\u0000"', '"\\udfff"', `"${"x".repeat(257)}"`];
const wrongStatuses = ['"ended"', '"Active"', '""', "1", '"incomplete_expired"'];
const wrongMetadata: [value: string, pointer: string][] = [
  ['"text"', ""],
  ["[]", ""],
  [`{"a":${tooLarge}}`, ""],
  ['{"a":1e999}', "/a"],
  ['{"__proto__":{}}', "/__proto__"],
  ['{"a":{"__proto__":1}}', "/a/__proto__"],
];

/** The field, its JSON, and the pointer of the error in it. */
type Invalid = [field: string, value: string, pointer: string];

const onCreate: Invalid[] = [
  ...["null", ...wrongStatuses].map((value): Invalid => ["status", value, ""]),
  ...["null", '"once"', '"Periodic"', "{}"].map((value): Invalid => ["type", value, ""]),
  ...["null", '"weekly"', '"month"'].map((value): Invalid => ["renewalStrategy", value, ""]),
  ...["null", '"us-west1"', "[]"].map((value): Invalid => ["region", value, ""]),
  ...["customerKey", "subscriptionExternalId", "customerExternalId"].flatMap((field) =>
    ["null", ...wrongTexts].map((value): Invalid => [field, value, ""]),
  ),
  ...["quotaResetAnchor", "trialStartDate", "trialEndDate", "nextBillingCycle"].flatMap((field) =>
    ["null", ...wrongDates].map((value): Invalid => [field, value, ""]),
  ),
  ["trialEndStatus", "5", ""],
  ["trialEndStatus", `"${"x".repeat(65)}"`, ""],
  ["productKey", "5", ""],
  ["productKey", '"a\\u0000"', ""],
  ...wrongMetadata.map(([value, pointer]): Invalid => ["metadata", value, pointer]),
  ["metadata", "null", ""],
  ["planIds", '"plan_1"', ""],
  ["planIds", "[]", ""],
  ["planIds", "[5]", "/0"],
  ["planIds", '[""]', "/0"],
  ["planIds", "null", ""],
  ["planExternalIds", '{"0":"x"}', ""],
  ["planExternalIds", "[]", ""],
  ["planExternalIds", "[null]", "/0"],
  ["planExternalIds", '["\\u0000"]', "/0"],
  ["prorate", "0.5", ""],
  ["id", '"sbsc_1"', ""],
  ["createdOn", '"2026-01-31T10:00:00.000Z"', ""],
  ["updatedOn", '"2026-01-31T10:00:00.000Z"', ""],
  ["unknown", "1", ""],
  ["__proto__", "{}", ""],
];

const onChange: Invalid[] = [
  ...["null", ...wrongStatuses].map((value): Invalid => ["status", value, ""]),
  ...wrongDates.map((value): Invalid => ["trialEndDate", value, ""]),
  ...wrongMetadata.map(([value, pointer]): Invalid => ["metadata", value, pointer]),
  ...["-0.1", "1.1", '"0.5"', "null", "1e999", "{}"].map((value): Invalid => ["prorate", value, ""]),
  ["prorate", "0.5", ""], // without a change of plans
  ["planExternalIds", "null", ""],
  ["planExternalIds", "[]", ""],
  ["planExternalIds", '"price"', ""],
  ["planExternalIds", "[5]", "/0"],
  ["planExternalIds", '["nothing"]', "/0"],
  ...[
    "planIds",
    "type",
    "renewalStrategy",
    "region",
    "customerKey",
    "subscriptionExternalId",
    "customerExternalId",
  ].map((field): Invalid => [field, '"x"', ""]),
  ...["quotaResetAnchor", "trialEndStatus", "trialStartDate", "nextBillingCycle", "productKey"].map(
    (field): Invalid => [field, '"2026-01-31T10:00:00.000Z"', ""],
  ),
  ["id", '"sbsc_1"', ""],
  ["createdOn", '"2026-01-31T10:00:00.000Z"', ""],
  ["updatedOn", '"2026-01-31T10:00:00.000Z"', ""],
  ["unknown", "1", ""],
  ["__proto__", "{}", ""],
];

const shown = ([field, value, pointer]: Invalid): [string, Invalid] => [
  `${field}: ${value.slice(0, 60)}`,
  [field, value, pointer],
];

/** The object as JSON, with a member that JavaScript could not serialize. */
function withMember(object: object, field: string, value: string): string {
  const others = Object.entries(object).filter(([name]) => name !== field);
  return JSON.stringify(Object.fromEntries(others)).replace(
    /}$/,
    `${others.length > 0 ? "," : ""}"${field}":${value}}`,
  );
}

eachEngine((engine) => {
  const { client } = useServer(engine);

  describe("not made, and nothing changed:", () => {
    test.each(casesFor(engine, onCreate).map(shown))("%s", async (_what, [field, value, inside]) => {
      const { bucket, plan } = await subscribed(client);
      const before = await meteringState(client, bucket);
      const body = withMember(subscriptionInput([plan]), field, value);
      const rejected = await client.raw("POST", `${bucket}/subscriptions`, body);
      expectProblem(rejected, 400, "validation_failed", { pointer: `/${field}${inside}` });
      expect(await meteringState(client, bucket)).toEqual(before);
    });

    test.each(casesFor(engine, Object.keys(subscriptionInput([]))))("without %s", async (field) => {
      const { bucket, plan } = await subscribed(client);
      const input = Object.entries(subscriptionInput([plan])).filter(([name]) => name !== field);
      const rejected = await client.post(`${bucket}/subscriptions`, Object.fromEntries(input));
      expectProblem(rejected, 400, "validation_failed", { pointer: `/${field}` });
      expect(rejected.body.errors).toHaveLength(1);
      expect((await client.get(`${bucket}/subscriptions`)).body.total).toBe(1);
    });
  });

  describe("not changed:", () => {
    test.each(casesFor(engine, onChange).map(shown))("%s", async (_what, [field, value, inside]) => {
      const { bucket, path } = await subscribed(client, {}, { metadata: { a: 1 } });
      const before = await meteringState(client, bucket);
      const good = field === "status" ? { metadata: { b: 2 } } : { status: "canceled" };
      const rejected = await client.raw("PATCH", path, withMember(good, field, value));
      expectProblem(rejected, 400, "validation_failed", { pointer: `/${field}${inside}` });
      expect(await meteringState(client, bucket)).toEqual(before);
    });
  });

  describe("planIds and planExternalIds must name plans of the bucket, and the same:", () => {
    interface Plans {
      one: PlanNames;
      two: PlanNames;
      foreign: PlanNames;
    }
    type Names = Pick<ReturnType<typeof subscriptionInput>, "planIds" | "planExternalIds">;
    const ids = (...plans: PlanNames[]) => plans.map((plan) => plan.id);
    const externalIds = (...plans: PlanNames[]) => plans.map((plan) => plan.planExternalId);

    test.each<[what: string, names: (plans: Plans) => Names, pointer: string]>([
      ["an id of none", ({ one }) => ({ planIds: [one.id, "x"], planExternalIds: externalIds(one) }), "/planIds/1"],
      ["an external id of none", ({ one }) => ({ planIds: ids(one), planExternalIds: ["x"] }), "/planExternalIds/0"],
      ["an id as external id", ({ one }) => ({ planIds: ids(one), planExternalIds: ids(one) }), "/planExternalIds/0"],
      [
        "an external id as id",
        ({ one }) => ({ planIds: externalIds(one), planExternalIds: externalIds(one) }),
        "/planIds/0",
      ],
      [
        "plans of another bucket",
        ({ foreign }) => ({ planIds: ids(foreign), planExternalIds: externalIds(foreign) }),
        "/planExternalIds/0",
      ],
      [
        "an id of another bucket",
        ({ one, foreign }) => ({ planIds: ids(one, foreign), planExternalIds: externalIds(one) }),
        "/planIds/1",
      ],
      ["different ones", ({ one, two }) => ({ planIds: ids(one), planExternalIds: externalIds(two) }), "/planIds/0"],
      ["more ids", ({ one, two }) => ({ planIds: ids(one, two), planExternalIds: externalIds(one) }), "/planIds/1"],
      [
        "more external ids",
        ({ one, two }) => ({ planIds: ids(one), planExternalIds: externalIds(one, two) }),
        "/planExternalIds/1",
      ],
      ["one twice", ({ one }) => ({ planIds: ids(one), planExternalIds: externalIds(one, one) }), "/planExternalIds/1"],
      ["an id twice", ({ one }) => ({ planIds: ids(one, one), planExternalIds: externalIds(one) }), "/planIds/1"],
    ])("%s", async (_what, names, pointer) => {
      const bucket = await newMeteringBucket(client);
      const one = await createPlan(client, bucket);
      const two = await createPlan(client, bucket);
      const foreign = await createPlan(client, await newMeteringBucket(client));
      const input = { ...subscriptionInput([one]), ...names({ one, two, foreign }) };
      const rejected = await client.post(`${bucket}/subscriptions`, input);
      expectProblem(rejected, 400, "validation_failed", { pointer });
      expect((await client.get(`${bucket}/subscriptions`)).body.total).toBe(0);
      expect((await client.get(`${bucket}/plans/${one.id}`)).body.hasSubscriptions).toBe(false);
    });

    test("a change must name plans of the bucket too", async () => {
      const bucket = await newMeteringBucket(client);
      const one = await createPlan(client, bucket);
      const foreign = await createPlan(client, await newMeteringBucket(client));
      const { id } = await subscribe(client, bucket, [one]);
      const before = await meteringState(client, bucket);
      for (const [planExternalIds, index] of [
        [externalIds(one, foreign), 1],
        [externalIds(one, one), 1],
        [ids(one), 0],
      ] as const) {
        const rejected = await client.patch(`${bucket}/subscriptions/${id}`, { planExternalIds, status: "unpaid" });
        expectProblem(rejected, 400, "validation_failed", { pointer: `/planExternalIds/${index}` });
      }
      expect(await meteringState(client, bucket)).toEqual(before);
    });
  });

  test("a missing field of any type is reported as required, and a wrong type is one error", async () => {
    const bucket = await newMeteringBucket(client);
    const input = subscriptionInput([await createPlan(client, bucket)]);
    const { status: _, type: __, customerKey: ___, ...rest } = input;
    const rejected = await client.post(`${bucket}/subscriptions`, { ...rest, planIds: rest.planIds[0] });
    expectProblem(rejected, 400, "validation_failed");
    expect(rejected.body.errors).toEqual([
      { pointer: "/planIds", detail: "must be an array" },
      { pointer: "/status", detail: expect.stringMatching(/^is required, must be one of "active", "inactive", /) },
      { pointer: "/type", detail: 'is required, must be "periodic"' },
      { pointer: "/customerKey", detail: "is required" },
    ]);
    const wrong = await client.post(`${bucket}/subscriptions`, { ...input, type: "once" });
    expect(wrong.body.errors).toEqual([{ pointer: "/type", detail: 'must be "periodic"' }]);
  });

  test("a plan that goes while it is subscribed to leaves no half subscription", async () => {
    for (let round = 0; round < 10; round++) {
      const bucket = await newMeteringBucket(client);
      const plan = await createPlan(client, bucket);
      const [made, gone] = await Promise.all([
        client.post(`${bucket}/subscriptions`, subscriptionInput([plan])),
        client.delete(`${bucket}/plans/${plan.id}`),
      ]);
      expect([made.status, gone.status]).toBeOneOf([
        [200, 409],
        [400, 204],
        [409, 204],
      ]);
      const { data } = (await client.get(`${bucket}/subscriptions`)).body;
      expect(data).toEqual(made.status === 200 ? [made.body] : []);
    }
  });
});
