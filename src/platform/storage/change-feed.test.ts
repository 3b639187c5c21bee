import { expect, test } from "bun:test";
import type { Change } from "../../core/changes/change.ts";
import { LocalFeed } from "./change-feed.ts";

const change: Change = { accountSeq: 1, actor: "system", kind: "key.deleted", subject: "key_1" };

test("every listener is told every change, in order and at once", () => {
  const feed = new LocalFeed();
  const told: [string, Change[]][] = [];
  feed.subscribe((changes) => told.push(["first", changes]));
  feed.subscribe((changes) => told.push(["second", changes]));
  const changes = [change, { ...change, subject: "key_2" }];
  feed.publish(changes);
  expect(told).toEqual([
    ["first", changes],
    ["second", changes],
  ]);
});

test("nobody is woken for nothing", () => {
  const feed = new LocalFeed();
  let calls = 0;
  feed.subscribe(() => {
    calls += 1;
  });
  feed.publish([]);
  expect(calls).toBe(0);
});

test("a database that one process owns is always followed", () => {
  expect(new LocalFeed().trust()).toBe("fresh");
});
