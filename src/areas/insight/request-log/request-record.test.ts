import { expect, test } from "bun:test";
import { isFailure } from "./request-record.ts";

test("a request has failed from status 400 on", () => {
  const statuses = [101, 200, 204, 304, 399, 400, 401, 404, 429, 499, 500, 599];
  expect(statuses.filter((status) => !isFailure(status))).toEqual([101, 200, 204, 304, 399]);
});
