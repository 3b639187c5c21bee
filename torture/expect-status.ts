import { expect } from "bun:test";
import type { ClientResponse } from "../test/support/client.ts";

/** Fails with all of the answer where its status is none of these. */
export function expectStatus(answer: ClientResponse, allowed: number[], what = "it"): void {
  if (allowed.includes(answer.status)) return;
  const { method, path, status, text } = answer;
  expect(`${what}: ${method} ${path} answered ${status} ${text}`).toBe(`${what}: ${allowed.join(" or ")}`);
}
