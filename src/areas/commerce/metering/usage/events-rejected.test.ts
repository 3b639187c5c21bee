import { describe, expect, test } from "bun:test";
import { casesFor, eachEngine } from "../../../../../test/support/engines.ts";
import { expectProblem } from "../../../../../test/support/expect-problem.ts";
import { meteringState, record, subscribed, usageEvent, usedOf } from "../../../../../test/support/metering.ts";
import { useServer } from "../../../../../test/support/server.ts";

const good = { specversion: "1.0", id: "1", source: "s", type: "t", subject: "acme", data: { requests: 1 } };

/** The JSON of a valid event, with a member that JavaScript could not serialize. */
function withMember(field: string, value: string | undefined): string {
  const others = Object.entries(good).filter(([name]) => name !== field);
  const text = JSON.stringify(Object.fromEntries(others));
  return value === undefined ? text : text.replace(/}$/, `,"${field}":${value}}`);
}

type Invalid = [field: string, value: string | undefined, pointer?: string];

const texts = ["null", "5", '""', "[]", "{}", "true", '"a\\u0000b"', '"\\ud800"', `"${"x".repeat(513)}"`];
const amounts = ["0", "-1", "-0.5", '"1"', '"many"', "null", "true", "[1]", "{}", "1e999", "-1e999", "1e300"];
const tooFine = ["0.0000000001", "1.0000000001", "1e-10"];
const tooLarge = ["9007199254740992", "9007199254740993", "1e16"];

const errors: Invalid[] = [
  ...["id", "source", "type", "subject", "data", "specversion"].map((field): Invalid => [field, undefined]),
  ...["id", "source", "type", "subject"].flatMap((field) => texts.map((value): Invalid => [field, value])),
  ...["null", "1.0", '"0.3"', '"1"', '"2.0"', '""'].map((value): Invalid => ["specversion", value]),
  ...["5", '""', '"2026-01-31"', '"yesterday"', '"2026-02-30T00:00:00Z"'].map((v): Invalid => ["time", v]),
  // Their periods could not be read.
  ...['"0000-12-31T23:59:59.999Z"', '"9999-01-01T00:00:00Z"'].map((value): Invalid => ["time", value]),
  ...["null", "5", "[]", '"x"', "{}", "[1]"].map((value): Invalid => ["data", value]),
  ...[...amounts, ...tooFine, ...tooLarge].map((value): Invalid => ["data", `{"requests":${value}}`, "/data/requests"]),
  ["data", '{"requests":1,"bytes":0}', "/data/bytes"],
  ["data", '{"requests":1,"unknown":1}', "/data/unknown"],
  ["data", '{"Requests":1}', "/data/Requests"],
  ["data", '{"":1}', "/data/"],
  ["data", '{"requests":1,"__proto__":1}', "/data/__proto__"],
  ["data", '{"requests":1,"constructor":1}', "/data/constructor"],
  ["data", '{"requests":1,"toString":1}', "/data/toString"],
  ["data", '{"a/b~c":1}', "/data/a~1b~0c"],
  ["data", '{"a\\u0000":1}', "/data/a\0"],
];

/** Looked up in storage. */
const unknownSubjects: Invalid[] = [
  ["subject", '"nobody"'],
  ["subject", '"Acme"'],
  ["subject", '"__proto__"'],
];

const shown = (error: Invalid): [string, Invalid] => [`${error[0]}: ${error[1]?.slice(0, 40) ?? "missing"}`, error];

