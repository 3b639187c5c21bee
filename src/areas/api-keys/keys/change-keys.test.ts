import { describe, expect, test } from "bun:test";
import { casesFor, eachEngine } from "../../../../test/support/engines.ts";
import { expectProblem } from "../../../../test/support/expect-problem.ts";
import { newKeyHolder, stateOfKeys, verdict, verify } from "../../../../test/support/key-holder.ts";
import { useServer } from "../../../../test/support/server.ts";

const value = "a-key-of-my-own-making";

eachEngine((engine) => {
  const { client, clock } = useServer(engine);

  const newKey = async (input: object = {}) => {
    const holder = await newKeyHolder(client);
    const { body } = await client.post(holder.keys, input);
    return { ...holder, id: body.id, key: body.key, created: body, path: `${holder.keys}/${body.id}` };
  };

  describe("an update", () => {
    test("a changed value works immediately, and the old one stops", async () => {
      const { bucket, path, id, key } = await newKey();
      expect(await verdict(client, bucket, key)).toBe("valid");
      clock.advance(1000);
      const { status, body } = await client.patch(path, { key: value });
      expect(status).toBe(200);
      expect(body).toMatchObject({ id, key: `****${value.slice(-5)}`, updatedOn: clock.iso() });
      expect(await verdict(client, bucket, key)).toBe("not_found");
      expect((await verify(client, bucket, value)).body).toMatchObject({ valid: true, keyId: id });
      expect((await client.get(`${path}?key-format=visible`)).body.key).toBe(value);
    });

    test("a value that is changed there and back: each time only the present one works", async () => {
      const { bucket, path, key } = await newKey();
      for (const [present, past] of [
        [value, key],
        [key, value],
        [value, key],
      ]) {
        await client.patch(path, { key: present });
        expect(await verdict(client, bucket, present)).toBe("valid");
        expect(await verdict(client, bucket, past)).toBe("not_found");
      }
    });

    test("a changed expiry takes effect immediately, in both directions", async () => {
      const { bucket, path, key } = await newKey();
      expect(await verdict(client, bucket, key)).toBe("valid");
      for (const [expiresOn, expected] of [
        [clock.iso(-1), "expired"],
        [clock.iso(1), "valid"],
        [clock.iso(0), "expired"],
        [null, "valid"],
      ] as const) {
        expect((await client.patch(path, { expiresOn })).body.expiresOn).toBe(expiresOn);
        expect(await verdict(client, bucket, key)).toBe(expected);
        expect((await verify(client, bucket, key)).body.expiresOn ?? null).toBe(
          expected === "valid" ? expiresOn : null,
        );
      }
    });

    test("replaces the given fields, clears with null, and keeps the others", async () => {
      const { path, created } = await newKey({ description: "before", expiresOn: "2027-01-01T00:00:00Z" });
      const { key: _, ...before } = created;
      const changed = await client.patch(path, { description: "after" });
      expect(changed.body).toMatchObject({ ...before, updatedOn: clock.iso(), description: "after" });
      const cleared = await client.patch(path, { description: null, expiresOn: null });
      expect(cleared.body).not.toHaveProperty("description");
      expect(cleared.body.expiresOn).toBeNull();
      expect((await client.get(path)).body).toEqual(cleared.body);
    });

    test("an update of nothing changes nothing", async () => {
      const { path, created } = await newKey({ description: "kept" });
      const etag = (await client.get(path)).headers.get("etag");
      clock.advance(1000);
      const response = await client.patch(path, {});
      expect(response.status).toBe(200);
      expect(response.body).toMatchObject({ description: "kept", updatedOn: created.updatedOn });
      expect((await client.get(path)).headers.get("etag")).toBe(etag);
    });

    test("an update in a bucket that is not retrievable returns the new value masked", async () => {
      const holder = await newKeyHolder(client, { bucketOptions: { isRetrievable: false } });
      const { body } = await client.post(holder.keys, {});
      const patched = await client.patch(`${holder.keys}/${body.id}`, { key: value });
      expect(patched.body.key).toBe(`****${value.slice(-5)}`);
      expect(await verdict(client, holder.bucket, value)).toBe("valid");
      expect(await verdict(client, holder.bucket, body.key)).toBe("not_found");
    });
  });

  describe("an update that is rejected changes nothing:", () => {
    const rejected: Record<string, [body: unknown, pointer: string]> = {
      "a key too short": [{ key: "short" }, "/key"],
      "a key with spaces": [{ key: "a key with some spaces" }, "/key"],
      "no key": [{ key: null }, "/key"],
      "a date without time": [{ expiresOn: "2027-01-01" }, "/expiresOn"],
      "an unknown field": [{ enabled: false }, "/enabled"],
      "a read-only field": [{ createdOn: "2027-01-01T00:00:00Z" }, "/createdOn"],
      "good and bad together": [{ description: "good", expiresOn: "bad" }, "/expiresOn"],
      "a list": [[{ description: "x" }], ""],
    };
    test.each(casesFor(engine, Object.entries(rejected)))("%s", async (_name, [body, pointer]) => {
      const key = await newKey();
      const before = await stateOfKeys(client, key);
      expectProblem(await client.patch(key.path, body), 400, "validation_failed", { pointer });
      expect(await stateOfKeys(client, key)).toEqual(before);
      expect(await verdict(client, key.bucket, key.key)).toBe("valid");
    });

    test("no body", async () => {
      const key = await newKey();
      expectProblem(await client.raw("PATCH", key.path, ""), 400, "validation_failed", { pointer: "" });
    });

    test("a key that is not there", async () => {
      const { keys } = await newKey();
      expectProblem(await client.patch(`${keys}/key_none`, { description: "x" }), 404, "not_found");
    });
  });

  describe("a delete", () => {
    test("stops the key at once and leaves no trace of it", async () => {
      const { bucket, keys, path, key } = await newKey();
      expect(await verdict(client, bucket, key)).toBe("valid");
      const { status, text } = await client.delete(path);
      expect([status, text]).toEqual([204, ""]);
      expect(await verdict(client, bucket, key)).toBe("not_found");
      expectProblem(await client.get(path), 404, "not_found");
      expectProblem(await client.delete(path), 404, "not_found");
      expect((await client.get(keys)).body.total).toBe(0);
    });

    test("of ten at once, one finds the key", async () => {
      const { path } = await newKey();
      const responses = await Promise.all(Array.from({ length: 10 }, () => client.delete(path)));
      expect(responses.map(({ status }) => status).sort()).toEqual([204, ...Array(9).fill(404)]);
    });

    test("leaves the other keys of the consumer", async () => {
      const { bucket, keys, path } = await newKey();
      const other = await client.post(keys, {});
      await client.delete(path);
      expect(await verdict(client, bucket, other.body.key)).toBe("valid");
    });
  });

  describe("If-Match", () => {
    const changes: Record<string, (path: string, headers: Record<string, string>) => Promise<{ status: number }>> = {
      update: (path, headers) => client.patch(path, { description: "changed" }, headers),
      delete: (path, headers) => client.delete(path, headers),
    };
    test.each(Object.entries(changes))(
      "%s: another state is 412 and changes nothing, the present one is done",
      async (_name, change) => {
        const key = await newKey();
        const old = (await client.get(key.path)).headers.get("etag")!;
        const present = (await client.patch(key.path, { description: "second state" })).headers.get("etag")!;
        expect(present).not.toBe(old);
        const before = await stateOfKeys(client, key);
        for (const etag of [old, '"something else"', `W/${present}`]) {
          const response = await change(key.path, { "if-match": etag });
          expect(response).toMatchObject({ status: 412, body: { code: "precondition_failed" } });
        }
        expect(await stateOfKeys(client, key)).toEqual(before);
        expect((await change(key.path, { "if-match": `"x", ${present}` })).status).toBeOneOf([200, 204]);
      },
    );

    test("of ten updates at once from one state, one is done", async () => {
      const { path } = await newKey();
      const headers = { "if-match": (await client.get(path)).headers.get("etag")! };
      const responses = await Promise.all(
        Array.from({ length: 10 }, (_, index) => client.patch(path, { description: `${index}` }, headers)),
      );
      expect(responses.map(({ status }) => status).sort()).toEqual([200, ...Array(9).fill(412)]);
      const winner = responses.find(({ status }) => status === 200);
      expect((await client.get(path)).body).toEqual(winner!.body);
    });
  });
});
