import { beforeEach, expect, test } from "bun:test";
import type { Change } from "./change.ts";
import { LocalFeed } from "./change-feed.ts";

const change: Change = { accountSeq: 1, actor: "system", kind: "consumer.deleted", subject: "csmr_1", data: undefined };

let feed: LocalFeed;
let warnings: [string, unknown][];
const noop = () => {};

beforeEach(() => {
  warnings = [];
  feed = new LocalFeed((message, error) => warnings.push([message, error]));
});

test("every listener receives every change, in order and at once", () => {
  const received: [string, Change[]][] = [];
  feed.subscribe((changes) => received.push(["first", changes]), noop);
  feed.subscribe((changes) => received.push(["second", changes]), noop);
  const changes = [change, { ...change, subject: "csmr_2" }];
  feed.publish(changes);
  expect(received).toEqual([
    ["first", changes],
    ["second", changes],
  ]);
});

test("followers are not called without a change", () => {
  let calls = 0;
  feed.subscribe(() => {
    calls += 1;
  }, noop);
  feed.publish([]);
  expect(calls).toBe(0);
});

test("a database that one process owns is always followed", () => {
  expect(feed.trust()).toBe("fresh");
});

test("a follower gets the kinds that it handles, and no others", () => {
  const seen: string[] = [];
  feed.follow("keys", { "consumer.deleted": ({ subject }) => seen.push(subject) }, noop);
  feed.publish([change, { ...change, kind: "consumer.updated" }]);
  expect(seen).toEqual(["csmr_1"]);
  expect(feed.followersOf("consumer.deleted")).toEqual(["keys"]);
  expect(feed.followersOf("consumer.updated")).toEqual([]);
});

test("a follower that throws starts over, and the others receive the change", () => {
  const failure = new Error("a bug");
  const calls: string[] = [];
  const fail = () => {
    throw failure;
  };
  feed.follow("first", { "consumer.deleted": fail }, () => void calls.push("first starts over"));
  feed.follow(
    "second",
    { "consumer.deleted": () => calls.push("second") },
    () => void calls.push("second starts over"),
  );
  feed.publish([change]);
  expect(calls).toEqual(["first starts over", "second"]);
  expect(warnings).toEqual([["a follower of changes failed; it starts over", failure]]);
});

test("after a gap every follower starts over, also if one of them fails to", async () => {
  const failure = new Error("a bug");
  const calls: string[] = [];
  feed.subscribe(noop, () => {
    throw failure;
  });
  feed.subscribe(noop, () => Promise.reject(failure));
  feed.subscribe(noop, () => void calls.push("third starts over"));
  feed.publishGap();
  await Promise.resolve();
  expect(calls).toEqual(["third starts over"]);
  expect(warnings).toEqual([
    ["a follower of changes could not start over", failure],
    ["a follower of changes could not start over", failure],
  ]);
});
