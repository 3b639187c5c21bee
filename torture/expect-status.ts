import { expect } from "bun:test";
import type { ClientResponse } from "../test/support/client.ts";

/** Fails with the whole response if its status is not one of these. */
export function expectStatus(response: ClientResponse, allowed: number[], what = "it"): void {
  if (allowed.includes(response.status)) return;
  const { method, path, status, text } = response;
  expect(`${what}: ${method} ${path} returned ${status} ${text}`).toBe(`${what}: ${allowed.join(" or ")}`);
}
