import { expect, test } from "bun:test";
import type { OpenPage } from "./chromium.ts";
import { patiently } from "./slowdown.ts";

const patienceMs = patiently(120_000);

/**
 * Defines tests that fail when the page reports an error, violates its content security policy, or calls a server
 * other than the portal and those that are named.
 */
export function portalCheck(current: () => { opened: OpenPage; origins: string[] }) {
  return (name: string, work: () => Promise<void>): void =>
    test(
      name,
      async () => {
        await work();
        const { opened, origins } = current();
        const isKnown = (address: string) => origins.some((origin) => address.startsWith(`${origin}/`));
        expect(opened.errors.take()).toEqual([]);
        expect(opened.requestedUrls.splice(0).filter((address) => !isKnown(address))).toEqual([]);
      },
      patienceMs,
    );
}
