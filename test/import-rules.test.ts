import { expect, test } from "bun:test";
import { existsSync, readdirSync, readFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { Glob } from "bun";
import packageJson from "../package.json" with { type: "json" };
import { areas, districts } from "./support/areas.ts";
import { folderCircles, importCircles, readSourceFiles, type SourceFile, sourceFile } from "./support/source-files.ts";

/** The kinds of files below src/. The first matching pattern determines the kind. */
const kinds = {
  text: "lib/text/**",
  lib: "lib/**",
  platform: "platform/**",
  core: "core/**",
  counting: "counting/**",
  config: "config/**",
  store: "{api,areas,gateway}/**/{store,*-store}.ts",
  api: "api/**",
  routes: "areas/*/{*,billing/providers/**}/{routes.ts,*-routes.ts,routes/**}",
  /** What declares operations of one resource, for the routes of several areas. */
  scope: "areas/**/in-*.ts",
  schema: "areas/**/{schema,*-schema}.ts",
  rules: "areas/**",
  policySchema: "gateway/policies/**/{schema,schemas,json-schema}.ts",
  gateway: "gateway/**",
  builder: "builder/**",
  server: "server/**",
  explanations: "client/explain-request.ts",
  client: "client/**",
  web: "web/**",
  cli: "cli/**",
  main: "main.ts",
} as const;

type Kind = keyof typeof kinds;

const ground: Kind[] = ["text", "lib", "platform", "core"];
/** What the areas and the layers above them build on. */
const base: Kind[] = [...ground, "counting"];

/** The kinds that each kind may import, besides its own. Never upward. */
const mayImport: Record<Kind, Kind[]> = {
  // Works in browsers too.
  text: [],
  lib: ["text"],
  platform: ["text", "lib"],
  core: ["text", "lib", "platform"],
  counting: ground,
  config: ground,
  store: [...base, "schema", "rules"],
  api: [...ground, "store"],
  routes: [...base, "api", "scope", "schema", "rules"],
  scope: [...base, "api", "rules"],
  schema: [...base, "api", "rules"],
  rules: [...base, "schema", "store"],
  policySchema: ground,
  gateway: [...base, "rules", "store", "policySchema"],
  builder: [...ground, "policySchema"],
  server: [...base, "config", "api", "routes", "rules", "gateway", "builder", "explanations"],
  // Also used by the server, for assistants.
  explanations: ["client"],
  client: ["explanations"],
  web: ["text", "explanations", "client"],
  cli: ["text", "lib", "platform", "core", "config", "client", "server"],
  main: ["text", "lib", "builder", "cli"],
};

/** An area may import those before it, through their interfaces. */
const areaNames = Object.keys(areas);

/** The folders of billing in their order. Each may import those before it. */
const billingFolders = [
  ...[
    "payments",
    "book",
    "schemas",
    "credit-grants",
    "plan-terms",
    "overage",
    "customers",
    "settings",
    "invoices",
    "spending",
  ],
  ...["packs", "invoice-documents", "periods", "purchases", "simulations", "routes", "providers"],
];

/** Packages that only some kinds may import. The others are unrestricted. */
const packages: Record<string, Kind[]> = {
  pg: ["platform"],
  "bun:sqlite": ["platform"],
  kysely: ["platform", "core", "store"],
};

/** Packages that only some files may import. */
const packageFiles: Record<string, string> = {
  stripe: "areas/commerce/billing/providers/stripe/**",
};

/** A folder per payment provider. */
const providerFolders = "areas/commerce/billing/providers/**";
/** Which files compose the providers. All others ask the interface. */
const providerComposition = "server/background-services/payments.ts";

/** Calls that only some files may make. */
const reserved: { what: string; pattern: RegExp; to: string }[] = [
  { what: "reads the environment", pattern: /\b(process|Bun|import\.meta)\.env\b/, to: "{config/**,main.ts,cli/**}" },
  {
    what: "reads the clock",
    pattern: /\bDate\.now\b|\bnew Date(\(\)|\b(?!\())/,
    to: "{lib/time/clock.ts,lib/ids.ts,platform/telemetry/**,web/**,client/{middleware/problem,resources/usage-reporter}.ts}",
  },
  {
    what: "knows the tables of Stripe",
    pattern: /\bstripe_(invoices|customers|events)\b/,
    to: "{areas/commerce/billing/providers/stripe/**,core/database/**}",
  },
  {
    what: "depends on the type of a payment provider",
    pattern: /[!=]== "(manual|sandbox|stripe)"/,
    to: "{areas/commerce/billing/providers/**,web/**,cli/**}",
  },
  { what: "knows an engine", pattern: /\bengine [!=]==|\bLOCK TABLE\b/, to: "platform/storage/**" },
];

test("src/ keeps the rules", async () => {
  expect(violations(await readSourceFiles(join(import.meta.dir, "../src")))).toEqual([]);
});

test("everything in the interface of an area is imported by another area or the gateway", async () => {
  const files = await readSourceFiles(join(import.meta.dir, "../src"));
  const imported = new Set(
    files
      .filter(({ path }) => /^(areas|gateway)\//.test(path))
      .flatMap(({ path, imports }) => imports.filter((other) => areaOf(other) !== areaOf(path))),
  );
  const listed = Object.entries(districts).flatMap(([district, inIt]) =>
    Object.entries(inIt).flatMap(([area, list]) => list.map((file) => `areas/${district}/${area}/${file}.ts`)),
  );
  expect(listed.filter((path) => !imported.has(path))).toEqual([]);
});

test.each(["../bench", "../torture"])("%s has no circle of imports", async (folder) => {
  const files = await readSourceFiles(join(import.meta.dir, folder));
  expect(importCircles(files)).toEqual([]);
});

test.each([
  ["lib/ids.ts", 'import { read } from "../platform/a.ts";', "lib/ids.ts imports platform/a.ts"],
  ["platform/storage/a.ts", 'import type { A } from "../../core/a.ts";', "platform/storage/a.ts imports core/a.ts"],
  [
    "areas/api-keys/keys/keys.ts",
    'import {\n  a,\n  b,\n} from "../key-buckets/store.ts";',
    "areas/api-keys/keys/keys.ts imports areas/api-keys/key-buckets/store.ts",
  ],
  [
    "areas/api-keys/keys/keys.ts",
    'export * from "./routes.ts";',
    "areas/api-keys/keys/keys.ts imports areas/api-keys/keys/routes.ts",
  ],
  [
    "areas/api-keys/keys/keys.ts",
    'export type { A } from "../../../api/a.ts";',
    "areas/api-keys/keys/keys.ts imports api/a.ts",
  ],
  [
    "areas/api-keys/key-buckets/a.ts",
    'import { a } from "../../commerce/metering/a.ts";',
    "areas/api-keys/key-buckets/a.ts imports areas/commerce/metering/a.ts",
  ],
  [
    "areas/api-keys/keys/keys.ts",
    'const a = await import("../../../server/a.ts");',
    "areas/api-keys/keys/keys.ts imports server/a.ts",
  ],
  [
    "areas/api-keys/keys/keys.ts",
    'import "../../../../test/a.ts";',
    "areas/api-keys/keys/keys.ts imports ../test/a.ts",
  ],
  ["areas/api-keys/keys/keys.ts", 'import { sql } from "kysely";', "areas/api-keys/keys/keys.ts imports kysely"],
  [
    "areas/api-keys/keys/routes.ts",
    'import { sql } from "kysely/helpers";',
    "areas/api-keys/keys/routes.ts imports kysely/helpers",
  ],
  [
    "areas/commerce/billing/a.ts",
    'import { a } from "../metering/usage/owners.ts";',
    "areas/commerce/billing/a.ts imports areas/commerce/metering/usage/owners.ts",
  ],
  [
    "areas/commerce/billing/invoices/a.ts",
    'import { a } from "../periods/a.ts";',
    "areas/commerce/billing/invoices/a.ts imports areas/commerce/billing/periods/a.ts",
  ],
  [
    "gateway/a.ts",
    'import { a } from "../areas/api-keys/keys/roll-key.ts";',
    "gateway/a.ts imports areas/api-keys/keys/roll-key.ts",
  ],
  ["gateway/a.ts", 'import { a } from "../api/a.ts";', "gateway/a.ts imports api/a.ts"],
  [
    "gateway/a.ts",
    'import { a } from "../areas/api-keys/keys/routes.ts";',
    "gateway/a.ts imports areas/api-keys/keys/routes.ts",
  ],
  [
    "counting/a.ts",
    'import { a } from "../areas/commerce/plans/prices.ts";',
    "counting/a.ts imports areas/commerce/plans/prices.ts",
  ],
  ["core/a.ts", 'import { a } from "../counting/a.ts";', "core/a.ts imports counting/a.ts"],
  [
    "builder/a.ts",
    'import { a } from "../areas/api-keys/keys/keys.ts";',
    "builder/a.ts imports areas/api-keys/keys/keys.ts",
  ],
  ["api/a.ts", 'import { Database } from "bun:sqlite";', "api/a.ts imports bun:sqlite"],
  ["server/a.ts", 'import { a } from "../cli/a.ts";', "server/a.ts imports cli/a.ts"],
  ["server/a.ts", 'import { a } from "fast-check";', "server/a.ts imports fast-check, which is no dependency"],
  ["server/a.ts", 'import { a } from "react";', "server/a.ts imports react, which is no dependency"],
  ["web/a.tsx", 'import { a } from "../lib/ids.ts";', "web/a.tsx imports lib/ids.ts"],
  ["web/a.tsx", 'import { a } from "zod";', "web/a.tsx imports zod, which is no dependency"],
  [
    "areas/commerce/billing/invoices/a.ts",
    'import { a } from "../providers/stripe/stripe.ts";',
    "areas/commerce/billing/invoices/a.ts imports areas/commerce/billing/providers/stripe/stripe.ts",
  ],
  [
    "areas/commerce/billing/providers/sandbox/a.ts",
    'import { a } from "../stripe/amounts.ts";',
    "areas/commerce/billing/providers/sandbox/a.ts imports areas/commerce/billing/providers/stripe/amounts.ts",
  ],
  [
    "server/control-plane.ts",
    'import { a } from "../areas/commerce/billing/providers/stripe/service/a.ts";',
    "server/control-plane.ts imports areas/commerce/billing/providers/stripe/service/a.ts",
  ],
  ["server/a.ts", 'import type { Stripe } from "stripe";', "server/a.ts imports stripe"],
  [
    "areas/commerce/billing/invoices/invoice-store.ts",
    'export const sql = "SELECT * FROM stripe_invoices";',
    "areas/commerce/billing/invoices/invoice-store.ts knows the tables of Stripe",
  ],
  [
    "areas/commerce/billing/invoices/a.ts",
    'export const a = (type: string) => type === "stripe";',
    "areas/commerce/billing/invoices/a.ts depends on the type of a payment provider",
  ],
  ["server/a.ts", "export const port = process.env.PORT;", "server/a.ts reads the environment"],
  ["areas/api-keys/keys/keys.ts", "export const now = Date.now();", "areas/api-keys/keys/keys.ts reads the clock"],
  ["areas/api-keys/keys/keys.ts", "export const now = new Date();", "areas/api-keys/keys/keys.ts reads the clock"],
  ["core/a.ts", 'export const a = (engine: string) => engine === "sqlite";', "core/a.ts knows an engine"],
  ["utils/a.ts", "", "utils/a.ts is of no known kind: give it a rule"],
])("the rules reject %s: %s", (path, text, violation) => {
  expect(violations([sourceFile(path, text)])).toEqual([violation]);
});

test("the rules allow everything that is not rejected", () => {
  const files = [
    sourceFile("server/a.ts", 'import { a } from "../areas/api-keys/keys/routes.ts";\nimport { z } from "zod";'),
    sourceFile(
      "areas/api-keys/keys/routes.ts",
      'import { a } from "../../../api/a.ts";\nimport { b } from "./keys.ts";',
    ),
    sourceFile(
      "areas/api-keys/keys/keys.ts",
      'import { a } from "./store.ts";\nimport type { B } from "../key-buckets/key-buckets.ts";',
    ),
    sourceFile("areas/api-keys/keys/store.ts", 'import { sql } from "kysely"; // not process.env, not Date.now()'),
    sourceFile(
      "areas/commerce/billing/providers/stripe/api/a.ts",
      'import { a } from "../amounts.ts";\nimport type { Stripe } from "stripe";',
    ),
    sourceFile(
      "server/background-services/payments.ts",
      'import { a } from "../../areas/commerce/billing/providers/stripe/service/stripe-routes.ts";',
    ),
    sourceFile("lib/time.ts", "export const parse = (text: string) => new Date(text);"),
    sourceFile("config/config.ts", "export const environment = process.env;"),
  ];
  expect(violations(files)).toEqual([]);
});

test("the rules reject import cycles of files, also by types, and of folders", () => {
  const files = [
    sourceFile("lib/a.ts", 'import { b } from "./b.ts";'),
    sourceFile("lib/b.ts", 'import type { C } from "./c.ts";'),
    sourceFile("lib/c.ts", 'export { a } from "./a.ts";'),
    sourceFile("platform/one/a.ts", 'import { b } from "../two/b.ts";'),
    sourceFile("platform/two/c.ts", 'import { d } from "../one/d.ts";'),
  ];
  expect(violations(files)).toEqual([
    "lib/a.ts → lib/b.ts → lib/c.ts → lib/a.ts",
    "platform/one → platform/two → platform/one",
  ]);
});

test("every documented dependency is installed, and those of the package are documented", () => {
  const { dependencies, devDependencies } = packageJson;
  expect(documented.filter((name) => !(name in { ...dependencies, ...devDependencies }))).toEqual([]);
  expect(Object.keys(dependencies).filter((name) => !documented.includes(name))).toEqual([]);
});

test("the ways through the code name files that exist", () => {
  const architecture = readFileSync(join(import.meta.dir, "../docs/architecture.md"), "utf8");
  const [ways = ""] = /## Five ways through the code.*?(?=\n## )/s.exec(architecture) ?? [];
  const files = [...ways.matchAll(/`([^`]+\.ts)`/g)].map(([, file]) => file!);
  expect(files.length).toBeGreaterThan(40);
  expect(files.filter((file) => !existsSync(join(import.meta.dir, "../src", file)))).toEqual([]);
});

test("the READMEs of folders name what exists, and all of their folders", () => {
  const source = join(import.meta.dir, "../src");
  const readmes = [...new Glob("**/README.md").scanSync(source)];
  expect(readmes.length).toBeGreaterThan(5);
  const wrong = readmes.flatMap((readme) => {
    const folder = join(source, dirname(readme));
    const text = readFileSync(join(source, readme), "utf8");
    const named = [...text.matchAll(/`((?:src\/)?[\w./-]+(?:\/|\.ts))`/g)].map(([, path]) => path!);
    const missing = named.filter((path) => !existsSync(join(path.startsWith("src/") ? dirname(source) : folder, path)));
    const folders = readdirSync(folder, { withFileTypes: true }).filter((entry) => entry.isDirectory());
    const unnamed = folders.map(({ name }) => `${name}/`).filter((name) => !named.includes(name));
    return [...missing, ...unnamed].map((path) => `${readme}: ${path}`);
  });
  expect(wrong).toEqual([]);
});

function violations(files: SourceFile[]): string[] {
  return [...files.flatMap(violationsOf), ...importCircles(files), ...folderCircles(files)];
}

function violationsOf({ path, imports, packages, code }: SourceFile): string[] {
  const kind = kindOf(path);
  if (!kind) return [`${path} is of no known kind: give it a rule`];
  return [
    ...imports.filter((imported) => !isAllowed(path, imported)).map((imported) => `${path} imports ${imported}`),
    ...packages.filter((name) => !isAllowedPackage(path, kind, name)).map((name) => `${path} imports ${name}`),
    ...packages
      .filter((name) => !isDependency(kind, name))
      .map((name) => `${path} imports ${name}, which is no dependency`),
    ...reserved.filter(({ pattern, to }) => pattern.test(code) && !fits(path, to)).map(({ what }) => `${path} ${what}`),
  ];
}

function isAllowed(importer: string, imported: string): boolean {
  const from = kindOf(importer);
  const to = kindOf(imported);
  if (imported === "../package.json") return true;
  if (!from || !to) return false;
  if (from !== to && !mayImport[from].includes(to)) return false;
  if (fits(imported, providerFolders) && !fits(importer, providerComposition) && !isOfSameProvider(importer, imported))
    return false;
  const [own, other] = [areaOf(importer), areaOf(imported)];
  if (own === "billing" && other === "billing" && billingFolder(imported) > billingFolder(importer)) return false;
  if (other === undefined || own === other) return true;
  // An area's SQL and endpoints are private; only the server's composition imports the endpoints.
  if (to === "store" || (to === "routes" && from !== "server")) return false;
  if (from === "server") return true;
  const isInterface = areas[other]?.includes(imported.split("/").slice(3).join("/").replace(/\.ts$/, ""));
  return isInterface === true && (own === undefined || areaNames.indexOf(other) < areaNames.indexOf(own));
}

function isOfSameProvider(importer: string, imported: string): boolean {
  const [own, other] = [importer, imported].map((path) => path.split("/").slice(0, 5).join("/"));
  return own === other;
}

/** A folder that is not listed comes first, so that it can import no other. */
const billingFolder = (path: string) => billingFolders.indexOf(path.split("/")[3]!);

function areaOf(path: string): string | undefined {
  return path.startsWith("areas/") ? path.split("/")[2] : undefined;
}

function isAllowedPackage(path: string, kind: Kind, name: string): boolean {
  const files = packageFiles[name];
  if (files !== undefined && !fits(path, files)) return false;
  const owner = Object.keys(packages).find((known) => name === known || name.startsWith(`${known}/`));
  return owner === undefined || packages[owner]!.includes(kind);
}

/** The packages of the server, each with its reason. */
const documented = [
  ...readFileSync(join(import.meta.dir, "../docs/decisions/dependencies.md"), "utf8").matchAll(/^\| (`.+?) \|/gm),
].flatMap(([, cell]) => [...cell!.matchAll(/`(.+?)`/g)].map(([, name]) => name!));

/** Packages of the server that the web apps use too. */
const usedByBoth = ["yaml"];

/** Frameworks whose types the client's middleware extends. Applications that use it have them. */
const extendedFrameworks = ["fastify", "hono"];

/** Documented packages, Bun's own, and this package. The web apps have their own, which are development dependencies. */
function isDependency(kind: Kind, name: string): boolean {
  if (/^(bun|node):|^bun$/.test(name) || name.startsWith(`${packageJson.name}/`)) return true;
  if (kind === "client" && extendedFrameworks.includes(name)) return true;
  const isOf = (known: string) => name === known || name.startsWith(`${known}/`);
  if (kind !== "web" || usedByBoth.includes(name)) return documented.some(isOf);
  return !documented.some(isOf) && Object.keys(packageJson.devDependencies).some(isOf);
}

function kindOf(path: string): Kind | undefined {
  return (Object.keys(kinds) as Kind[]).find((kind) => fits(path, kinds[kind]));
}

function fits(path: string, glob: string): boolean {
  return new Bun.Glob(glob).match(path);
}
