import { describe, expect, test } from "bun:test";
import { newBucketPath } from "../../../../test/support/bucket-path.ts";
import { casesFor, eachEngine } from "../../../../test/support/engines.ts";
import { expectProblem } from "../../../../test/support/expect-problem.ts";
import { useServer } from "../../../../test/support/server.ts";

const described = {
  description: "Acme",
  tags: { plan: "gold", seats: 5 },
  metadata: { owner: { name: "Jo" }, list: [1] },
};

eachEngine((engine) => {
  const { client, clock } = useServer(engine);

  async function create() {
    const path = `${newBucketPath()}/consumers/acme`;
    const created = await client.post(path.replace("/acme", ""), { name: "acme", ...described });
    clock.advance(1000);
    return { path, before: created.body, etag: created.headers.get("etag")! };
  }

  describe("a field given replaces the old value, null clears it, one left out stays:", () => {
    test.each([
      [{ displayName: " Acme Inc " }, { ...described, displayName: "Acme Inc" }],
      [{ displayName: null }, described],
      [{ description: "New" }, { ...described, description: "New" }],
      [{ description: "" }, { ...described, description: "" }],
      [{ description: null }, { tags: described.tags, metadata: described.metadata }],
      [{ tags: { region: "eu" } }, { ...described, tags: { region: "eu" } }],
      [{ tags: { plan: "gold" } }, { ...described, tags: { plan: "gold" } }],
      [{ tags: {} }, { ...described, tags: {} }],
      [{ tags: null }, { description: "Acme", metadata: described.metadata }],
      [{ metadata: { owner: {} } }, { ...described, metadata: { owner: {} } }],
      [{ metadata: {} }, { ...described, metadata: {} }],
      [{ metadata: null }, { description: "Acme", tags: described.tags }],
      [{ description: null, tags: null, metadata: null }, {}],
      [
        { description: "2", tags: { a: true }, metadata: { b: null } },
        { description: "2", tags: { a: true }, metadata: { b: null } },
      ],
    ])("%j", async (patch, expected) => {
      const { path, before, etag } = await create();
      const updated = await client.patch(path, patch);
      expect(updated.status).toBe(200);
      const { id, name, createdOn } = before;
      expect(updated.body).toEqual({ id, name, createdOn, updatedOn: clock.iso(), ...expected });
      expect(updated.headers.get("etag")).not.toBe(etag);

      const read = await client.get(path);
      expect(read.body).toEqual(updated.body);
      expect(read.headers.get("etag")).toBe(updated.headers.get("etag"));
    });
  });

  test("a display name is shown wherever the consumer is, and null clears it", async () => {
    const { path } = await create();
    const named = await client.patch(path, { displayName: "東京ガス & Söhne" });
    expect(named.body.displayName).toBe("東京ガス & Söhne");
    expect((await client.get(path)).body).toEqual(named.body);
    expect((await client.get(path.replace("/acme", ""))).body.data[0].displayName).toBe("東京ガス & Söhne");
    expect((await client.patch(path, { displayName: null })).body).not.toHaveProperty("displayName");
    const created = await client.post(path.replace("/acme", ""), { name: "other", displayName: "x".repeat(80) });
    expect(created.body.displayName).toHaveLength(80);
  });

  test.each(["", " ", "x".repeat(81), "Acme\nInc", "Acme\u202e", "\u200b", 7])(
    "%j is no display name",
    async (displayName) => {
      const { path, before } = await create();
      expectProblem(await client.patch(path, { displayName }), 400, "validation_failed", { pointer: "/displayName" });
      const created = await client.post(path.replace("/acme", ""), { name: "other", displayName });
      expectProblem(created, 400, "validation_failed", { pointer: "/displayName" });
      expect((await client.get(path)).body).toEqual(before);
    },
  );

  test("an empty update changes nothing, not even the time and the ETag", async () => {
    const { path, before, etag } = await create();
    const response = await client.patch(path, {});
    expect(response.status).toBe(200);
    expect(response.body).toEqual(before);
    expect(response.headers.get("etag")).toBe(etag);
    const read = await client.get(path);
    expect(read.body).toEqual(before);
    expect(read.headers.get("etag")).toBe(etag);
  });

  test("cleared fields can be set again", async () => {
    const { path } = await create();
    await client.patch(path, { description: null, tags: null, metadata: null });
    expect((await client.patch(path, described)).body).toMatchObject(described);
  });

  describe("rejected, and nothing changed:", () => {
    test.each(
      casesFor(engine, [
        ['{"name":"other"}', "/name"],
        ['{"name":"acme"}', "/name"],
        ['{"id":"csmr_1"}', "/id"],
        ['{"createdOn":"2026-01-31T10:00:00.000Z"}', "/createdOn"],
        ['{"updatedOn":"2026-01-31T10:00:00.000Z"}', "/updatedOn"],
        ['{"description":"New","apiKeys":[]}', "/apiKeys"],
        ['{"description":"New","managers":[]}', "/managers"],
        ['{"description":"New","unknown":1}', "/unknown"],
        ['{"description":5,"tags":{"a":1}}', "/description"],
        ["[]", ""],
        ["null", ""],
        ['"text"', ""],
      ]),
    )("%s", async (body, pointer) => {
      const { path, before, etag } = await create();
      expectProblem(await client.raw("PATCH", path, body), 400, "validation_failed", { pointer });
      const read = await client.get(path);
      expect(read.body).toEqual(before);
      expect(read.headers.get("etag")).toBe(etag);
    });
  });

  test("a consumer that does not exist is not made", async () => {
    const { path } = await create();
    const other = path.replace("/acme", "/other");
    expectProblem(await client.patch(other, { description: "New" }), 404, "not_found");
    expectProblem(await client.patch(other, {}), 404, "not_found");
    expect((await client.get(path.replace("/acme", ""))).body.total).toBe(1);
  });

  test("keys and managers are not touched", async () => {
    const path = `${newBucketPath()}/consumers`;
    const included = "?include-api-keys=true&include-managers=true&include-manager-invites=true&key-format=visible";
    await client.post(`${path}?with-api-key=true`, { name: "acme", managers: [{ sub: "1" }, "jo@acme.example"] });
    const { updatedOn: _, ...before } = (await client.get(`${path}/acme${included}`)).body;
    clock.advance(1000);
    await client.patch(`${path}/acme`, { description: "New" });
    const { updatedOn, ...after } = (await client.get(`${path}/acme${included}`)).body;
    expect(after).toEqual({ ...before, description: "New" });
    expect(updatedOn).toBe(clock.iso());
  });

  describe("If-Match", () => {
    test("with the current ETag, the resource is updated", async () => {
      const { path, etag } = await create();
      for (const [index, header] of [etag, '"other", *', "*"].entries()) {
        expect((await client.patch(path, { description: `${index}` }, { "if-match": header })).status).toBe(200);
      }
      const current = (await client.get(path)).headers.get("etag");
      expect((await client.patch(path, { description: "last" }, { "if-match": `"x", ${current}` })).status).toBe(200);
    });

    test.each(["old", '"other"', 'W/"other"', "other", '""'])("with %p, nothing changes", async (header) => {
      const { path, etag } = await create();
      const changed = await client.patch(path, { description: "first" });
      const ifMatch = header === "old" ? etag : header;
      for (const body of [{ description: "second", tags: null }, {}]) {
        expectProblem(await client.patch(path, body, { "if-match": ifMatch }), 412, "precondition_failed");
      }
      const read = await client.get(path);
      expect(read.body).toEqual(changed.body);
      expect(read.headers.get("etag")).toBe(changed.headers.get("etag"));
    });

    test("the ETag of a consumer that was deleted does not fit one of the same name", async () => {
      const { path, etag } = await create();
      await client.delete(path);
      await client.post(path.replace("/acme", ""), { name: "acme", ...described });
      expectProblem(await client.patch(path, { description: "New" }, { "if-match": etag }), 412, "precondition_failed");
      expect((await client.get(path)).body.description).toBe("Acme");
    });

    test("a missing consumer is missing, whatever is expected of it", async () => {
      const { path, etag } = await create();
      const missing = await client.patch(path.replace("/acme", "/other"), {}, { "if-match": etag });
      expectProblem(missing, 404, "not_found");
    });

    test("of ten concurrent updates with the same ETag, one succeeds", async () => {
      const { path, etag } = await create();
      const responses = await Promise.all(
        Array.from({ length: 10 }, (_, index) => client.patch(path, { description: `${index}` }, { "if-match": etag })),
      );
      const [won, ...more] = responses.filter(({ status }) => status === 200);
      expect(more).toEqual([]);
      for (const lost of responses.filter((one) => one !== won)) expectProblem(lost, 412, "precondition_failed");
      expect((await client.get(path)).body).toEqual(won?.body);
    });
  });

  test("of ten changes at once, none is lost", async () => {
    const { path, etag } = await create();
    const responses = await Promise.all(
      Array.from({ length: 10 }, (_, index) => client.patch(path, { tags: { [`tag-${index}`]: true, common: index } })),
    );
    const etags = responses.map(({ headers }) => headers.get("etag"));
    expect(new Set([...etags, etag]).size).toBe(11);
    const { body } = await client.get(path);
    expect(responses.map((response) => response.body)).toContainEqual(body);
    const consumers = path.replace("/acme", "");
    for (let index = 0; index < 10; index++) {
      const { total } = (await client.get(`${consumers}?tag.common=${index}`)).body;
      expect(total).toBe(body.tags.common === index ? 1 : 0);
    }
  });

  test("consumers that swap their tags concurrently do not deadlock", async () => {
    const consumers = `${newBucketPath()}/consumers`;
    const plans = ["gold", "silver"];
    // At most every eighth consumer shares a counter, so groups of eight change in opposite orders.
    const planOf = (index: number, round: number) => plans[(Math.floor(index / 8) + round) % 2];
    const indexes = Array.from({ length: 32 }, (_, index) => index);
    for (const index of indexes)
      await client.post(consumers, { name: `c-${index}`, tags: { plan: planOf(index, 0)! } });
    for (const round of [1, 2, 3]) {
      const responses = await Promise.all(
        indexes.map((index) => client.patch(`${consumers}/c-${index}`, { tags: { plan: planOf(index, round)! } })),
      );
      expect(responses.map(({ status }) => status)).toEqual(indexes.map(() => 200));
      for (const plan of plans) expect((await client.get(`${consumers}?tag.plan=${plan}`)).body.total).toBe(16);
    }
  });
});