eachEngine((engine) => {
  const { client } = useServer(engine);
  const scene = () => subscribed(client, { meters: { requests: { max: 100 }, bytes: { max: 10 } } });

  describe("rejected alone with 400, and in a batch by its index:", () => {
    test.each([...casesFor(engine, errors), ...unknownSubjects].map(shown))(
      "%s",
      async (_what, [field, value, pointer = `/${field}`]) => {
        const { bucket, path } = await scene();
        const before = await meteringState(client, bucket);
        const bad = withMember(field, value);
        const alone = await client.raw("POST", `${bucket}/events`, bad);
        expectProblem(alone, 400, "validation_failed", { pointer });
        const all = await client.raw("POST", `${bucket}/events`, `[${bad},${bad}]`);
        expect(all.status).toBe(200);
        expect(all.body).toMatchObject({ accepted: 0, duplicates: 0, rejected: [{ index: 0 }, { index: 1 }] });
        expect(await meteringState(client, bucket)).toEqual(before);

        const [one, other] = [usageEvent({ requests: 3 }), usageEvent({ requests: 4, bytes: 1 })].map((event) =>
          JSON.stringify(event),
        );
        const batch = `[${bad},${one},${bad},${other}]`;
        const { status, body } = await client.raw("POST", `${bucket}/events`, batch);
        expect(status).toBe(200);
        expect({ ...body, rejected: body.rejected.map(({ index }: { index: number }) => index) }).toEqual({
          accepted: 2,
          duplicates: 0,
          rejected: [0, 2],
        });
        for (const { detail } of body.rejected) expect(detail).toContain(field);
        expect(await usedOf(client, path)).toEqual({ requests: 7, bytes: 1 });
      },
    );
  });

  test("the error of an amount that is too large names the largest", async () => {
    const { bucket } = await scene();
    const { body } = await client.post(`${bucket}/events`, [usageEvent({ requests: 2 ** 53 })]);
    expect(body.rejected[0].detail).toContain("at most 9007199254740991");
  });

  test.each(casesFor(engine, ["5", '"text"', "null", "[]", "true"]))(
    "an event that is not an object is rejected by its index: %s",
    async (item) => {
      const { bucket, path } = await scene();
      const { status, body } = await client.raw("POST", `${bucket}/events`, `[${item},${JSON.stringify(good)}]`);
      expect(status).toBe(200);
      expect(body).toEqual({ accepted: 1, duplicates: 0, rejected: [{ index: 0, detail: "must be an object" }] });
      expect(await usedOf(client, path)).toEqual({ requests: 1, bytes: 0 });
    },
  );

  test.each([
    ["", "validation_failed", ""],
    ["null", "validation_failed", ""],
    ["5", "validation_failed", ""],
    ['"text"', "validation_failed", ""],
    ["[{]", "invalid_json", undefined],
  ])("no event and no batch: %p", async (body, code, pointer) => {
    const { bucket } = await scene();
    const before = await meteringState(client, bucket);
    expectProblem(await client.raw("POST", `${bucket}/events`, body), 400, code, { pointer });
    expect(await meteringState(client, bucket)).toEqual(before);
  });

  test.each(["1", "0.000000001", "9007199254740991", "1e3", "1E0", "0.1"])("a good amount: %s", async (amount) => {
    const { bucket, path } = await scene();
    const response = await client.raw("POST", `${bucket}/events`, withMember("data", `{"requests":${amount}}`));
    expect(response.body).toMatchObject({ accepted: 1 });
    expect((await usedOf(client, path)).requests).toBe(Number(amount));
  });

  test("an event that was rejected is counted once it is right", async () => {
    const { bucket, path } = await scene();
    expectProblem(await client.post(`${bucket}/events`, { ...good, data: { requests: -1 } }), 400, "validation_failed");
    expect(await record(client, bucket, [good])).toEqual({ accepted: 1, duplicates: 0, rejected: [] });
    expect((await usedOf(client, path)).requests).toBe(1);
  });

  test("long and odd texts are kept apart exactly", async () => {
    const { bucket, path } = await scene();
    const ids = ["x".repeat(512), "é", "e\u0301", "a", "A", " a", "a ", "\n", "💡", "1", "01"];
    const events = ids.map((id) => ({ ...good, id, source: "x".repeat(512) }));
    expect(await record(client, bucket, events)).toEqual({ accepted: ids.length, duplicates: 0, rejected: [] });
    expect(await record(client, bucket, events)).toEqual({ accepted: 0, duplicates: ids.length, rejected: [] });
    expect((await usedOf(client, path)).requests).toBe(ids.length);
  });
});
