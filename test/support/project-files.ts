import type { Files } from "./gateway-project.ts";

/** An OpenAPI document with one operation, whose parts can be replaced. */
export function openapi({
  root = "",
  path = '"/a"',
  item = "",
  operation = "",
  document = '"openapi": "3.1.0"',
} = {}): string {
  return `{
  ${document},
  "info": { "title": "T", "version": "1" },
  ${root}
  "paths": {
    ${path}: {
      ${item}
      "get": { ${operation} "responses": {} }
    }
  }
}`;
}

/** A default upstream for all operations. */
export const up = '"x-tollgate": { "upstream": "http://up.test" },';
export const settings = (text: string): Files => ({ "openapi.json": openapi({ root: up }), "tollgate.json": text });
export const policies = (text: string): Files => ({
  "openapi.json": openapi({ root: '"x-tollgate": { "upstream": "http://up.test", "policies": ["p"] },' }),
  "tollgate.json": `{ "policies": { ${text} } }`,
});
export const api = (parts: Parameters<typeof openapi>[0]): Files => ({
  "openapi.json": openapi({ root: up, ...parts }),
});
export const yaml = (text: string): Files => ({
  "openapi.yaml": text,
  "tollgate.json": '{ "upstream": "http://up.test" }',
});
export const yamlHead = 'openapi: "3.1.0"\ninfo: { title: T, version: "1" }\n';
