import { expect } from "bun:test";
import type { ClientResponse } from "./client.ts";

/** `pointer` must be in one of the `errors`. */
export function expectProblem(
  response: ClientResponse,
  status: number,
  code: string,
  options: { pointer?: string } = {},
): void {
  expect(response.body ?? response.text).toMatchObject({ status, code });
  expect(response.status).toBe(status);
  expect(response.headers.get("content-type")).toBe("application/problem+json");
  // A copy, because Bun writes the matchers into the object.
  expect(structuredClone(response.body)).toMatchObject({
    type: `https://httpproblems.com/http-status/${status}`,
    title: expect.stringMatching(/\S/),
    detail: expect.stringMatching(/\S/),
    instance: response.path,
    trace: {
      requestId: response.headers.get("x-request-id"),
      timestamp: expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/),
    },
  });
  if (options.pointer !== undefined) {
    const pointers = response.body.errors?.map((error: { pointer: string }) => error.pointer);
    expect(pointers).toContain(options.pointer);
  }
}
