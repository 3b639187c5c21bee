import { expect, test } from "bun:test";
import { join } from "node:path";
import { importCircles, readSourceFiles, type SourceFile, sourceFile } from "./support/source-files.ts";

const area = "{accounts,buckets,consumers,managers,keys,metering,deployments}";

/** What kinds of files there are below src/. The first that fits a file is its kind. */
const kinds = {
  lib: "lib/**",
  wire: "wire/**",
  problems: "problems/**",
  access: "access/**",
  telemetry: "telemetry/**",
  query: "storage/query.ts",
  backup: "storage/backup.ts",
  storage: "storage/**",
  httpStore: "http/*-store.ts",
  http: "http/**",
  store: `${area}/{store,*-store}.ts`,
  routes: `${area}/{routes,*-routes}.ts`,
  schema: `${area}/{schema,*-schema}.ts`,
  rules: `${area}/*.ts`,
  gatewayAddresses: "gateway/addresses.ts",
  policySchema:
    "gateway/policies/{schemas,header-names,*/schema,*/json-schema,*/prepare,*/patterns,*/formats,*/schema-node,*/budget}.ts",
  gateway: "gateway/**",
  sandbox: "sandbox/**",
  egress: "egress/**",
  builder: "builder/**",
  config: "config.ts",
  app: "app.ts",
  client: "client/**",
  console: "console/**",
  cli: "cli/**",
  main: "main.ts",
} as const;

type Kind = keyof typeof kinds;

const ground: Kind[] = ["lib", "problems", "access", "telemetry"];
const service: Kind[] = [
  ...ground,
  "storage",
  "http",
  "rules",
  "routes",
  "gateway",
  "gatewayAddresses",
  "sandbox",
  "egress",
];

/** Who may import whom, besides files of its own kind in its own folder. Never upward. */
const mayImport: Record<Kind, Kind[]> = {
  lib: [],
  wire: [],
  problems: ["lib"],
  access: ["lib", "problems"],
  telemetry: ["lib"],
  query: ["storage"],
  backup: ["storage"],
  storage: ["lib", "problems"],
  httpStore: [...ground, "storage", "query"],
  http: [...ground, "wire", "storage", "httpStore"],
  store: [...ground, "storage", "query", "schema", "rules"],
  routes: [...ground, "wire", "storage", "http", "schema", "rules"],
  schema: [...ground, "http", "schema", "rules"],
  rules: [...ground, "wire", "storage", "schema", "rules", "store"],
  gatewayAddresses: ["lib"],
  policySchema: ["lib", "wire", "http", "schema"],
  gateway: [...ground, "wire", "storage", "http", "rules", "gatewayAddresses", "policySchema", "sandbox", "egress"],
  sandbox: [...ground, "wire", "egress"],
  egress: [...ground, "wire"],
  builder: ["lib", "rules", "policySchema"],
  config: ["lib", "telemetry", "gatewayAddresses"],
  app: [...service, "config", "builder"],
  client: [],
  console: ["client"],
  cli: ["app", "backup", "client", "config", "lib"],
  main: ["cli", "builder", "lib"],
};

/** An area's SQL and its endpoints are its own; others go through its rules. */
const ownAreaOnly: Kind[] = ["store", "routes"];

/** Packages that only some may know. The others are free. */
const packages: Record<string, Kind[]> = {
  pg: ["storage"],
  "bun:sqlite": ["storage", "backup"],
  kysely: ["storage", "query", "store", "httpStore"],
  "prom-client": ["telemetry"],
};

