import { expect, test } from "bun:test";
import fc from "fast-check";
import { openTestControlPlane } from "../../test/support/control-plane.ts";
import { parseVerifyInput, verifyInput } from "../areas/api-keys/keys/schema.ts";
import { consumeInput, parseConsumeInput } from "../areas/commerce/metering/routes/quotas.ts";

/** Values similar to those that the operations accept: valid ones, invalid ones and ones with extra fields. */
const name = fc.oneof(
  fc.constantFrom(
    "key",
    "meters",
    "consume",
    "bucketId",
    "hold",
    "ip",
    "permission",
    "requests",
    "__proto__",
    "constructor",
    "",
    "a b",
    "é",
  ),
  fc.string({ maxLength: 20 }),
);
const { value } = fc.letrec((tie) => ({
  value: fc.oneof(
    { depthSize: "small" },
    fc.string({ maxLength: 50 }),
    fc.constantFrom(null, true, 0, 1, -1, 0.5, 1e15, 1e16, 1e300),
    fc.integer(),
    fc.double(),
    fc.array(tie("value"), { maxLength: 2 }),
    fc.dictionary(name, tie("value"), { maxKeys: 3 }),
    fc.record({ key: tie("value") }),
    fc.record(
      {
        key: fc.string(),
        ip: fc.oneof(fc.ipV4(), fc.ipV6(), fc.constantFrom("::ffff:1.2.3.4", "fe80::1%eth0", "1.2.3", "")),
        permission: fc.oneof(fc.constantFrom("orders:read", "*", "a b", ""), fc.string()),
        consume: fc.oneof(
          tie("value"),
          fc.record({ bucketId: fc.string(), meters: fc.dictionary(name, tie("value"), { maxKeys: 3 }) }),
          fc.record({ bucketId: fc.string(), meters: fc.dictionary(name, fc.integer(), { maxKeys: 20 }) }),
        ),
      },
      { requiredKeys: ["key"] },
    ),
    fc.record({ meters: fc.dictionary(name, tie("value"), { maxKeys: 3 }) }),
  ),
}));
/** Serialized as in a request. */
const json = value.map((each) => JSON.parse(JSON.stringify(each)) as unknown);

test.each([
  ["verifyKey", verifyInput, parseVerifyInput, { key: "tg_1" }],
  ["verifyKey", verifyInput, parseVerifyInput, { key: "tg_1", ip: "192.0.2.1", permission: "orders:read" }],
  ["verifyKey", verifyInput, parseVerifyInput, { key: "tg_1", consume: { bucketId: "main", meters: { requests: 1 } } }],
  ["consumeQuota", consumeInput, parseConsumeInput, { meters: { requests: 1 } }],
])("the fast parser of %s accepts nothing that the schema rejects, and parses it alike", (_, schema, parse, usual) => {
  expect(parse(usual)).toEqual(usual as never);
  fc.assert(
    fc.property(json, (body) => {
      const parsed = parse(body);
      if (parsed === undefined) return;
      const result = schema.safeParse(body);
      expect(result.success).toBe(true);
      expect(parsed).toEqual(result.data as never);
    }),
    { numRuns: 2_000 },
  );
});

test.each([
  [
    "verifyKey",
    verifyInput,
    parseVerifyInput,
    (meters: object) => ({ key: "tg_1", consume: { bucketId: "main", meters } }),
  ],
  ["consumeQuota", consumeInput, parseConsumeInput, (meters: object) => ({ meters })],
])(
  "the fast parser of %s leaves more meters than are allowed to the schema, which rejects them",
  (_, schema, parse, body) => {
    const meters = (count: number) =>
      Object.fromEntries(Array.from({ length: count }, (_, index) => [`meter-${index}`, 1]));
    expect(parse(body(meters(16)))).toBeDefined();
    expect(parse(body(meters(101)))).toBeUndefined();
    expect(schema.safeParse(body(meters(100))).success).toBe(true);
    expect(schema.safeParse(body(meters(101))).success).toBe(false);
  },
);

test("every fast parser is compared above", async () => {
  const { controlPlane, close } = await openTestControlPlane();
  const fast = controlPlane.endpoints.filter((endpoint) => endpoint.parse).map(({ operationId }) => operationId);
  await close();
  expect(fast.sort()).toEqual(["consumeQuota", "verifyKey"]);
});
