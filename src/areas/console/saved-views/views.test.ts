import { expect, test } from "bun:test";
import { callerWithRole, strangerOf } from "../../../../test/support/callers.ts";
import { casesFor, eachEngine } from "../../../../test/support/engines.ts";
import { expectProblem } from "../../../../test/support/expect-problem.ts";
import { useServer } from "../../../../test/support/server.ts";
import { account } from "../../../../test/support/server-settings.ts";

const views = `/v1/accounts/${account}/views`;
let count = 0;
const newView = () => ({ name: `Gold customers ${++count}`, page: "consumers", search: "tag=plan%3Dgold" });

eachEngine((engine) => {
  const server = useServer(engine);
  const { client } = server;
  const all = async () => (await client.get(views)).body.data;

  test("are created, listed, read, renamed, changed and deleted", async () => {
    const input = newView();
    const created = await client.post(views, input);
    const view = { id: created.body.id, ...input, createdOn: server.clock.iso(), updatedOn: server.clock.iso() };
    expect([created.status, created.body]).toEqual([200, view]);
    expect(await all()).toContainEqual(view);
    expect((await client.get(`${views}/${view.id}`)).body).toEqual(view);
    server.clock.advance(1000);
    const name = `Platinum ${count}`;
    const renamed = await client.patch(`${views}/${view.id}`, { name });
    expect(renamed.body).toEqual({ ...view, name, updatedOn: server.clock.iso() });
    expect((await client.patch(`${views}/${view.id}`, { search: "" })).body).toMatchObject({ name, search: "" });
    expect((await client.delete(`${views}/${view.id}`)).status).toBe(204);
    expectProblem(await client.get(`${views}/${view.id}`), 404, "not_found");
    expectProblem(await client.patch(`${views}/${view.id}`, { name }), 404, "not_found");
    expectProblem(await client.delete(`${views}/${view.id}`), 404, "not_found");
  });

  test("names of saved views are unique", async () => {
    const [first, second] = [newView(), newView()];
    const { body } = await client.post(views, first);
    await client.post(views, second);
    const before = await all();
    expectProblem(await client.post(views, first), 409, "view_exists");
    expectProblem(await client.patch(`${views}/${body.id}`, { name: second.name }), 409, "view_exists");
    expect(await all()).toEqual(before);
    expect((await client.patch(`${views}/${body.id}`, { name: first.name })).status).toBe(200);
  });

  test.each(
    casesFor(engine, [
      ["no name", { page: "keys", search: "" }],
      ["a blank name", { name: "  ", page: "keys", search: "" }],
      ["a long name", { name: "x".repeat(81), page: "keys", search: "" }],
      ["a control character in the name", { name: "a\nb", page: "keys", search: "" }],
      ["an unknown page", { name: "A", page: "money", search: "" }],
      ["a search with a question mark", { name: "A", page: "keys", search: "?a=b" }],
      ["a search with a space", { name: "A", page: "keys", search: "a=b c" }],
      ["a long search", { name: "A", page: "keys", search: "x".repeat(2001) }],
      ["an unknown member", { name: "A", page: "keys", search: "", url: "https://a.example" }],
      ["a list", []],
    ]),
  )("reject %s, and nothing changes", async (_, body) => {
    const before = await all();
    expectProblem(await client.post(views, body), 400, "validation_failed");
    expect(await all()).toEqual(before);
  });

  test("are changed and deleted only if If-Match matches", async () => {
    const { body, headers } = await client.post(views, newView());
    const etag = headers.get("etag")!;
    const path = `${views}/${body.id}`;
    expect((await client.patch(path, { search: "a=b" }, { "if-match": etag })).status).toBe(200);
    expectProblem(await client.patch(path, { search: "c=d" }, { "if-match": etag }), 412, "precondition_failed");
    expectProblem(await client.delete(path, { "if-match": etag }), 412, "precondition_failed");
    expect((await client.get(path)).body.search).toBe("a=b");
  });

  test("are read by readers, changed by editors, and unknown to other accounts", async () => {
    const { body } = await client.post(views, newView());
    const path = `${views}/${body.id}`;
    const reader = await callerWithRole(client, "reader");
    expect((await reader.get(path)).status).toBe(200);
    const stranger = await strangerOf(client, `stranger-${count}`);
    const before = await all();
    expectProblem(await client.as("").get(views), 401, "unauthenticated");
    for (const [caller, status] of [
      [reader, 403],
      [stranger, 404],
    ] as const) {
      expect((await caller.post(views, newView())).status).toBe(status);
      expect((await caller.patch(path, { name: "Mine" })).status).toBe(status);
      expect((await caller.delete(path)).status).toBe(status);
    }
    expect((await stranger.get(path)).status).toBe(404);
    expect(await all()).toEqual(before);
  });

  test("an account has at most 50 saved views", async () => {
    for (let total = (await all()).length; total < 50; total++)
      expect((await client.post(views, newView())).status).toBe(200);
    expectProblem(await client.post(views, newView()), 409, "too_many_views");
    expect(await all()).toHaveLength(50);
  });
});
