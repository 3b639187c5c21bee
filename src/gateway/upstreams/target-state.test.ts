import { expect, test } from "bun:test";
import { type TargetChange, TargetState } from "./target-state.ts";

const ejection = { consecutiveErrors: 2, seconds: 10, maxShare: 0.5 };
const health = { path: "/", intervalSeconds: 1, unhealthyAfter: 2, healthyAfter: 3 };
const always = () => true;

const check = (passed: boolean) => ({ time: 0, passed, status: passed ? 200 : 500, error: undefined });

function ejected(): TargetState {
  const state = new TargetState();
  for (const now of [0, 1]) state.failure(state.begin(), now, ejection, always);
  expect(state.ejectedUntil).toBe(10_001);
  return state;
}

test("a success of a request from before the ejection does not end it", () => {
  const state = new TargetState();
  const earlier = state.begin();
  for (const now of [0, 1]) state.failure(state.begin(), now, ejection, always);
  state.success(earlier);
  expect([state.ejectedUntil, state.consecutiveErrors, state.isAvailable(5_000)]).toEqual([10_001, 2, false]);
});

test("a failure of a request from before the ejection does not prolong it", () => {
  const state = new TargetState();
  const earlier = state.begin();
  for (const now of [0, 1]) state.failure(state.begin(), now, ejection, always);
  state.failure(earlier, 5_000, ejection, always);
  expect(state.ejectedUntil).toBe(10_001);
});

test("after the ejection one probe at a time decides", () => {
  const state = ejected();
  expect([state.isAvailable(10_000), state.isAvailable(10_001)]).toEqual([false, true]);
  const probe = state.begin();
  expect([probe, state.isAvailable(10_002)]).toEqual([true, false]);
  state.failure(probe, 11_000, ejection, always);
  expect(state.ejectedUntil).toBe(21_000);
  state.success(state.begin());
  expect([state.ejectedUntil, state.consecutiveErrors, state.isAvailable(11_001)]).toEqual([0, 0, true]);
});

test("a check with the other result starts the count of consecutive checks again", () => {
  const state = new TargetState();
  const results = (...passed: boolean[]) =>
    passed.map((one) => {
      state.checked(check(one), health);
      return state.isUnhealthy;
    });
  expect(results(false, true, false, true, false)).toEqual([false, false, false, false, false]);
  expect(results(false)).toEqual([true]);
  expect(results(true, true, false, true, true)).toEqual([true, true, true, true, true]);
  expect(results(true)).toEqual([false]);
});

test("checks of another process count as consecutive checks after it hands over", () => {
  const [former, next] = [new TargetState(), new TargetState()];
  former.onChange = (change: TargetChange) => next.changedElsewhere(change);
  // `next` was the checker before.
  for (const passed of [true, true, true]) next.checked(check(passed), health);
  for (const passed of [true, false]) former.checked(check(passed), { ...health, unhealthyAfter: 3 });
  next.checked(check(false), { ...health, unhealthyAfter: 3 });
  expect(next.isUnhealthy).toBe(false);
  next.checked(check(false), { ...health, unhealthyAfter: 3 });
  expect(next.isUnhealthy).toBe(true);
});
