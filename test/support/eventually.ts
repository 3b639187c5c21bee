import { expect, type Matchers } from "bun:test";
import { patiently } from "./slowdown.ts";
import { firstPauseMs, nextPause } from "./until.ts";

/** Long, because a busy machine is no failure; shorter than a test's timeout, so that the matcher's error is reported. */
const patienceMs = patiently(50_000);

/** The matchers of `expect`, each of which waits. */
export type Eventually<T> = {
  [Name in Exclude<keyof Matchers<T>, "not">]: Matchers<T>[Name] extends (...expected: infer Expected) => unknown
    ? (...expected: Expected) => Promise<void>
    : never;
} & { not: Eventually<T> };

/**
 * Expects a value that another process shows soon, such as a page: reads it again until the matcher accepts it. Fails with the
 * matcher's last error.
 */
export function eventually<T>(read: () => T | Promise<T>, { withinMs = patienceMs } = {}): Eventually<T> {
  return waitingMatchers(read, withinMs, (value) => expect(value));
}

function waitingMatchers<T>(read: () => T | Promise<T>, withinMs: number, matchers: (value: T) => object) {
  return new Proxy({} as Eventually<T>, {
    get(_, name: string) {
      const memberOf = (value: T) => Reflect.get(matchers(value), name);
      if (name === "not") return waitingMatchers(read, withinMs, memberOf);
      return async (...expected: unknown[]) => {
        const deadline = performance.now() + withinMs;
        for (let pauseMs = firstPauseMs; ; pauseMs = nextPause(pauseMs)) {
          try {
            const value = await read();
            Reflect.apply(memberOf(value), matchers(value), expected);
            return;
          } catch (error) {
            if (performance.now() >= deadline) throw error;
          }
          await Bun.sleep(pauseMs);
        }
      };
    },
  });
}
