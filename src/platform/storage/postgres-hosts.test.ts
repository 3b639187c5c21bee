import { expect, test } from "bun:test";
import { PostgresHosts, parsePostgresUrl } from "./postgres-hosts.ts";

test.each([
  ["postgres://u:p@h1:5432,h2:5433/db", ["postgres://u:p@h1:5432/db", "postgres://u:p@h2:5433/db"]],
  [
    "postgresql://h1,[::1]:5433/db?sslmode=require",
    ["postgresql://h1/db?sslmode=require", "postgresql://[::1]:5433/db?sslmode=require"],
  ],
  ["postgres://h1,h2/db?target_session_attrs=read-write&a=b", ["postgres://h1/db?a=b", "postgres://h2/db?a=b"]],
  ["postgres:///db?host=/run/postgresql", ["postgres:///db?host=/run/postgresql"]],
  ["postgres://u:p%40@h/db", ["postgres://u:p%40@h/db"]],
  ["postgres://h1,,h2/db", undefined],
  ["postgres://h1:x,h2/db", undefined],
  ["postgres://h1/db?target_session_attrs=fastest", undefined],
  ["mysql://h1/db", undefined],
  ["h1,h2", undefined],
])("%s leads to %p", (text, urls) => {
  expect(parsePostgresUrl(text)).toEqual(urls as string[]);
});

test("hosts are tried in order, beginning with the one that was used last, and errors name none of the secrets", async () => {
  const hosts = new PostgresHosts("postgres://u:secret@h1:1,h2:2,h3:3/db");
  const tried: string[] = [];
  const connect = (works: string) =>
    hosts.connect(async (url) => {
      const { host } = new URL(url);
      tried.push(host);
      if (host !== works) throw new Error(`${host} is away`);
      return host;
    });
  expect(await connect("h2:2")).toBe("h2:2");
  expect(await connect("h1:1")).toBe("h1:1");
  expect(tried).toEqual(["h1:1", "h2:2", "h2:2", "h3:3", "h1:1"]);
  await expect(connect("none")).rejects.toThrow("h1:1 is away; h2:2 is away; h3:3 is away");
  expect(hosts.place).toBe("h1:1,h2:2,h3:3/db");
});
