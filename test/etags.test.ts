import { beforeAll, describe, expect, test } from "bun:test";
import type { ClientResponse } from "./support/client.ts";
import { eachEngine } from "./support/engines.ts";
import { expectProblem } from "./support/expect-problem.ts";
import { useServer } from "./support/server.ts";
import { operatorToken } from "./support/server-settings.ts";

const buckets = "/v1/accounts/default/key-buckets";
const consumers = `${buckets}/main/consumers`;

/** Creates a resource of a kind and returns its path. */
type Maker = (name: string) => Promise<string>;

let count = 0;

eachEngine((engine) => {
  const server = useServer(engine);
  const client = server.client.as(operatorToken);

  async function create(path: string, body: object): Promise<ClientResponse> {
    const created = await client.post(path, body);
    expect(created.status).toBe(200);
    return created;
  }
  async function inList(path: string, body: object): Promise<string> {
    return `${path}/${(await create(path, body)).body.id}`;
  }

  beforeAll(() => create(consumers, { name: "acme" }));

  const makers: Record<string, Maker> = {
    account: async (name) => `/v1/accounts/${(await create("/v1/accounts", { name })).body.name}`,
    token: (name) => inList("/v1/accounts/default/tokens", { role: "reader", name }),
    bucket: async (name) => `${buckets}/${(await create(buckets, { name })).body.name}`,
    consumer: async (name) => `${consumers}/${(await create(consumers, { name })).body.name}`,
    key: () => inList(`${consumers}/acme/keys`, {}),
    manager: (name) => inList(`${consumers}/acme/managers`, { sub: name }),
    invite: (name) => inList(`${consumers}/acme/manager-invites`, { email: `${name}@acme.example` }),
  };
  const changeable = ["bucket", "consumer", "key"];

  for (const [kind, make] of Object.entries(makers)) {
    const made = async () => {
      const path = await make(`${kind}-${++count}`);
      return { path, etag: (await client.get(path)).headers.get("etag")! };
    };

    describe(`the ETag of a ${kind}`, () => {
      test("is strong and stable while nothing changes", async () => {
        const { path, etag } = await made();
        expect(etag).toMatch(/^"[\x21\x23-\x7e]+"$/);
        expect((await client.get(path)).headers.get("etag")).toBe(etag);
      });

      const same: [what: string, (etag: string) => string][] = [
        ["the tag", (etag) => etag],
        ["the tag made weak", (etag) => `W/${etag}`],
        ["a list with the tag", (etag) => `"other", ${etag},W/"more"`],
        ["*", () => "*"],
      ];
      test.each(same)("saves the body: If-None-Match with %s is 304", async (_what, header) => {
        const { path, etag } = await made();
        const response = await client.get(path, { "if-none-match": header(etag) });
        expect(response).toMatchObject({ status: 304, text: "" });
        expect(response.headers.get("etag")).toBe(etag);
      });

      const other = ['"other"', 'W/"other", "more"', '""'];
      test.each(other)("does not match another: If-None-Match with %s is 200", async (header) => {
        const { path } = await made();
        expect(await client.get(path, { "if-none-match": header })).toMatchObject({ status: 200 });
      });

      const stale: [what: string, (etag: string) => string][] = [
        ["another tag", () => '"other"'],
        ["the tag made weak", (etag) => `W/${etag}`],
        ["a list without the tag", () => '"other", "more"'],
        ["the tag without its quotes", (etag) => etag.slice(1, -1)],
      ];
      test.each(stale)("guards against deleting: If-Match with %s is 412", async (_what, header) => {
        const { path, etag } = await made();
        expectProblem(await client.delete(path, { "if-match": header(etag) }), 412, "precondition_failed");
        expect((await client.get(path)).headers.get("etag")).toBe(etag);
      });

      const current: [what: string, (etag: string) => string][] = [
        ["the tag", (etag) => etag],
        ["a list with the tag", (etag) => `"other",${etag}`],
        ["*", () => "*"],
      ];
      test.each(current)("allows deleting: If-Match with %s is 204", async (_what, header) => {
        const { path, etag } = await made();
        expect((await client.delete(path, { "if-match": header(etag) })).status).toBe(204);
        expectProblem(await client.get(path), 404, "not_found");
      });

      if (changeable.includes(kind)) {
        test("changes with every update, and guards the next", async () => {
          const { path, etag: first } = await made();
          const changed = await client.patch(path, { description: "one" }, { "if-match": first });
          expect(changed.status).toBe(200);
          const second = changed.headers.get("etag")!;
          expect(second).not.toBe(first);
          expect((await client.get(path, { "if-none-match": first })).status).toBe(200);
          expect((await client.get(path, { "if-none-match": second })).status).toBe(304);

          const late = await client.patch(path, { description: "two" }, { "if-match": first });
          expectProblem(late, 412, "precondition_failed");
          expectProblem(await client.delete(path, { "if-match": first }), 412, "precondition_failed");
          const now = await client.get(path);
          expect(now.body.description).toBe("one");
          expect(now.headers.get("etag")).toBe(second);
        });

        test("accepts one of twenty concurrent changes", async () => {
          const { path, etag } = await made();
          const responses = await Promise.all(
            Array.from({ length: 20 }, (_, index) =>
              client.patch(path, { description: `change ${index}` }, { "if-match": etag }),
            ),
          );
          const [winner, ...others] = responses.filter(({ status }) => status === 200);
          expect(others).toEqual([]);
          for (const late of responses.filter((response) => response !== winner))
            expectProblem(late, 412, "precondition_failed");
          expect((await client.get(path)).body.description).toBe(winner!.body.description);
        });
      }
    });
  }

  test.each(["account", "bucket", "consumer"])(
    "a %s that was deleted and made again has another ETag",
    async (kind) => {
      const name = `again-${++count}`;
      const path = await makers[kind]!(name);
      const old = (await client.get(path)).headers.get("etag")!;
      await client.delete(path);
      await makers[kind]!(name);
      expect((await client.get(path)).headers.get("etag")).not.toBe(old);
      expect((await client.get(path, { "if-none-match": old })).status).toBe(200);
      expectProblem(await client.delete(path, { "if-match": old }), 412, "precondition_failed");
    },
  );

  test("a consumer with its keys has an ETag that depends on the keys, and that still guards the consumer", async () => {
    await create(consumers, { name: "composed" });
    const path = `${consumers}/composed`;
    const withKeys = `${path}?include-api-keys=true`;
    const before = (await client.get(withKeys)).headers.get("etag")!;
    await client.post(`${path}/keys`, {});
    expect((await client.get(withKeys, { "if-none-match": before })).status).toBe(200);

    const after = (await client.get(withKeys)).headers.get("etag")!;
    expect((await client.get(withKeys, { "if-none-match": after })).status).toBe(304);
    expect((await client.get(path, { "if-none-match": after })).status).toBe(200);
    expect((await client.patch(path, { description: "new" }, { "if-match": after })).status).toBe(200);
    expectProblem(await client.delete(path, { "if-match": after }), 412, "precondition_failed");
  });
});
