import { expect, test } from "bun:test";
import type { Change } from "./change.ts";
import { LocalFeed } from "./change-feed.ts";

const change: Change = { accountSeq: 1, actor: "system", kind: "consumer.deleted", subject: "csmr_1", data: undefined };

test("every listener receives every change, in order and at once", () => {
  const feed = new LocalFeed();
  const received: [string, Change[]][] = [];
  feed.subscribe((changes) => received.push(["first", changes]));
  feed.subscribe((changes) => received.push(["second", changes]));
  const changes = [change, { ...change, subject: "csmr_2" }];
  feed.publish(changes);
  expect(received).toEqual([
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

test("a follower gets the kinds that it handles, and no others", () => {
  const feed = new LocalFeed();
  const seen: string[] = [];
  feed.follow("keys", { "consumer.deleted": ({ subject }) => seen.push(subject) });
  feed.publish([change, { ...change, kind: "consumer.updated" }]);
  expect(seen).toEqual(["csmr_1"]);
  expect(feed.followersOf("consumer.deleted")).toEqual(["keys"]);
  expect(feed.followersOf("consumer.updated")).toEqual([]);
});
