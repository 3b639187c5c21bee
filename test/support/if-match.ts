import { expect } from "bun:test";
import type { Client } from "./client.ts";
import { expectProblem } from "./expect-problem.ts";

/**
 * Expects that only a request with the newest ETag can change or delete a path, and that a rejection changes nothing.
 */
export async function expectIfMatchToGuard(
  client: Client,
  { path, etag }: { path: string; etag: string },
  change: object,
  another: object,
): Promise<void> {
  const first = await client.patch(path, change, { "if-match": etag });
  expect(first.status).toBe(200);
  expectProblem(await client.patch(path, another, { "if-match": etag }), 412, "precondition_failed");
  expectProblem(await client.patch(path, {}, { "if-match": etag }), 412, "precondition_failed");
  expectProblem(await client.delete(path, { "if-match": etag }), 412, "precondition_failed");
  expect((await client.get(path)).body).toEqual(first.body);
  expect((await client.get(path, { "if-none-match": first.headers.get("etag")! })).status).toBe(304);
  expect((await client.delete(path, { "if-match": first.headers.get("etag")! })).status).toBe(204);
}

/** Expects that one of ten concurrent changes with the same ETag wins. */
export async function expectOneToWin(
  client: Client,
  { path, etag }: { path: string; etag: string },
  change: (index: number) => object,
): Promise<void> {
  const responses = await Promise.all(
    Array.from({ length: 10 }, (_, index) => client.patch(path, change(index), { "if-match": etag })),
  );
  const [won, ...more] = responses.filter(({ status }) => status === 200);
  expect(more).toEqual([]);
  expect((await client.get(path)).body).toEqual(won!.body);
}