/** What only some files may do. */
const reserved: { what: string; pattern: RegExp; to: string }[] = [
  { what: "reads the environment", pattern: /\b(process|Bun|import\.meta)\.env\b/, to: "{config.ts,main.ts,cli/**}" },
  {
    what: "reads the clock",
    pattern: /\bDate\.now\b|\bnew Date(\(\)|\b(?!\())/,
    to: "{lib/clock.ts,lib/ids.ts,telemetry/**}",
  },
];

test("src/ keeps the rules", async () => {
  expect(violations(await readSourceFiles(join(import.meta.dir, "../src")))).toEqual([]);
});

test.each([
  ["lib/ids.ts", 'import { read } from "../storage/storage.ts";', "lib/ids.ts imports storage/storage.ts"],
  ["storage/open.ts", 'import type { A } from "../http/a.ts";', "storage/open.ts imports http/a.ts"],
  ["keys/keys.ts", 'import {\n  a,\n  b,\n} from "../consumers/store.ts";', "keys/keys.ts imports consumers/store.ts"],
  ["keys/keys.ts", 'export * from "./routes.ts";', "keys/keys.ts imports keys/routes.ts"],
  ["keys/keys.ts", 'export type { A } from "../http/a.ts";', "keys/keys.ts imports http/a.ts"],
  ["keys/keys.ts", 'import { sql } from "../storage/query.ts";', "keys/keys.ts imports storage/query.ts"],
  ["keys/keys.ts", 'const a = await import("../app.ts");', "keys/keys.ts imports app.ts"],
  ["keys/keys.ts", 'import "../../test/support/client.ts";', "keys/keys.ts imports ../test/support/client.ts"],
  ["keys/keys.ts", 'import { sql } from "kysely";', "keys/keys.ts imports kysely"],
  ["keys/routes.ts", 'import { sql } from "kysely/helpers";', "keys/routes.ts imports kysely/helpers"],
  ["http/a.ts", 'import { Database } from "bun:sqlite";', "http/a.ts imports bun:sqlite"],
  ["app.ts", 'import { a } from "./cli/a.ts";', "app.ts imports cli/a.ts"],
  ["cli/a.ts", 'import { a } from "../storage/open.ts";', "cli/a.ts imports storage/open.ts"],
  ["console/a.tsx", 'import { a } from "../lib/ids.ts";', "console/a.tsx imports lib/ids.ts"],
  ["app.ts", "export const port = process.env.PORT;", "app.ts reads the environment"],
  ["keys/keys.ts", "export const now = Date.now();", "keys/keys.ts reads the clock"],
  ["keys/keys.ts", "export const now = new Date();", "keys/keys.ts reads the clock"],
  ["utils/a.ts", "", "utils/a.ts is of no known kind: give it a rule"],
])("the rules refuse %s: %s", (path, text, violation) => {
  expect(violations([sourceFile(path, text)])).toEqual([violation]);
});

test("the rules allow what is not refused", () => {
  const files = [
    sourceFile("app.ts", 'import { a } from "./keys/routes.ts";\nimport { b } from "./storage/open.ts";'),
    sourceFile("keys/routes.ts", 'import { a } from "../http/a.ts";\nimport { b } from "./keys.ts";'),
    sourceFile("keys/keys.ts", 'import { a } from "./store.ts";\nimport type { B } from "../consumers/consumers.ts";'),
    sourceFile("keys/store.ts", 'import { sql } from "kysely"; // not process.env, not Date.now()'),
    sourceFile("lib/time.ts", "export const parse = (text: string) => new Date(text);"),
    sourceFile("config.ts", "export const environment = process.env;"),
  ];
  expect(violations(files)).toEqual([]);
});

test("the rules refuse circles, of types too", () => {
  const files = [
    sourceFile("lib/a.ts", 'import { b } from "./b.ts";'),
    sourceFile("lib/b.ts", 'import type { C } from "./c.ts";'),
    sourceFile("lib/c.ts", 'export { a } from "./a.ts";'),
  ];
  expect(violations(files)).toEqual(["lib/a.ts → lib/b.ts → lib/c.ts → lib/a.ts"]);
});

function violations(files: SourceFile[]): string[] {
  return [...files.flatMap(violationsOf), ...importCircles(files)];
}

function violationsOf({ path, imports, packages, code }: SourceFile): string[] {
  const kind = kindOf(path);
  if (!kind) return [`${path} is of no known kind: give it a rule`];
  return [
    ...imports.filter((imported) => !isAllowed(path, imported)).map((imported) => `${path} imports ${imported}`),
    ...packages.filter((name) => !isAllowedPackage(kind, name)).map((name) => `${path} imports ${name}`),
    ...reserved.filter(({ pattern, to }) => pattern.test(code) && !fits(path, to)).map(({ what }) => `${path} ${what}`),
  ];
}

function isAllowed(importer: string, imported: string): boolean {
  const from = kindOf(importer);
  const to = kindOf(imported);
  if (imported === "../package.json") return true;
  if (!from || !to) return false;
  const isNeighbour = folderOf(importer) === folderOf(imported);
  if (from === to && isNeighbour) return true;
  if (ownAreaOnly.includes(to) && from !== "app" && !isNeighbour) return false;
  return mayImport[from].includes(to);
}

function folderOf(path: string): string | undefined {
  return path.split("/")[0];
}

function isAllowedPackage(kind: Kind, name: string): boolean {
  const owner = Object.keys(packages).find((known) => name === known || name.startsWith(`${known}/`));
  return owner === undefined || packages[owner]!.includes(kind);
}

function kindOf(path: string): Kind | undefined {
  return (Object.keys(kinds) as Kind[]).find((kind) => fits(path, kinds[kind]));
}

function fits(path: string, glob: string): boolean {
  return new Bun.Glob(glob).match(path);
}
