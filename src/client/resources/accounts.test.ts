import { expect, test } from "bun:test";
import { sqlite } from "../../../test/support/engines.ts";
import { useServer } from "../../../test/support/server.ts";
import { clientOf, operatorOf, rejected } from "../../../test/support/tollgate-client.ts";

// The client does not depend on the server's engine.
const server = useServer(sqlite);

test("returns the caller's own identity", async () => {
  expect(await clientOf(server).whoAmI()).toMatchObject({ account: "default", role: "admin" });
  const nobody = clientOf(server, { token: "no-such-token" });
  expect(await rejected(nobody.whoAmI())).toMatchObject({ status: 401, code: "unauthenticated" });
});

test("the address may end in slashes", async () => {
  const client = clientOf({ url: `${server.url}//` });
  expect((await client.whoAmI()).role).toBe("admin");
});

test.each(["127.0.0.1:8787", "localhost:8787", "ftp://example.com", ""])("the address %p is not one of HTTP", (url) => {
  expect(() => clientOf({ url })).toThrow("url must begin with http:// or https://");
});

test("the operator creates, reads, lists and deletes accounts", async () => {
  const operator = operatorOf(server);
  const made = await operator.accounts.create({ name: "acme" });
  expect(await operator.accounts.get("acme")).toEqual(made);
  expect(await operator.accounts.list().all()).toContainEqual(made);
  await operator.accounts.delete("acme");
  expect(await rejected(operator.accounts.get("acme"))).toMatchObject({ status: 404 });
  expect(await rejected(clientOf(server).accounts.create({ name: "mine" }))).toMatchObject({ status: 403 });
});

test("the operator's account option applies to all paths", async () => {
  const operator = operatorOf(server);
  expect(await rejected(operator.buckets.list().all())).toMatchObject({ status: 0, code: "account_required" });
  await operator.accounts.create({ name: "other" });
  const other = operator.inAccount("other");
  await other.buckets.create({ name: "theirs" });
  expect((await other.buckets.list().all()).map(({ name }) => name)).toEqual(["theirs"]);
  expect((await other.metering.create()).accountName).toBe("other");
  expect((await clientOf(server).metering.list().all()).length).toBe(0);
});

test("tokens are created, read, listed and deleted", async () => {
  const { tokens } = clientOf(server);
  const { token, ...made } = await tokens.create({ role: "reader", name: "dashboard" });
  expect(await tokens.get(made.id)).toEqual(made);
  expect(await tokens.list().all()).toContainEqual(made);
  const reader = clientOf(server, { token });
  expect(await reader.consumers("main").list().all()).toEqual([]);
  expect(await rejected(reader.consumers("main").create({ name: "acme" }))).toMatchObject({
    status: 403,
    code: "forbidden",
  });
  await tokens.delete(made.id);
  expect(await rejected(reader.whoAmI())).toMatchObject({ status: 401 });
});
