import { expect, test } from "bun:test";
import { RoundRobin } from "./slices.ts";

test("long tasks take turns, one in each turn of the event loop", async () => {
  const turns = new RoundRobin();
  const steps: string[] = [];
  const work = async (name: string) => {
    for (let step = 0; step < 3; step++) {
      await turns.next();
      steps.push(name);
    }
  };
  await Promise.all([work("a"), work("b"), work("c")]);
  expect(steps.join("")).toBe("abcabcabc");
});

test("other callbacks run between two turns", async () => {
  const turns = new RoundRobin();
  const events: string[] = [];
  const first = turns.next().then(() => {
    events.push("first");
    setImmediate(() => events.push("other"));
  });
  const second = turns.next().then(() => events.push("second"));
  const third = turns.next().then(() => events.push("third"));
  await Promise.all([first, second, third]);
  expect(events.indexOf("other")).toBeLessThan(events.indexOf("third"));
});
