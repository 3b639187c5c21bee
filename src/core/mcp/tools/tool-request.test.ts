import { expect, test } from "bun:test";
import type { JsonObject } from "../../../lib/text/json-object.ts";
import { ArgumentError, type ParameterBinding, type ToolBinding, toolRequest } from "./tool-request.ts";
import { maxResultBytes, maxTextBytes, type OperationResponse, toolResult } from "./tool-result.ts";

const at = (place: ParameterBinding["in"], name: string, more: Partial<ParameterBinding> = {}): ParameterBinding => ({
  argument: name,
  name,
  in: place,
  required: place === "path",
  explode: place === "query",
  ...more,
});

function requestOf(parameters: ParameterBinding[], given: JsonObject, more: Partial<ToolBinding> = {}) {
  return toolRequest({ method: "GET", path: "/users/{id}", parameters, ...more }, given);
}

test("encodes path parameters, which cannot add segments", () => {
  for (const [value, path] of [
    ["a b", "/users/a%20b"],
    ["a/b", "/users/a%2Fb"],
    ["a%2fb", "/users/a%252fb"],
    ["a?b#c", "/users/a%3Fb%23c"],
    ["a\r\nb", "/users/a%0D%0Ab"],
    ["$&{id}", "/users/%24%26%7Bid%7D"],
    [5, "/users/5"],
    [["a", "b,c"], "/users/a%2Cb%2Cc"],
  ])
    expect(requestOf([at("path", "id")], { id: value }).path).toBe(path as string);
  for (const value of ["..", ".", "../x", "a/..", "..\\x", "", "\ud800", { a: { b: 1 } }, null])
    expect(() => requestOf([at("path", "id")], { id: value })).toThrow(ArgumentError);
  const rest = { path: "/files/{path+}" };
  expect(requestOf([at("path", "path")], { path: "a b/c" }, rest).path).toBe("/files/a%20b/c");
  for (const path of ["a/../b", "/a", "a//b", "a/."])
    expect(() => requestOf([at("path", "path")], { path }, rest)).toThrow(ArgumentError);
});

test("serializes query parameters and headers", () => {
  const { query, headers } = requestOf(
    [
      at("query", "tag"),
      at("query", "ids", { explode: false }),
      at("query", "pipes", { style: "pipeDelimited", explode: false }),
      at("query", "filter", { style: "deepObject" }),
      at("query", "where", { isJson: true }),
      at("query", "page"),
      at("query", "absent"),
      at("header", "X-Limit"),
    ],
    {
      tag: ["a&b", "c"],
      ids: [1, 2],
      pipes: ["x", "y"],
      filter: { name: "z", in: ["1", "2"] },
      where: { a: [1] },
      page: { from: 1, to: 2 },
      absent: null,
      "X-Limit": 5,
    },
  );
  expect(query).toBe(
    "tag=a%26b&tag=c&ids=1,2&pipes=x%7Cy&filter%5Bname%5D=z&filter%5Bin%5D=1&filter%5Bin%5D=2&where=%7B%22a%22%3A%5B1%5D%7D&from=1&to=2",
  );
  expect(headers).toEqual([["x-limit", "5"]]);
  for (const value of ["a\r\nx: y", "ü", " a", "a\0"])
    expect(() => requestOf([at("header", "x")], { x: value })).toThrow(ArgumentError);
});

test("sends bodies", () => {
  const body = (binding: ToolBinding["body"], given: JsonObject) => {
    const request = requestOf([], given, { body: binding! });
    return [request.body?.toString(), request.headers[0]?.[1]];
  };
  const type = "application/json";
  expect(body({ mediaType: type, required: true, members: ["a", "b"] }, { a: 1 })).toEqual(['{"a":1}', type]);
  expect(body({ mediaType: type, required: true, members: ["a"] }, {})).toEqual(["{}", type]);
  expect(body({ mediaType: type, required: false, members: ["a"] }, {})).toEqual([undefined, undefined]);
  expect(body({ mediaType: type, required: false, argument: "body" }, { body: [1] })).toEqual(["[1]", type]);
  expect(body({ mediaType: "text/plain", required: true, argument: "body" }, { body: "x" })).toEqual([
    "x",
    "text/plain",
  ]);
  const form = "application/x-www-form-urlencoded";
  expect(body({ mediaType: form, required: true, members: ["a"] }, { a: ["1", "2 3"] })).toEqual(["a=1&a=2+3", form]);
});

function resultOf(status: number, type: string | undefined, body: string | Buffer, more: JsonObject = {}) {
  const { isTooLarge, ...headers } = more as { isTooLarge?: boolean } & Record<string, string>;
  const response: OperationResponse = {
    status,
    headers: new Headers({ ...(type && { "content-type": type }), ...headers }),
    body: Buffer.from(body as string),
    uri: "https://api.test/a",
    ...(isTooLarge && { isTooLarge }),
  };
  return toolResult(response);
}

test("converts responses to results", () => {
  expect(resultOf(200, "application/json; charset=utf-8", '{"a":1}')).toEqual({
    content: [{ type: "text", text: '{"a":1}' }],
    structuredContent: { a: 1 },
  });
  expect(resultOf(200, "application/json", "[1]")).toEqual({ content: [{ type: "text", text: "[1]" }] });
  expect(resultOf(204, undefined, "")).toMatchObject({ content: [{ text: expect.stringContaining("204") }] });
  expect(resultOf(303, undefined, "", { location: "/b" })).toMatchObject({
    content: [{ text: expect.stringContaining("/b") }],
  });
  expect(resultOf(200, "image/png", Buffer.from([1, 2]))).toEqual({
    content: [{ type: "image", data: "AQI=", mimeType: "image/png" }],
  });
  expect(resultOf(200, "audio/wav", Buffer.from([1])).content[0]!.type).toBe("audio");
  expect(resultOf(200, "application/pdf", "x")).toEqual({
    content: [{ type: "resource", resource: { uri: "https://api.test/a", mimeType: "application/pdf", blob: "eA==" } }],
  });
});

test("reports errors of the API with the time to wait", () => {
  const { isError, content } = resultOf(429, "application/problem+json", '{"code":"quota_exceeded"}', {
    "retry-after": "30",
  });
  expect(isError).toBe(true);
  expect(content).toEqual([
    {
      type: "text",
      text: 'The API responded with the status 429.\n{"code":"quota_exceeded"}\nTry again after 30 seconds.',
    },
  ]);
});

test("cuts long text and rejects larger JSON", () => {
  const long = resultOf(200, "text/plain", "ü".repeat(maxTextBytes));
  const { text } = long.content[0] as { text: string };
  expect(text).toContain("cut here");
  expect(text).not.toContain("\ufffd");
  expect(Buffer.byteLength(text)).toBeLessThan(maxTextBytes + 100);
  expect(long.isError).toBeUndefined();
  expect(resultOf(200, "text/plain", "a".repeat(maxTextBytes))).toMatchObject({
    content: [{ text: "a".repeat(maxTextBytes) }],
  });
  expect(resultOf(200, "application/json", JSON.stringify("a".repeat(maxTextBytes)))).toMatchObject({ isError: true });
  expect(resultOf(200, "image/png", Buffer.alloc(maxResultBytes), { isTooLarge: true as never })).toMatchObject({
    isError: true,
  });
});
