import { expect, test } from "bun:test";
import { HealthCheckers } from "./health-checkers.ts";
import type { ToWorker } from "./worker-messages.ts";

class TestWorker {
  readonly messages: ToWorker[] = [];

  send(message: ToWorker): void {
    this.messages.push(message);
  }
}

const check: ToWorker = ["check", "target"];

function watchedBy(count: number) {
  const checkers = new HealthCheckers();
  const workers = Array.from({ length: count }, () => new TestWorker());
  for (const worker of workers) checkers.watch(worker, "target");
  return { checkers, workers, messages: () => workers.map(({ messages }) => messages) };
}

test("the first worker that watches a target checks it", () => {
  expect(watchedBy(3).messages()).toEqual([[check], [], []]);
});

test.each(["unwatch", "remove"] as const)("%s of the checker hands the target over to the next worker", (method) => {
  const { checkers, workers, messages } = watchedBy(3);
  checkers[method](workers[0]!, "target");
  expect(messages()).toEqual([[check], [check], []]);
  checkers[method](workers[1]!, "target");
  expect(messages()).toEqual([[check], [check], [check]]);
});

test.each(["unwatch", "remove"] as const)("%s of another worker leaves the checker", (method) => {
  const { checkers, workers, messages } = watchedBy(2);
  checkers[method](workers[1]!, "target");
  expect(messages()).toEqual([[check], []]);
});

test("after all workers are gone, the next one that watches is the checker", () => {
  const { checkers, workers } = watchedBy(1);
  checkers.remove(workers[0]!);
  const next = new TestWorker();
  checkers.watch(next, "target");
  expect(next.messages).toEqual([check]);
});
