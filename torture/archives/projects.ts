import { openApi } from "../../test/support/project.ts";
import { handlerProject } from "../world.ts";
import { archiveOf, type Bytes, type Files, type HostileArchive, mebibyte, plain } from "./hostile-archive.ts";

const project = (files: Files) => () => archiveOf(files);

/** Valid archives of invalid projects. */
export const projects: HostileArchive[] = [
  ["no document", "wrong", () => archiveOf({ "read-me.txt": "x" })],
  ["a document that is empty", "wrong", project({ "openapi.json": "" })],
  ["a document of nonsense", "wrong", project({ "openapi.json": "\u0000\u0001\u0002" })],
  [
    "a document nested 100,000 deep",
    "wrong",
    project({ "openapi.json": `${"[".repeat(100_000)}${"]".repeat(100_000)}` }),
  ],
  ["a document of 20 MiB", "wrong", () => archiveOf({ "openapi.json": noisy(20 * mebibyte) })],
  ["two documents", "wrong", project({ ...plain, "openapi.yaml": "openapi: 3.1.0" })],
  ["YAML that grows beyond all bounds", "wrong", project({ "openapi.yaml": laughs() })],
  ["references in a circle", "wrong", project({ "openapi.json": circular() })],
  [
    "paths of object members",
    "wrong",
    project({
      "openapi.json": `{"openapi":"3.1.0","info":{"title":"x","version":"1"},"paths":{"__proto__":{"get":{}},"/constructor":{"get":{}}},"x-tollgate":{"upstream":"http://127.0.0.1:1"}}`,
    }),
  ],
  [
    "5,000 routes",
    "built",
    project({
      "openapi.json": openApi(Object.fromEntries(Array.from({ length: 5000 }, (_, at) => [`/r${at}`, {}])), {
        "x-tollgate": { upstream: "http://127.0.0.1:1" },
      }),
    }),
  ],
  [
    "code that reads files",
    "wrong",
    withCode('import passwd from "/etc/passwd"; export default () => new Response(passwd);'),
  ],
  [
    "code that leads out",
    "wrong",
    withCode('import x from "../../../../etc/passwd"; export default () => new Response(x);'),
  ],
  [
    "code from the network",
    "wrong",
    withCode('import x from "http://127.0.0.1:1/x.js"; export default () => new Response(x);'),
  ],
  [
    "code that imports itself",
    "built",
    withCode('import self from "./hello.ts"; export default () => new Response(String(self));'),
  ],
  ["code that is not code", "wrong", withCode("export default (((")],
  ["code that throws as it loads", "wrong", withCode('throw new Error("no"); export default () => new Response();')],
  [
    "2 MiB of code",
    "built",
    withCode(`const text = ${JSON.stringify(noisy(2 * mebibyte))}; export default () => new Response(text);`),
  ],
];

function withCode(code: string): Bytes {
  return project({ ...handlerProject("x"), "modules/hello.ts": code });
}

/** Text that does not compress well. */
function noisy(length: number): string {
  const line = Array.from({ length: 4096 }, (_, at) => String.fromCharCode(97 + ((at * at * 7 + at) % 26))).join("");
  return Array.from({ length: Math.ceil(length / line.length) }, (_, at) => at + line)
    .join("")
    .slice(0, length);
}

/** Each line expands to ten of the previous one. */
function laughs(): string {
  const lines = Array.from(
    { length: 12 },
    (_, at) => `  l${at + 1}: &l${at + 1} [${Array(10).fill(`*l${at}`).join(", ")}]`,
  );
  return [
    "openapi: 3.1.0",
    "info: {title: x, version: '1'}",
    "x-laughs:",
    "  l0: &l0 ha",
    ...lines,
    "paths: {/a: {get: {}}}",
  ].join("\n");
}

function circular(): object {
  const schema = { $ref: "#/components/schemas/Circle" };
  const body = { content: { "application/json": { schema } } };
  const operation = { requestBody: body, "x-tollgate": { upstream: "http://127.0.0.1:1", policies: ["valid"] } };
  return openApi({ "post /a": operation }, { components: { schemas: { Circle: schema } } });
}
