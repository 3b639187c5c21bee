import { expect, spyOn, test } from "bun:test";
import fc from "fast-check";
import { Deadlines, type Timed } from "./deadlines.ts";

interface Step {
  member: number;
  isAdded: boolean;
}

const step = fc.record({ member: fc.nat({ max: 9 }), isAdded: fc.boolean() });

test("those whose deadline has passed are timed out once each, whatever was added and deleted before", () => {
  let check: (() => void) | undefined;
  const set = spyOn(globalThis, "setInterval").mockImplementation(((callback: () => void) => {
    check = callback;
    return {} as Timer;
  }) as unknown as typeof setInterval);
  const clear = spyOn(globalThis, "clearInterval").mockImplementation(() => {
    check = undefined;
  });
  try {
    fc.assert(fc.property(fc.array(step, { maxLength: 60 }), fc.array(fc.boolean(), { minLength: 10 }), run));
  } finally {
    set.mockRestore();
    clear.mockRestore();
  }

  function run(steps: Step[], passed: boolean[]): void {
    const deadlines = new Deadlines();
    const timedOut: number[] = [];
    const members = Array.from({ length: 10 }, (_, index): Timed => {
      const member = {
        deadline: passed[index] ? 0 : Number.POSITIVE_INFINITY,
        waitingAt: -1,
        timeOut: () => {
          timedOut.push(index);
          deadlines.delete(member);
        },
      };
      return member;
    });
    const model = new Set<number>();
    for (const { member, isAdded } of steps) {
      if (isAdded) deadlines.add(members[member]!);
      else deadlines.delete(members[member]!);
      model[isAdded ? "add" : "delete"](member);
    }
    check?.();
    expect(timedOut.toSorted()).toEqual([...model].filter((member) => passed[member]).toSorted());
    for (const member of model) deadlines.delete(members[member]!);
    check?.();
    expect(check).toBeUndefined();
  }
});
